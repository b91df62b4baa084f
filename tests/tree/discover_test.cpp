#include "tree/discover.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tree/host_sums.hpp"

namespace wm {
namespace {

constexpr std::int64_t kExact = 1 << 23;

std::vector<std::int64_t> range(std::int64_t from, std::int64_t to, std::int64_t step = 1) {
  std::vector<std::int64_t> ids;
  for (std::int64_t id = from; step > 0 ? id < to : id > to; id += step) ids.push_back(id);
  return ids;
}

SummationTree discovered(std::int64_t leaves, const HostSum& sum,
                         std::int64_t most_units = kExact) {
  return discover_tree(leaves, most_units, masked(leaves, sum));
}

void expect_found(const SummationTree& want, const HostSum& sum, std::int64_t most_units = kExact) {
  const SummationTree got = discovered(want.leaves, sum, most_units);
  EXPECT_EQ(tree_hash(got), tree_hash(want)) << tree_text(got) << "\nwant " << tree_text(want);
  EXPECT_EQ(tree_depth(got), tree_depth(want));
}

SummationTree chain_tree(const std::vector<std::int64_t>& order) {
  TreeBuilder builder(static_cast<std::int64_t>(order.size()));
  builder.chain(order);
  return builder.tree();
}

/// Ids added in pairs, halves first.
std::int64_t add_pairwise(TreeBuilder& builder, const std::vector<std::int64_t>& ids) {
  if (ids.size() == 1) return ids[0];
  const auto half = ids.begin() + static_cast<std::ptrdiff_t>(ids.size() / 2);
  const std::int64_t left = add_pairwise(builder, {ids.begin(), half});
  const std::int64_t right = add_pairwise(builder, {half, ids.end()});
  return builder.add({left, right});
}

TEST(Discover, Sequential) {
  expect_found(chain_tree(range(0, 500)), [](std::span<const float> x) {
    float sum = 0;
    for (const float term : x) sum += term;
    return sum;
  });
}

TEST(Discover, FusedMultiplyAddsAreAChain) {
  expect_found(chain_tree(range(0, 100)), [](std::span<const float> x) {
    float sum = 0;
    for (const float term : x) sum = std::fma(term / 4, 4.0F, sum);
    return sum;
  });
}

TEST(Discover, FromTheLastTerm) {
  expect_found(chain_tree(range(499, -1, -1)), [](std::span<const float> x) {
    float sum = 0;
    for (std::size_t i = x.size(); i-- > 0;) sum += x[i];
    return sum;
  });
}

TEST(Discover, Pairwise) {
  TreeBuilder builder(77);
  add_pairwise(builder, range(0, 77));
  const std::function<float(std::span<const float>)> pairwise = [&](std::span<const float> x) {
    return x.size() == 1 ? x[0]
                         : pairwise(x.first(x.size() / 2)) + pairwise(x.subspan(x.size() / 2));
  };
  expect_found(builder.tree(), pairwise);
}

TEST(Discover, StridedWays) {
  constexpr std::int64_t kWays = 8, kLeaves = 100;
  TreeBuilder builder(kLeaves);
  std::vector<std::int64_t> ways;
  for (std::int64_t way = 0; way < kWays; ++way)
    ways.push_back(builder.chain(range(way, kLeaves, kWays)));
  builder.chain(ways);
  expect_found(builder.tree(), [](std::span<const float> x) {
    float sums[kWays] = {}, total = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sums[i % kWays] += x[i];
    for (const float sum : sums) total += sum;
    return total;
  });
}

TEST(Discover, WarpButterfly) {
  constexpr std::int64_t kLanes = 32, kLeaves = 128;
  TreeBuilder builder(kLeaves);
  std::vector<std::int64_t> lanes;
  for (std::int64_t lane = 0; lane < kLanes; ++lane)
    lanes.push_back(builder.chain(range(lane, kLeaves, kLanes)));
  for (std::size_t reach = kLanes / 2; reach > 0; reach /= 2)
    for (std::size_t lane = 0; lane < reach; ++lane)
      lanes[lane] = builder.add({lanes[lane], lanes[lane + reach]});
  expect_found(builder.tree(), [](std::span<const float> x) {
    std::vector<float> sums(kLanes, 0.0F), other(kLanes);
    for (std::size_t i = 0; i < x.size(); ++i) sums[i % kLanes] += x[i];
    for (std::size_t mask = kLanes / 2; mask > 0; mask /= 2) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) other[lane] = sums[lane ^ mask];
      for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += other[lane];
    }
    return sums[0];
  });
}

TEST(Discover, SplitK) {
  constexpr std::int64_t kSplits = 4, kLeaves = 90, kDepth = 24;
  TreeBuilder builder(kLeaves);
  std::vector<std::int64_t> splits;
  for (std::int64_t split = 0; split < kSplits; ++split)
    splits.push_back(builder.chain(range(split * kDepth, std::min((split + 1) * kDepth, kLeaves))));
  builder.chain(splits);
  expect_found(builder.tree(), [](std::span<const float> x) {
    float total = 0;
    for (std::size_t begin = 0; begin < x.size(); begin += kDepth) {
      float sum = 0;
      for (std::size_t i = begin; i < std::min(begin + kDepth, x.size()); ++i) sum += x[i];
      total += sum;
    }
    return total;
  });
}

