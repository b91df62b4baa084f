#include "cli/requirements.hpp"

#include <string_view>

#include "determinism/probe.hpp"
#include "report/text.hpp"

namespace wm {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* kDeterministic = "deterministic";
constexpr const char* kBatchInvariant = "batch_invariant";

/// "probe schedule (schedule reverse): 'd' differs in 12 elements", of the first of these probes
/// that differs; "probe batch: not run: why" where none does.
std::string observation(const json& record, bool (*counts)(std::string_view probe)) {
  const json& probes = report::object_of(report::object_of(record, "determinism"), "probes");
  std::string not_run = "no probe ran";
  for (const auto& [probe, tensors] : probes.items()) {
    if (!counts(probe)) continue;
    for (const auto& [tensor, verdict] : tensors.items()) {
      const std::string word = report::text_of(verdict, "verdict");
      const std::string change = report::text_of(verdict, "change");
      if (word == "differs")
        return "probe " + probe + (change.empty() ? "" : " (" + change + ")") + ": '" + tensor +
               "' differs in " + report::short_number(report::number_of(verdict, "count")) +
               " elements";
      if (word == "not_run")
        not_run = "probe " + probe + ": not run: " + report::text_of(verdict, "reason");
    }
  }
  return not_run;
}

/// Why the record does not meet the requirement; empty where it does.
std::string unmet(const json& record, const std::string& required) {
  const json& determinism = report::object_of(record, "determinism");
  if (required == kDeterministic)
    return report::flag_of(determinism, "observed", false) ? ""
                                                           : observation(record, tests_determinism);
  const json& batch = report::object_of(determinism, "batch_invariant");
  if (batch.empty() || report::flag_of(batch, "observed", false)) return "";
  return observation(record, [](std::string_view probe) { return probe == "batch"; });
}

}  // namespace

const std::vector<std::string>& RequiredProperties::words() {
  static const std::vector<std::string> words{kDeterministic, kBatchInvariant};
  return words;
}

void RequiredProperties::record(const json& record) {
  if (!record.contains("determinism")) return;
  for (const std::string& required : required_) {
    const std::string why = unmet(record, required);
    if (!why.empty())
      unmet_.push_back("require " + required + ": " + report::text_of(record, "variant") + ": " +
                       why + "\n  " + report::text_of(record, "repro") + "\n");
  }
}

bool RequiredProperties::conclude(std::ostream& errors) const {
  for (const std::string& line : unmet_) errors << line;
  return unmet_.empty();
}

}  // namespace wm
