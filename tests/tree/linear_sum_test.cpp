#include "tree/linear_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "ops/conv.hpp"
#include "ops/matmul.hpp"

namespace wm {
namespace {

Problem problem_of(const std::string& op, const KeyValues& keys) {
  return find_op(op)->resolve(keys);
}

/// Product (element of the first factor, of the second, of the output) of a linear op, by its
/// definition.
struct Product {
  std::int64_t carrier, constant, output;
};

std::vector<Product> matmul_products(const MatmulProblem& p, bool a_carries) {
  std::vector<Product> all;
  for (std::int64_t b = 0; b < p.batch; ++b)
    for (std::int64_t i = 0; i < p.m; ++i)
      for (std::int64_t j = 0; j < p.n; ++j)
        for (std::int64_t k = 0; k < p.k; ++k) {
          const std::int64_t a = b * p.m * p.k + (p.transpose_a ? k * p.m + i : i * p.k + k);
          const std::int64_t c = b * p.n * p.k + (p.transpose_b ? j * p.k + k : k * p.n + j);
          all.push_back({a_carries ? a : c, a_carries ? c : a, (b * p.m + i) * p.n + j});
        }
  return all;
}

std::vector<Product> conv_products(const ConvProblem& p) {
  std::vector<Product> all;
  const std::int64_t cg = p.c_per_group(), kg = p.k_per_group();
  for (std::int64_t n = 0; n < p.n; ++n)
    for (std::int64_t k = 0; k < p.k; ++k)
      for (std::int64_t c = 0; c < cg; ++c)
        for (std::int64_t y = 0; y < p.out[1]; ++y)
          for (std::int64_t x = 0; x < p.out[2]; ++x)
            for (std::int64_t r = 0; r < p.filter[1]; ++r)
              for (std::int64_t s = 0; s < p.filter[2]; ++s) {
                const std::int64_t h = y * p.stride[1] + r * p.dilation[1] - p.pad_begin[1];
                const std::int64_t w = x * p.stride[2] + s * p.dilation[2] - p.pad_begin[2];
                if (h < 0 || h >= p.in[1] || w < 0 || w >= p.in[2]) continue;
                const std::int64_t row = p.flip ? p.filter[1] - 1 - r : r;
                const std::int64_t col = p.flip ? p.filter[2] - 1 - s : s;
                const std::int64_t in = ((n * p.c + k / kg * cg + c) * p.in[1] + h) * p.in[2] + w;
                const std::int64_t tap = ((k * cg + c) * p.filter[1] + row) * p.filter[2] + col;
                const std::int64_t out = ((n * p.k + k) * p.out[1] + y) * p.out[2] + x;
                if (p.direction == ConvDirection::fwd)
                  all.push_back({tap, in, out});
                else if (p.direction == ConvDirection::bwd_data)
                  all.push_back({tap, out, in});
                else
                  all.push_back({out, in, tap});
              }
  return all;
}

/// Each lane's outputs sum the products of its leaves, each once, and no other element of theirs.
void check_against(const Problem& problem, const std::vector<Product>& products) {
  const LinearSum sum = linear_sum(problem);
  std::vector<std::multiset<std::int64_t>> carriers(
      static_cast<std::size_t>(problem.tensor(sum.output).elements()));
  std::size_t longest = 0;
  for (const Product& product : products)
    carriers[static_cast<std::size_t>(product.output)].insert(product.carrier);
  for (const auto& each : carriers) longest = std::max(longest, each.size());
  ASSERT_EQ(sum.leaves, static_cast<std::int64_t>(longest));
  std::set<std::int64_t> taken;
  for (std::int64_t lane = 0; lane < sum.lanes; ++lane) {
    std::multiset<std::int64_t> own;
    for (std::int64_t leaf = 0; leaf < sum.leaves; ++leaf) {
      own.insert(sum.element(lane, leaf));
      EXPECT_TRUE(taken.insert(sum.element(lane, leaf)).second) << "shared by two leaves";
    }
    for (std::int64_t replica = 0; replica < sum.replicas; ++replica)
      EXPECT_EQ(carriers[static_cast<std::size_t>(sum.result(lane, replica))], own);
  }
}

TEST(LinearSum, Matmul) {
  for (const char* transpose : {"0", "1"})
    for (const bool rows : {true, false}) {
      const Problem problem = problem_of("matmul", {{"m", rows ? "5" : "3"},
                                                    {"n", rows ? "4" : "6"},
                                                    {"k", "7"},
                                                    {"batch", "2"},
                                                    {"transpose_a", transpose},
                                                    {"transpose_b", transpose}});
      EXPECT_EQ(linear_sum(problem).carrier, rows ? "a" : "b");
      check_against(problem, matmul_products(problem.as<MatmulProblem>(), rows));
    }
}

TEST(LinearSum, Convolutions) {
  std::mt19937 random(5);
  const auto draw = [&](int lo, int hi) {
    return std::to_string(lo + static_cast<int>(random() % static_cast<unsigned>(hi - lo + 1)));
  };
  for (int i = 0; i < 60; ++i) {
    const bool groups = random() % 2 == 0;
    for (const char* op : {"conv_fwd", "conv_bwd_data", "conv_bwd_filter"}) {
      const Problem problem =
          problem_of(op, {{"n", draw(1, 2)},
                          {"c", groups ? "4" : draw(1, 3)},
                          {"k", groups ? "6" : draw(1, 3)},
                          {"groups", groups ? "2" : "1"},
                          {"h", draw(5, 8)},
                          {"w", draw(5, 7)},
                          {"r", draw(1, 3)},
                          {"s", draw(1, 3)},
                          {"pad", draw(0, 2)},
                          {"stride", draw(1, 2)},
                          {"dil", draw(1, 2)},
                          {"mode", random() % 2 == 0 ? "cross_correlation" : "convolution"}});
      check_against(problem, conv_products(problem.as<ConvProblem>()));
      if (HasFailure()) return;
    }
  }
}

TEST(LinearSum, OnlyPlainSumsHaveATree) {
  const auto reason = [](const std::string& op, KeyValues keys) {
    return why_no_tree(problem_of(op, keys), Claims{});
  };
  const KeyValues plain{{"m", "2"}, {"n", "2"}, {"k", "2"}};
  const auto with = [&](const char* key, const char* value) {
    KeyValues keys = plain;
    keys.emplace_back(key, value);
    return reason("matmul", keys);
  };
  EXPECT_EQ(reason("matmul", plain), "");
  EXPECT_NE(with("alpha", "2").find("alpha=2"), std::string::npos);
  EXPECT_NE(with("beta", "1").find("beta=1"), std::string::npos);
  EXPECT_NE(with("epilogue", "relu").find("epilogue"), std::string::npos);
  EXPECT_NE(reason("softmax_fwd", {{"n", "2"}, {"c", "3"}}).find("not linear"), std::string::npos);
  Claims transform;
  transform.error_formula = "winograd";
  EXPECT_NE(why_no_tree(problem_of("matmul", plain), transform).find("transform"),
            std::string::npos);
}

TEST(MaskScale, ValuesAreExactAndUnitsVanish) {
  for (const DType type : {DType::f64, DType::f32, DType::f16, DType::bf16})
    for (const DType out : {type, DType::f32}) {
      const DType acc = type == DType::f64 ? DType::f64 : DType::f32;
      const MaskScale scale = mask_scale(type, acc, out);
      for (const double value : {scale.mask, scale.unit, scale.constant})
        EXPECT_EQ(round_to(type, value), value) << name_of(type);
      const double unit = scale.unit * scale.constant, mask = scale.mask * scale.constant;
      const auto most = static_cast<double>(scale.most_units);
      EXPECT_GE(scale.most_units, type == DType::bf16 && out == type ? 256 : 2048);
      EXPECT_EQ(round_to(acc, mask + most * unit), mask);
      EXPECT_EQ(round_to(out, most * unit), most * unit);
      EXPECT_EQ(round_to(out, (most - 1) * unit), (most - 1) * unit);
      EXPECT_LT(mask * 2, info(acc).max_finite);
    }
}

}  // namespace
}  // namespace wm
