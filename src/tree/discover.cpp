#include "tree/discover.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace wm {
namespace {

/// A pseudo-random choice that is the same on every run: a pivot in the middle of a chain halves
/// it, whichever end the sum begins at.
std::size_t scatter(std::uint64_t value, std::size_t count) {
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9U;
  value = (value ^ value >> 27) * 0x94d049bb133111ebU;
  return static_cast<std::size_t>((value ^ value >> 31) % count);
}

[[noreturn]] void contradiction(const MaskedSum& sum, std::int64_t left, const std::string& want) {
  throw NoTreeError("no tree of additions: " + std::to_string(left) + " of " +
                    std::to_string(sum.unit_count()) + " units are left with masks at leaves " +
                    std::to_string(sum.plus) + " and " + std::to_string(sum.minus) + want);
}

class Discovery {
 public:
  Discovery(std::int64_t leaves, std::int64_t most_units, const CountUnits& count)
      : most_units_(std::max<std::int64_t>(most_units, 1)), count_(count) {
    tree_.leaves = leaves;
    Task all;
    all.leaves.resize(static_cast<std::size_t>(leaves));
    std::iota(all.leaves.begin(), all.leaves.end(), 0);
    tasks_.push_back(std::move(all));
  }

  SummationTree run() {
    // Level by level, so that the sums of all open tasks go out together.
    for (std::size_t begin = 0; begin < tasks_.size();) {
      const std::size_t end = tasks_.size();
      ask(begin, end);
      begin = end;
    }
    assemble();
    return std::move(tree_);
  }

 private:
  /// Leaves that join the pivot's sum at one of its ancestors.
  struct Group {
    std::size_t task;
    bool at_parent;  ///< at the ancestor where the whole task joins: that node adds several at once
  };
  /// The subtree, or the subtrees under one node, that hold `leaves`.
  struct Task {
    std::vector<std::int64_t> leaves;
    std::int64_t outside = -1;  ///< another leaf under that node; -1: there is none
    std::size_t pivot = 0;      ///< position in `leaves`
    std::vector<std::int64_t> units;
    std::vector<Group> groups;
  };

  void ask(std::size_t begin, std::size_t end) {
    std::vector<MaskedSum> sums;
    for (std::size_t t = begin; t < end; ++t) add_sums(tasks_[t], t, sums);
    if (sums.empty()) return;
    const std::vector<std::int64_t> left = count_(sums);
    std::size_t at = 0;
    for (std::size_t t = begin; t < end; ++t) at = split(t, sums, left, at);
  }

  void add_sums(Task& task, std::size_t number, std::vector<MaskedSum>& sums) const {
    if (task.leaves.size() < 2) return;
    task.pivot = number == 0 ? 0 : scatter(number, task.leaves.size());
    task.units = task.leaves;
    if (task.outside >= 0) task.units.push_back(task.outside);
    const std::span<const std::int64_t> units(task.units);
    const auto chunk = static_cast<std::size_t>(most_units_);
    const std::int64_t pivot = task.leaves[task.pivot];
    for (const std::int64_t leaf : task.leaves)
      for (std::size_t first = 0; leaf != pivot && first < units.size(); first += chunk)
        sums.push_back({pivot, leaf, units.subspan(first, std::min(chunk, units.size() - first))});
  }

  /// Reads the answers of one task from position `at` on and opens the tasks that follow. Returns
  /// the position after them.
  std::size_t split(std::size_t number, const std::vector<MaskedSum>& sums,
                    const std::vector<std::int64_t>& left, std::size_t at) {
    const std::vector<std::int64_t> leaves = tasks_[number].leaves;
    if (leaves.size() < 2) return at;
    const std::int64_t pivot = leaves[tasks_[number].pivot];
    const std::size_t units = tasks_[number].units.size();
    std::map<std::int64_t, std::vector<std::int64_t>> joining;  // by leaves under the ancestor
    for (const std::int64_t leaf : leaves) {
      if (leaf == pivot) continue;
      std::int64_t lost = 2;
      for (std::size_t seen = 0; seen < units; seen += sums[at].units.size(), ++at) {
        const std::int64_t missing = sums[at].unit_count() - left[at];
        if (missing < 0 || left[at] < 0) contradiction(sums[at], left[at], "");
        lost += missing;
      }
      joining[lost].push_back(leaf);
    }
    add_groups(number, pivot, std::move(joining));
    return at;
  }

  void add_groups(std::size_t number, std::int64_t pivot,
                  std::map<std::int64_t, std::vector<std::int64_t>> joining) {
    const auto total = static_cast<std::int64_t>(tasks_[number].leaves.size());
    const std::int64_t outside = tasks_[number].outside;
    std::int64_t size = 1;
    for (auto& [lost, leaves] : joining) {
      size += static_cast<std::int64_t>(leaves.size());
      const bool at_parent = outside >= 0 && size == total && lost == total + 1;
      if (lost != size && !at_parent)
        throw NoTreeError("no tree of additions: " + std::to_string(lost) +
                          " leaves lie under the ancestor of leaves " + std::to_string(pivot) +
                          " and " + std::to_string(leaves.front()) + ", but only " +
                          std::to_string(size) + " meet leaf " + std::to_string(pivot) + " there");
      tasks_[number].groups.push_back({tasks_.size(), at_parent});
      Task next;
      next.leaves = std::move(leaves);
      next.outside = at_parent ? outside : pivot;
      tasks_.push_back(std::move(next));
    }
  }

