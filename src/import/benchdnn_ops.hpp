#pragma once
// One combination of benchdnn settings with one problem string as problems of this library.
#include <map>
#include <string>

#include "import/benchdnn.hpp"
#include "import/collector.hpp"

namespace wm::importing {

/// Option -> its one value; the names are those of the driver, with '-' for '_'.
using BenchdnnSettings = std::map<std::string, std::string, std::less<>>;

/// Options of a driver that take lists, with benchdnn's defaults.
const BenchdnnSettings& benchdnn_defaults(const std::string& driver);

/// Adds the problem, or throws UnreadProblem. `text` has no name any more.
void add_benchdnn_problem(const Place& place, const std::string& driver, std::string_view text,
                          const ProblemName& name, const BenchdnnSettings& settings,
                          Collector& out);

}  // namespace wm::importing
