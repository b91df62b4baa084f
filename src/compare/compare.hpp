#pragma once
// The regression gate: two stored reports, matched case by case. Nothing is measured here.
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "compare/accepted.hpp"
#include "compare/finding.hpp"
#include "compare/quarantine.hpp"
#include "compare/thresholds.hpp"

namespace wm::compare {

struct Options {
  Thresholds thresholds;
  Quarantine quarantine;
  Accepted accepted;
};

/// One of the two reports.
struct Side {
  std::string file, name, plan_hash, device;
  std::string shard;   ///< JSON text of the header's shard; empty: a whole report
  std::string filter;  ///< glob over variants that chose the records; empty: all
  std::int64_t planned = 0, records = 0;
  std::int64_t repeated = 0;  ///< records of a case, variant and device that came before
  bool closed = false;        ///< has a summary
  bool interrupted = false;   ///< as its summary says
};

struct Comparison {
  Side base, fresh;
  std::vector<Finding> findings;
  /// How often something was not compared: kind, aspect, reason.
  std::map<std::tuple<Uncompared, std::string, std::string>, std::int64_t> uncompared;
  std::vector<std::string> notes;

  std::int64_t matched = 0, unchanged = 0;  ///< pairs; `unchanged`: without any finding
  std::int64_t vanished = 0, added = 0;     ///< records of one side only
  std::int64_t still_red = 0;               ///< pairs that are red on both sides
  std::int64_t evidence = 0;                ///< digests, errors, trees, counters compared

  /// Findings that count, by verdict, and those excused.
  std::int64_t count(Verdict verdict) const;
  std::int64_t excused() const;
  Outcome outcome() const;
};

/// Compares two reports, each a records.jsonl or the folder of a run. BASE is kept in memory (only
/// what is compared), NEW is streamed. Records match by case id and variant; where both reports
/// have several devices, by device as well. Throws UsageError for a file that is no report.
Comparison compare_reports(const std::string& base, const std::string& fresh, Options options);

/// Takes every finding that may be accepted into `accepted` and excuses it; returns how many.
std::size_t accept_changes(Comparison& comparison, Accepted& accepted, const std::string& reason,
                           const std::string& tool);

}  // namespace wm::compare
