#pragma once
// Discovery of a summation tree from sums alone: the FPRev method (P. Xie, Y. Gao, Y. Wang,
// J. Wang, FPRev: Revealing the Order of Floating-Point Summation, USENIX ATC 2025).
//
// With +M at leaf i, -M at leaf j and small units elsewhere, every unit that is added to a partial
// sum of +-M is lost, until both have met. The units missing from the result are the other leaves
// under the lowest common ancestor of i and j. Asking that for one leaf (the pivot) and all others
// gives the ancestors of the pivot and the set of leaves that joins at each; each set is taken
// apart in the same way.
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "tree/tree.hpp"

namespace wm {

/// The answers do not come from one tree of additions.
struct NoTreeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One sum to be computed: +M at `plus`, -M at `minus`, a unit at each leaf of `units` that is
/// neither, zero elsewhere.
struct MaskedSum {
  std::int64_t plus = 0, minus = 0;
  std::span<const std::int64_t> units;

  std::int64_t unit_count() const;
};

/// Computes sums and returns how many units are left in each.
using CountUnits = std::function<std::vector<std::int64_t>(std::span<const MaskedSum>)>;

/// The tree of `leaves` terms. No sum has more than `most_units` units: what the arithmetic can
/// count exactly and what disappears beside M. Throws NoTreeError where answers contradict each
/// other; that those asked fit does not yet prove that all would: see check_tree.
SummationTree discover_tree(std::int64_t leaves, std::int64_t most_units, const CountUnits& count);

/// Compares the tree's prediction with the answer for `pairs` pairs of leaves drawn at random,
/// other than those that found it. Throws NoTreeError at the first difference.
void check_tree(const SummationTree& tree, std::int64_t most_units, std::int64_t pairs,
                const CountUnits& count);

/// Predicts the answers of a tree.
class TreeOracle {
 public:
  explicit TreeOracle(const SummationTree& tree);
  /// Units left of `sum`.
  std::int64_t units_left(const MaskedSum& sum) const;

 private:
  std::vector<std::int64_t> parent_, begin_, end_;  ///< by id; leaves under a node: [begin, end)
};

}  // namespace wm