TEST(Discover, GroupsOfFusedUnits) {
  for (const std::int64_t products : {4, 8, 16}) {
    TreeBuilder builder(50);
    std::int64_t sum = builder.add(range(0, products));
    for (std::int64_t first = products; first < 50; first += products) {
      std::vector<std::int64_t> group = range(first, std::min<std::int64_t>(first + products, 50));
      group.push_back(sum);
      sum = builder.add(group);
    }
    expect_found(builder.tree(), follow(builder.tree()));
  }
}

TEST(Discover, FewUnitsAtATimeFindTheSameTree) {
  TreeBuilder builder(60);
  add_pairwise(builder, range(0, 60));
  for (const std::int64_t most : {1, 7, 59, 60}) {
    std::int64_t seen = 0;
    const CountUnits count = masked(60, follow(builder.tree()));
    const SummationTree got = discover_tree(60, most, [&](std::span<const MaskedSum> sums) {
      for (const MaskedSum& sum : sums)
        seen = std::max(seen, static_cast<std::int64_t>(sum.units.size()));
      return count(sums);
    });
    EXPECT_EQ(tree_hash(got), tree_hash(builder.tree()));
    EXPECT_LE(seen, most);
  }
}

/// A random tree; with `wide`, nodes of up to five children.
SummationTree random_tree(std::mt19937_64& random, std::int64_t leaves, bool wide) {
  TreeBuilder builder(leaves);
  std::vector<std::int64_t> open = range(0, leaves);
  while (open.size() > 1) {
    std::shuffle(open.begin(), open.end(), random);
    const std::size_t take = std::min<std::size_t>(open.size(), wide ? 2 + random() % 4 : 2);
    std::vector<std::int64_t> children(open.end() - static_cast<std::ptrdiff_t>(take), open.end());
    open.resize(open.size() - take);
    open.push_back(builder.add(children));
  }
  return builder.tree();
}

TEST(Discover, RandomTrees) {
  std::mt19937_64 random(20250701);
  for (int draw = 0; draw < 300; ++draw) {
    const auto leaves = static_cast<std::int64_t>(1 + random() % 64);
    const SummationTree want = random_tree(random, leaves, draw % 2 == 1);
    const auto most = static_cast<std::int64_t>(draw % 3 == 0 ? 1 + random() % 20 : 100);
    expect_found(want, follow(want), most);
    if (HasFailure()) return;
  }
}

TEST(Discover, OneLeafAndNone) {
  const HostSum first = [](std::span<const float> x) { return x[0]; };
  EXPECT_EQ(discovered(1, first).root(), 0);
  EXPECT_EQ(tree_text(discovered(1, first)), "0");
  EXPECT_EQ(tree_text(discovered(0, first)), "empty");
}

/// Discovery and the check of what it found.
void find_and_check(std::int64_t leaves, const HostSum& sum) {
  const CountUnits count = masked(leaves, sum);
  check_tree(discover_tree(leaves, kExact, count), kExact, 64, count);
}

TEST(Discover, TheSumOfTwoOrdersIsRefused) {
  const HostSum both = [](std::span<const float> x) {
    float up = 0, down = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      up += x[i];
      down += x[x.size() - 1 - i];
    }
    return up + down;
  };
  EXPECT_THROW(find_and_check(8, both), NoTreeError);
}

TEST(Discover, AnotherOrderAtEveryCallIsRefused) {
  std::size_t calls = 0;
  const HostSum rotating = [&calls](std::span<const float> x) {
    float sum = 0;
    ++calls;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[(i * 5 + calls) % x.size()];
    return sum;
  };
  EXPECT_THROW(find_and_check(16, rotating), NoTreeError);
}

TEST(Discover, TheCheckAcceptsTheTreeOnly) {
  TreeBuilder builder(40);
  add_pairwise(builder, range(0, 40));
  const CountUnits count = masked(40, follow(builder.tree()));
  for (const std::int64_t most : {1, 16, 100})
    EXPECT_NO_THROW(check_tree(builder.tree(), most, 50, count));
  EXPECT_THROW(check_tree(chain_tree(range(0, 40)), 100, 50, count), NoTreeError);
}

TEST(Discover, OraclePredictsEveryAnswer) {
  std::mt19937_64 random(7);
  const SummationTree tree = random_tree(random, 40, true);
  const TreeOracle oracle(tree);
  const CountUnits count = masked(40, follow(tree));
  const std::vector<std::int64_t> all = range(0, 40), some = range(3, 40, 2);
  for (std::int64_t i = 0; i < 40; ++i)
    for (std::int64_t j = 0; j < 40; ++j) {
      if (i == j) continue;
      const MaskedSum sum{i, j, (i + j) % 2 == 0 ? all : some};
      EXPECT_EQ(oracle.units_left(sum), count(std::span(&sum, 1))[0]);
    }
}

}  // namespace
}  // namespace wm
