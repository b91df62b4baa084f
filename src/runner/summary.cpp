#include "runner/summary.hpp"

namespace wm {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t kListed = 50;  // longest list in a summary; the counts are always complete

std::string problem_text(const Problem& problem) {
  std::string text = problem.op->name;
  for (const auto& [key, value] : problem.keys) text += " " + key + "=" + value;
  return text;
}

bool could_see_a_lost_term(const CaseResult& result) {
  for (const auto& [tensor, accuracy] : result.accuracy)
    if (accuracy.gate == Gate::precision && accuracy.detectability < 1) return false;
  return true;
}

}  // namespace

void Summary::add(const Case& item, const VariantId& id, const CaseResult& result) {
  ++by_status_[std::string(name_of(result.status))];
  const std::string name = id.to_string();
  Coverage& coverage = variants_[name];
  ++coverage.records;
  if (result.status == Status::passed) ++coverage.passed;
  if (!result.ran) return;
  if (!result.claims.deterministic() && !uses_gate_i(item)) {
    coverage.claims_nondeterminism = true;
    for (const ProbeResult& probe : result.probes) {
      if (probe.name != "schedule") continue;
      for (const auto& [tensor, verdict] : probe.tensors) {
        coverage.schedule_probed |= verdict.kind != ProbeVerdict::Kind::not_run;
        coverage.seen_to_differ |= verdict.kind == ProbeVerdict::Kind::differs;
      }
    }
  }
  if (result.accuracy.empty() || item.problem.empty_output()) return;
  Trust& trust = trust_[{name, problem_text(item.problem)}];
  trust.ran = true;
  trust.trusted |= could_see_a_lost_term(result);
  if (trust.repro.empty()) trust.repro = repro_command(item);
}

json Summary::to_json(double wall_s, bool interrupted, std::int64_t min_passed) const {
  json mistrusted = json::array();
  std::int64_t mistrusted_count = 0;
  for (const auto& [key, trust] : trust_) {
    if (!trust.ran || trust.trusted) continue;
    ++mistrusted_count;
    if (mistrusted.size() < kListed)
      mistrusted.push_back({{"variant", key.first}, {"repro", trust.repro}});
  }
  json not_observed = json::array();
  json uncovered = json::array();
  std::int64_t covered = 0;
  for (const auto& [name, coverage] : variants_) {
    if (coverage.claims_nondeterminism && coverage.schedule_probed && !coverage.seen_to_differ)
      not_observed.push_back(name);
    if (coverage.passed > 0) ++covered;
    if (coverage.passed < min_passed)
      uncovered.push_back({{"variant", name}, {"passed", coverage.passed}});
  }
  json counts = json::object();
  std::int64_t records = 0;
  for (const auto& [status, count] : by_status_) {
    counts[status] = count;
    records += count;
  }
  return {{"schema", "warpmark.summary/1"},
          {"records", records},
          {"counts", counts},
          {"coverage",
           {{"variants", variants_.size()},
            {"variants_passed", covered},
            {"min_passed_per_variant", min_passed},
            {"below_min", uncovered}}},
          {"mistrusted", {{"count", mistrusted_count}, {"listed", mistrusted}}},
          {"nondeterminism_not_observed", not_observed},
          {"interrupted", interrupted},
          {"wall_s", wall_s}};
}

}  // namespace wm
