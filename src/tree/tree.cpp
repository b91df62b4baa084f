#include "tree/tree.hpp"

#include <algorithm>

#include "core/hash.hpp"

namespace wm {

std::int64_t tree_depth(const SummationTree& tree) {
  std::vector<std::int64_t> depth(static_cast<std::size_t>(tree.leaves) + tree.nodes.size(), 0);
  for (std::int64_t id = tree.leaves; id <= tree.root(); ++id)
    for (const std::int64_t child : tree.children(id))
      depth[static_cast<std::size_t>(id)] =
          std::max(depth[static_cast<std::size_t>(id)], depth[static_cast<std::size_t>(child)] + 1);
  return depth.empty() ? 0 : depth.back();
}

std::int64_t widest_node(const SummationTree& tree) {
  std::size_t widest = 0;
  for (const auto& children : tree.nodes) widest = std::max(widest, children.size());
  return static_cast<std::int64_t>(widest);
}

std::string tree_hash(const SummationTree& tree) {
  constexpr std::size_t kDigits = 16;
  if (tree.leaves == 0) return sha256_hex("empty").substr(0, kDigits);
  std::vector<std::string> hashes;
  for (std::int64_t leaf = 0; leaf < tree.leaves; ++leaf)
    hashes.push_back("leaf " + std::to_string(leaf));
  for (const auto& children : tree.nodes) {
    std::vector<std::string> parts;
    for (const std::int64_t child : children)
      parts.push_back(hashes[static_cast<std::size_t>(child)]);
    std::sort(parts.begin(), parts.end());
    std::string text = "node";
    for (const std::string& part : parts) text += "\n" + part;
    hashes.push_back(sha256_hex(text));
  }
  return sha256_hex(hashes.back()).substr(0, kDigits);
}

std::string tree_dot(const SummationTree& tree) {
  std::vector<std::int64_t> count(static_cast<std::size_t>(tree.leaves), 1);
  std::string text = "digraph summation {\n  rankdir=BT;\n";
  for (std::int64_t leaf = 0; leaf < tree.leaves; ++leaf)
    text += "  n" + std::to_string(leaf) + " [shape=box,label=\"" + std::to_string(leaf) + "\"];\n";
  for (std::int64_t id = tree.leaves; id <= tree.root(); ++id) {
    std::int64_t under = 0;
    std::string edges;
    for (const std::int64_t child : tree.children(id)) {
      under += count[static_cast<std::size_t>(child)];
      edges += "  n" + std::to_string(child) + " -> n" + std::to_string(id) + ";\n";
    }
    count.push_back(under);
    text += "  n" + std::to_string(id) + " [label=\"" + std::to_string(under) + "\"];\n" + edges;
  }
  return text + "}\n";
}

}  // namespace wm
