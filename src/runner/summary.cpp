#include "runner/summary.hpp"

#include <limits>

namespace wm {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t kListed = 50;  // longest list in a summary; the counts are always complete

const json& member(const json& object, const char* key) {
  static const json none = json::object();
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

std::string text(const json& object, const char* key) { return object.value(key, std::string()); }

/// A number of a record, or one of the words that stand for what JSON has no number for.
double number(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (value == "Infinity") return std::numeric_limits<double>::infinity();
  return value == "-Infinity" ? -std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
}

/// Whether its sums are exact, so that no order of them can show.
bool exact_sums(const json& record) {
  for (const json& tensor : member(record, "accuracy"))
    if (text(tensor, "gate") == "P") return false;
  return text(record, "recipe").starts_with("exact/");
}

bool could_see_a_lost_term(const json& accuracy) {
  for (const json& tensor : accuracy)
    if (text(tensor, "gate") == "P" && number(tensor.at("detectability")) < 1) return false;
  return true;
}

bool has_elements(const json& accuracy) {
  for (const json& tensor : accuracy)
    if (tensor.at("compared") > 0) return true;
  return false;
}

}  // namespace

void Summary::add(const json& record) {
  const std::string status = text(record, "status");
  ++by_status_[status];
  const std::string variant = text(record, "variant");
  Coverage& coverage = variants_[variant];
  ++coverage.records;
  if (status == "passed") ++coverage.passed;
  if (record.contains("claims") && !record["claims"].value("deterministic", true) &&
      !exact_sums(record))
    add_schedule_probe(record, coverage);
  if (has_elements(member(record, "accuracy"))) add_trust(record, variant);
}

void Summary::add_schedule_probe(const json& record, Coverage& coverage) {
  coverage.claims_nondeterminism = true;
  for (const json& tensor : member(member(member(record, "determinism"), "probes"), "schedule")) {
    const std::string verdict = text(tensor, "verdict");
    coverage.schedule_probed |= verdict != "not_run";
    coverage.seen_to_differ |= verdict == "differs";
  }
}

void Summary::add_trust(const json& record, const std::string& variant) {
  const std::string problem = text(record, "op") + ' ' + record.at("problem").dump();
  Trust& trust = trust_[{variant, problem}];
  trust.trusted |= could_see_a_lost_term(record.at("accuracy"));
  const std::int64_t index = record.value("index", std::int64_t{0});
  if (trust.index >= 0 && trust.index <= index) return;
  trust.index = index;
  trust.repro = text(record, "repro");
}

json Summary::to_json(double wall_s, bool interrupted, std::int64_t min_passed, bool whole) const {
  json mistrusted = json::array();
  std::int64_t mistrusted_count = 0;
  for (const auto& [key, trust] : trust_) {
    if (trust.trusted || !whole) continue;
    ++mistrusted_count;
    if (mistrusted.size() < kListed)
      mistrusted.push_back({{"variant", key.first}, {"repro", trust.repro}});
  }
  json not_observed = json::array();
  json uncovered = json::array();
  std::int64_t covered = 0;
  for (const auto& [name, coverage] : variants_) {
    if (coverage.passed > 0) ++covered;
    if (!whole) continue;
    if (coverage.claims_nondeterminism && coverage.schedule_probed && !coverage.seen_to_differ)
      not_observed.push_back(name);
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
