#include <gtest/gtest.h>

#include <numeric>

#include "tree/host_sums.hpp"

namespace wm {
namespace {

std::vector<std::int64_t> range(std::int64_t from, std::int64_t count, std::int64_t step = 1) {
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < count; ++i) ids.push_back(from + i * step);
  return ids;
}

TEST(TreeText, RunsOfLeaves) {
  TreeBuilder up(10), down(4), two(2);
  up.chain(range(0, 10));
  down.chain(range(3, 4, -1));
  two.chain({0, 1});
  EXPECT_EQ(tree_text(up.tree()), "0..9");
  EXPECT_EQ(tree_text(down.tree()), "2 + 3 + 1 + 0");
  EXPECT_EQ(tree_text(two.tree()), "0 + 1");
}

TEST(TreeText, RunsOfSubtrees) {
  TreeBuilder ways(12);
  const std::int64_t a = ways.chain(range(0, 4, 3)), b = ways.chain(range(1, 4, 3)),
                     c = ways.chain(range(2, 4, 3));
  ways.chain({a, b, c});
  EXPECT_EQ(tree_text(ways.tree()), "(0..9/3)x3@1");

  TreeBuilder pairs(8);
  std::vector<std::int64_t> twos;
  for (std::int64_t i = 0; i < 8; i += 2) twos.push_back(pairs.add({i, i + 1}));
  pairs.add({pairs.add({twos[0], twos[1]}), pairs.add({twos[2], twos[3]})});
  EXPECT_EQ(tree_text(pairs.tree()), "((0 + 1)x2@2)x2@4");
}

TEST(TreeText, FusedGroups) {
  TreeBuilder builder(18);
  std::int64_t sum = builder.add(range(0, 8));
  std::vector<std::int64_t> second = range(8, 8);
  second.push_back(sum);
  sum = builder.add(second);
  builder.add({16, 17, sum});
  EXPECT_EQ(tree_text(builder.tree()), "{0..7}x2@8 + {16,17}");
  EXPECT_EQ(widest_node(builder.tree()), 9);
  EXPECT_EQ(tree_depth(builder.tree()), 3);
}

TEST(TreeHash, OrderOfChildrenDoesNotCountLeavesDo) {
  TreeBuilder one(3), same(3), other(3);
  one.add({one.add({0, 1}), 2});
  same.add({2, same.add({1, 0})});
  other.add({other.add({0, 2}), 1});
  EXPECT_EQ(tree_hash(one.tree()), tree_hash(same.tree()));
  EXPECT_NE(tree_hash(one.tree()), tree_hash(other.tree()));
  EXPECT_EQ(tree_hash(one.tree()).size(), 16U);
}

TEST(TreeDot, NamesEveryEdge) {
  TreeBuilder builder(3);
  builder.add({builder.add({0, 1}), 2});
  const std::string dot = tree_dot(builder.tree());
  for (const char* part : {"n0 -> n3;", "n1 -> n3;", "n3 -> n4;", "n2 -> n4;", "label=\"3\""})
    EXPECT_NE(dot.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace wm