  /// Tasks follow those that opened them, so the last come first.
  void assemble() {
    std::vector<std::vector<std::int64_t>> subtrees(tasks_.size());
    for (std::size_t t = tasks_.size(); t-- > 0;) {
      const Task& task = tasks_[t];
      if (task.leaves.empty()) continue;
      std::vector<std::int64_t>& own = subtrees[t];
      own = {task.leaves[task.pivot]};
      for (const Group& group : task.groups) {
        std::vector<std::int64_t>& joining = subtrees[group.task];
        own.insert(own.end(), joining.begin(), joining.end());
        joining.clear();
        if (group.at_parent) continue;
        tree_.nodes.push_back(std::move(own));
        own = {tree_.root()};
      }
    }
  }

  std::int64_t most_units_;
  const CountUnits& count_;
  SummationTree tree_;
  std::vector<Task> tasks_;
};

}  // namespace

std::int64_t MaskedSum::unit_count() const {
  return static_cast<std::int64_t>(units.size()) - std::count(units.begin(), units.end(), plus) -
         std::count(units.begin(), units.end(), minus);
}

SummationTree discover_tree(std::int64_t leaves, std::int64_t most_units, const CountUnits& count) {
  return Discovery(leaves, most_units, count).run();
}

void check_tree(const SummationTree& tree, std::int64_t most_units, std::int64_t pairs,
                const CountUnits& count) {
  if (tree.leaves < 2) return;
  const auto leaves = static_cast<std::size_t>(tree.leaves);
  std::vector<std::int64_t> all(leaves);
  std::iota(all.begin(), all.end(), 0);
  const auto chunk =
      std::min(leaves, static_cast<std::size_t>(std::max<std::int64_t>(most_units, 1)));
  std::vector<MaskedSum> sums;
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    const auto seed = static_cast<std::uint64_t>(3 * pair);
    const std::size_t plus = scatter(seed + 1, leaves);
    const std::size_t minus = (plus + 1 + scatter(seed + 2, leaves - 1)) % leaves;
    const std::size_t first = scatter(seed + 3, leaves - chunk + 1);
    sums.push_back(
        {all[plus], all[minus], std::span<const std::int64_t>(all).subspan(first, chunk)});
  }
  const TreeOracle oracle(tree);
  const std::vector<std::int64_t> left = count(sums);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::int64_t want = oracle.units_left(sums[i]);
    if (left[i] != want)
      contradiction(sums[i], left[i], ", not the " + std::to_string(want) + " of the tree found");
  }
}

TreeOracle::TreeOracle(const SummationTree& tree) {
  const auto ids = static_cast<std::size_t>(tree.leaves) + tree.nodes.size();
  parent_.assign(ids, -1);
  begin_.assign(ids, 0);
  end_.assign(ids, 1);
  for (std::size_t id = static_cast<std::size_t>(tree.leaves); id < ids; ++id) {
    end_[id] = 0;
    for (const std::int64_t child : tree.children(static_cast<std::int64_t>(id))) {
      parent_[static_cast<std::size_t>(child)] = static_cast<std::int64_t>(id);
      end_[id] += end_[static_cast<std::size_t>(child)];
    }
  }
  // end_ holds the number of leaves so far; parents hand out intervals to their children.
  for (std::size_t id = ids; id-- > static_cast<std::size_t>(tree.leaves);) {
    std::int64_t at = begin_[id];
    end_[id] += at;
    for (const std::int64_t child : tree.children(static_cast<std::int64_t>(id))) {
      begin_[static_cast<std::size_t>(child)] = at;
      at += end_[static_cast<std::size_t>(child)];
    }
  }
  for (std::size_t leaf = 0; leaf < static_cast<std::size_t>(tree.leaves); ++leaf)
    end_[leaf] = begin_[leaf] + 1;
}

std::int64_t TreeOracle::units_left(const MaskedSum& sum) const {
  const auto position = [this](std::int64_t leaf) {
    return begin_[static_cast<std::size_t>(leaf)];
  };
  std::int64_t meet = sum.plus;
  const auto covers = [&](std::int64_t leaf) {
    return position(leaf) >= position(meet) &&
           position(leaf) < end_[static_cast<std::size_t>(meet)];
  };
  while (!covers(sum.minus)) meet = parent_[static_cast<std::size_t>(meet)];
  return static_cast<std::int64_t>(std::count_if(
      sum.units.begin(), sum.units.end(),
      [&](std::int64_t leaf) { return leaf != sum.plus && leaf != sum.minus && !covers(leaf); }));
}

}  // namespace wm
