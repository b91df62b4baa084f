#pragma once
// Summations on the host whose trees are known, to be discovered from their results.
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/mma_model.hpp"
#include "tree/discover.hpp"

namespace wm {

/// A sum in float32 of given terms.
using HostSum = std::function<float(std::span<const float>)>;

/// Puts masks and units of 1 into the terms of `sum` and counts what is left.
CountUnits masked(std::int64_t leaves, const HostSum& sum);

/// Follows a tree: a node of two children is a float addition, a wider one adds at once, every term
/// aligned to the largest and cut to `fraction` bits.
HostSum follow(const SummationTree& tree, int fraction = 24);

/// Trees are built by adding ids; each call returns the id of the new node.
class TreeBuilder {
 public:
  explicit TreeBuilder(std::int64_t leaves) { tree_.leaves = leaves; }
  std::int64_t add(std::vector<std::int64_t> children) {
    tree_.nodes.push_back(std::move(children));
    return tree_.root();
  }
  /// ids[0] + ids[1] + ..., from left to right.
  std::int64_t chain(const std::vector<std::int64_t>& ids) {
    std::int64_t sum = ids.front();
    for (std::size_t i = 1; i < ids.size(); ++i) sum = add({sum, ids[i]});
    return sum;
  }
  const SummationTree& tree() const { return tree_; }

 private:
  SummationTree tree_;
};

}  // namespace wm
