#pragma once
// The verdicts on one matched pair of records.
#include <cstdint>
#include <string>
#include <vector>

#include "compare/finding.hpp"
#include "compare/snapshot.hpp"
#include "compare/thresholds.hpp"

namespace wm::compare {

/// Something a pair could not be compared in.
struct NotSideBySide {
  Uncompared kind;
  std::string aspect, reason;
};

struct PairResult {
  std::vector<Finding> findings;
  std::vector<NotSideBySide> uncompared;
  std::vector<std::string> lost;  ///< aspects that the old record has and the new one lacks
  int evidence = 0;  ///< digests, errors, trees and counters that were set side by side
};

struct PairContext {
  Limits limits;
  std::string environment_difference;  ///< of the reports' comparability keys
  bool one_emulated = false;           ///< one side ran on the emulator, the other on a GPU
};

/// Compares status, claims, digests, errors, trees, probes, counters, workspace, config and timing.
/// Inputs of differing recipe versions differ: digests, errors and trees are then
/// cross-environment.
PairResult compare_pair(const Snapshot& base, const Snapshot& fresh, const PairContext& context);

/// Rank of a status from good (passed) to bad; unknown words rank worst.
int status_rank(std::string_view status);

}  // namespace wm::compare
