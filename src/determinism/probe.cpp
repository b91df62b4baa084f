#include "determinism/probe.hpp"

#include "core/text.hpp"

namespace wm {

bool tests_determinism(std::string_view probe) {
  for (const std::string_view name :
       {"rerun", "process", "schedule", "output_poison", "workspace_poison", "streams", "order"})
    if (probe == name) return true;
  return false;
}

std::string what_equal_runs_prove(std::string_view probe, int runs, bool emulated) {
  if (probe != "rerun" && probe != "process") return "";
  if (emulated) return "by construction";
  constexpr double kRuleOfThree = 3;
  return runs <= kRuleOfThree
             ? "nothing: too few runs"
             : "p <= " + format_real(kRuleOfThree / runs) + " that a run differs, at 95 %";
}

}  // namespace wm
