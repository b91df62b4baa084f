#pragma once
// What a run means to the shell. One table, nowhere else.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compare/finding.hpp"

namespace wm {

enum ExitCode : int {
  kGood = 0,
  kFinding = 1,     ///< failed, convention, nondeterministic or error record; worse than a baseline
  kUsage = 2,       ///< command line or config
  kRegression = 3,  ///< coverage, or an error, counter or workspace against a baseline
  kUntrustworthy = 4,   ///< mistrusted, or nothing conclusive
  kEnvironment = 5,     ///< no such device, disk full
  kNothingMatched = 6,  ///< nothing planned or matched
  kNothingRan = 77,     ///< everything skipped or unsupported
  kInterrupted = 130,
};

struct RunOutcome {
  std::map<std::string, std::int64_t> by_status;
  bool interrupted = false;
  bool below_coverage = false;       ///< a variant under `require.min_passed_per_variant`
  bool mistrusted_variants = false;  ///< of a sweep: no gate could have seen a lost term
  /// Of `by_status`, the records that a quarantine excuses (compare::QuarantineTally).
  std::map<std::string, std::int64_t> excused = {};
  bool quarantined_pass = false;  ///< a quarantined case passes
};

/// Words of --fail-on.
const std::vector<std::string>& fail_on_words();
std::vector<std::string> default_fail_on();

/// Precedence 130 > 1 > 4 > 3 > 6 > 77 > 0 (2 and 5 are exceptions and come before). A status
/// outside `fail_on` does not count as a finding; a run in which nothing passed and something was
/// inconclusive is 4 all the same.
int exit_code_of(const RunOutcome& outcome, const std::vector<std::string>& fail_on);

/// A comparison alone: 1 > 4 > 3 > 6 > 0.
int exit_code_of(const compare::Outcome& outcome);

/// The code of two outcomes together (a run and its comparison with a baseline), by the precedence
/// 130 > 2 > 5 > 1 > 4 > 3 > 6 > 77 > 0.
int combined_exit_code(int one, int other);

}  // namespace wm
