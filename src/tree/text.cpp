#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "tree/tree.hpp"

namespace wm {
namespace {

using Ids = std::vector<std::int64_t>;

class Writer {
 public:
  explicit Writer(const SummationTree& tree) : tree_(tree) {
    for (std::int64_t leaf = 0; leaf < tree.leaves; ++leaf) nodes_.push_back({leaf, 0, 0, {}});
    std::map<std::vector<std::pair<std::int64_t, std::int64_t>>, std::int64_t> shapes;
    for (const Ids& children : tree.nodes) {
      Node node{std::numeric_limits<std::int64_t>::max(), 0, 0, children};
      std::sort(node.children.begin(), node.children.end(),
                [this](std::int64_t a, std::int64_t b) { return at(a).first < at(b).first; });
      node.first = at(node.children.front()).first;
      std::vector<std::pair<std::int64_t, std::int64_t>> key;
      for (const std::int64_t child : node.children) {
        node.depth = std::max(node.depth, at(child).depth + 1);
        key.emplace_back(at(child).shape, at(child).first - node.first);
      }
      const auto number = static_cast<std::int64_t>(shapes.size()) + 1;
      node.shape = shapes.emplace(std::move(key), number).first->second;
      nodes_.push_back(std::move(node));
    }
  }

  std::string sum(std::int64_t id) const {
    const std::vector<Ids> terms = terms_of(id);
    std::string text;
    for (std::size_t i = 0; i < terms.size();) {
      const std::size_t run = run_length(terms, i);
      text += (i == 0 ? "" : " + ") + run_text(terms, i, run);
      i += run;
    }
    return text;
  }

 private:
  struct Node {
    std::int64_t first;  ///< smallest leaf
    std::int64_t depth;
    std::int64_t shape;  ///< equal where the trees are equal but for an offset of the leaves
    Ids children;        ///< by smallest leaf
  };
  const Node& at(std::int64_t id) const { return nodes_[static_cast<std::size_t>(id)]; }

  /// What is added from left to right: the first term, then what joins the sum so far. More than
  /// one id: added at once.
  std::vector<Ids> terms_of(std::int64_t id) const {
    std::vector<Ids> terms;
    while (!tree_.is_leaf(id)) {
      const Node& node = at(id);
      const auto main = std::max_element(
          node.children.begin(), node.children.end(),
          [this](std::int64_t a, std::int64_t b) { return at(a).depth < at(b).depth; });
      const bool twins = node.children.size() == 2 && at(*main).depth > 0 &&
                         at(node.children[0]).shape == at(node.children[1]).shape;
      const bool all_at_once = node.children.size() > 2 && at(*main).depth == 0;
      if (all_at_once) {
        terms.push_back(node.children);
        std::reverse(terms.begin(), terms.end());
        return terms;
      }
      Ids rest;
      for (auto child = node.children.begin(); child != node.children.end(); ++child)
        if (child != main) rest.push_back(*child);
      terms.push_back(std::move(rest));
      id = *main;
      if (twins) break;
    }
    terms.push_back({id});
    std::reverse(terms.begin(), terms.end());
    return terms;
  }

  bool same_shape(const Ids& a, const Ids& b, std::int64_t offset) const {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (at(a[i]).shape != at(b[i]).shape || at(b[i]).first - at(a[i]).first != offset)
        return false;
    return true;
  }

  /// How many terms from `begin` on differ by a constant offset of their leaves only.
  std::size_t run_length(const std::vector<Ids>& terms, std::size_t begin) const {
    if (begin + 1 >= terms.size()) return 1;
    const std::int64_t offset = step(terms, begin);
    std::size_t end = begin + 1;
    while (end < terms.size() && same_shape(terms[end - 1], terms[end], offset)) ++end;
    const bool two_leaves =
        end - begin == 2 && terms[begin].size() == 1 && tree_.is_leaf(terms[begin][0]);
    return two_leaves ? 1 : end - begin;
  }
  std::int64_t step(const std::vector<Ids>& terms, std::size_t begin) const {
    return at(terms[begin + 1][0]).first - at(terms[begin][0]).first;
  }

  static std::string range(std::int64_t from, std::int64_t to, std::int64_t step) {
    return std::to_string(from) + ".." + std::to_string(to) +
           (step == 1 ? "" : "/" + std::to_string(step));
  }

  std::string run_text(const std::vector<Ids>& terms, std::size_t begin, std::size_t run) const {
    const Ids& term = terms[begin];
    if (run == 1) return term_text(term);
    const std::int64_t offset = step(terms, begin);
    if (term.size() == 1 && tree_.is_leaf(term[0]))
      return range(term[0], terms[begin + run - 1][0], offset);
    return term_text(term) + "x" + std::to_string(run) + "@" + std::to_string(offset);
  }

  std::string term_text(const Ids& term) const {
    if (term.size() > 1) return "{" + items(term) + "}";
    return tree_.is_leaf(term[0]) ? std::to_string(term[0]) : "(" + sum(term[0]) + ")";
  }

  /// A comma list with runs of leaves as ranges.
  std::string items(const Ids& ids) const {
    std::string text;
    for (std::size_t i = 0; i < ids.size();) {
      std::size_t end = i + 1;
      if (tree_.is_leaf(ids[i]))
        while (end < ids.size() && ids[end] == ids[end - 1] + 1) ++end;
      if (end - i == 2) end = i + 1;
      const std::string item = end - i > 1 ? range(ids[i], ids[end - 1], 1) : term_text({ids[i]});
      text += (i == 0 ? "" : ",") + item;
      i = end;
    }
    return text;
  }

  const SummationTree& tree_;
  std::vector<Node> nodes_;
};

}  // namespace

std::string tree_text(const SummationTree& tree) {
  return tree.leaves == 0 ? "empty" : Writer(tree).sum(tree.root());
}

}  // namespace wm
