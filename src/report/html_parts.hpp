#pragma once
// Parts of the HTML report that are written as they stand: they can be read without JavaScript.
#include <nlohmann/json.hpp>
#include <string>

#include "report/rollup.hpp"

namespace wm::report {

/// <head> with the style and a policy under which only the page's own script can run.
std::string html_head(const Rollup& rollup);
/// Title, counts by status, what kind of run it was.
std::string html_top(const Rollup& rollup);
/// Every kept finding with its repro, and the findings about variants.
std::string html_findings(const Rollup& rollup);
std::string html_algorithms(const Rollup& rollup);
/// What each probe saw of each algorithm; empty where none ran.
std::string html_determinism(const Rollup& rollup);
/// Empty where the records are of no network.
std::string html_networks(const Rollup& rollup);
std::string html_environment(const Rollup& rollup);
/// The page's own script.
std::string html_script();

/// One line of the page's data: the record without what the page does not show.
std::string html_record(const nlohmann::ordered_json& record);

}  // namespace wm::report
