#pragma once
// --shard and --timeout: their text forms.
#include <functional>
#include <optional>
#include <string>

#include "runner/runner.hpp"

namespace wm {

/// An environment variable; nothing where it is not set.
using Variables = std::function<std::optional<std::string>(const std::string& name)>;
/// Those of this process.
std::optional<std::string> environment_variable(const std::string& name);

/// "2/3", or "auto": what a job array, MPI or a test runner says through its variables. Throws
/// UsageError naming the allowed forms, the variable and its value.
Shard parse_shard(const std::string& text, const Variables& variables = environment_variable);

/// Seconds of "90", "90s", "10m", "2h"; throws UsageError.
double parse_duration(const std::string& option, const std::string& text);

}  // namespace wm
