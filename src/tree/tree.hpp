#pragma once
// A summation tree: in which order, and with which others, the terms of one sum are added.
#include <cstdint>
#include <string>
#include <vector>

namespace wm {

/// Leaves have the ids 0 .. leaves - 1, nodes[i] the id leaves + i. Children stand before their
/// parents, the root last. A node with more than two children adds them at once (fused units).
struct SummationTree {
  std::int64_t leaves = 0;
  std::vector<std::vector<std::int64_t>> nodes;  ///< ids of the children

  std::int64_t root() const { return leaves + static_cast<std::int64_t>(nodes.size()) - 1; }
  bool is_leaf(std::int64_t id) const { return id < leaves; }
  const std::vector<std::int64_t>& children(std::int64_t id) const {
    return nodes[static_cast<std::size_t>(id - leaves)];
  }
};

/// Additions between the deepest leaf and the root; a node counts once however many it adds.
std::int64_t tree_depth(const SummationTree& tree);

/// Most children of a node; 0 for a single leaf.
std::int64_t widest_node(const SummationTree& tree);

/// 16 hex digits that are equal for equal trees: the order of a node's children does not count
/// (addition commutes), the numbers of the leaves do.
std::string tree_hash(const SummationTree& tree);

/// The tree as a sum, to be read from left to right:
///   0..1023        0 + 1 + ... + 1023, one after the other; 0..1020/4 in steps of 4
///   (T)            T is summed first
///   {0..15}        added at once, with what stands on the left of it
///   (T)x3@8        T + T' + T'', the leaves of each 8 further than those of the one before
std::string tree_text(const SummationTree& tree);

/// Graphviz: leaves as boxes, additions as circles with the number of leaves under them.
std::string tree_dot(const SummationTree& tree);

}  // namespace wm
