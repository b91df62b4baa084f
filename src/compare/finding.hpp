#pragma once
// One difference between two reports, and what it means.
#include <cstdint>
#include <string>
#include <string_view>

namespace wm::compare {

/// What a difference means, the gravest first.
enum class Verdict {
  worse,       ///< worse status, or a quarantined case that passes: exit 1
  changed,     ///< digest, tree or claim differs: exit 1 unless accepted
  regression,  ///< error drift, counter, workspace or coverage: exit 3 unless accepted
  better,
  info,
};
std::string_view name_of(Verdict verdict);

/// `case_id` and `variant` are "*" where a finding is about many records. Values are JSON text,
/// "null" where a side has none; equal texts are equal values.
struct Finding {
  Verdict verdict = Verdict::info;
  std::string aspect;  ///< "status", "digest", "claim.tree_height", "counter.atomics", ...
  std::string case_id, variant;
  std::string tensor;  ///< empty where the aspect has none
  std::string old_value, new_value;
  std::string detail;  ///< reason, or the limit that was passed; may be empty
  std::string repro;   ///< command of the new record; of the old one where that is gone
  std::string excuse;  ///< why it does not count: accepted or quarantined; empty: it counts

  bool counts() const { return excuse.empty() && verdict <= Verdict::regression; }
};

/// Of two things that could not be set side by side.
enum class Uncompared {
  cross_environment,  ///< their comparability keys differ
  not_compared,       ///< never compared, whatever the environment
};
std::string_view name_of(Uncompared kind);

/// What a comparison means for the exit code.
struct Outcome {
  bool finding = false;     ///< worse status or unaccepted change of digest, tree, claim
  bool regression = false;  ///< error drift, counter, workspace, coverage
  bool only_cross_environment = false;
  bool nothing_matched = false;
};

}  // namespace wm::compare
