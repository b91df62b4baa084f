// Closed forms of the rules that no published model has (core/mma_rules.hpp).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "core/error.hpp"
#include "core/float_types.hpp"
#include "emu/mma_models.hpp"

namespace wm {
namespace {

/// c + sum of a b, f16 operands, under one block and its rules.
float sum_of(const MmaBlock& block, const MmaRules& rules, float c,
             const std::vector<std::pair<double, double>>& products) {
  MmaModel model{};
  model.blocks[0] = block;
  emu::MmaMatrices m{};
  m.depth = 16;
  for (std::size_t k = 0; k < products.size(); ++k) {
    m.a[0][k] = f16_bits(products[k].first);
    m.b[k][0] = f16_bits(products[k].second);
  }
  m.c[0][0] = std::bit_cast<std::uint32_t>(c);
  emu::multiply_accumulate(model, rules, MmaOperand::f16, m);
  return std::bit_cast<float>(m.c[0][0]);
}

constexpr MmaRules kNearestTerms{MmaRounding::nearest, MmaRounding::truncate,
                                 MmaSubnormals::minimum};
constexpr MmaRules kNearestSum{MmaRounding::truncate, MmaRounding::nearest, MmaSubnormals::minimum};

TEST(MmaRules, TermsAreRoundedInTheAlignment) {
  // 2^10 - 2^10 + t with ten fraction bits beside 2^10: units of one.
  const MmaBlock block{8, -13};
  const auto beside = [&](const MmaRules& rules, double t) {
    return sum_of(block, rules, 0, {{1024, 1}, {-1024, 1}, {t, 1}});
  };
  for (const auto& [t, cut, nearest] :
       {std::tuple{1.75, 1.0, 2.0}, {1.5, 1.0, 2.0}, {2.5, 2.0, 2.0}, {0.5, 0.0, 0.0}}) {
    EXPECT_EQ(beside({}, t), cut);
    EXPECT_EQ(beside(kNearestTerms, t), nearest);
    EXPECT_EQ(beside({}, -t), -cut);
    EXPECT_EQ(beside(kNearestTerms, -t), -nearest);
  }
}

TEST(MmaRules, SumsAreRoundedToTheAccumulator) {
  // 1 + 1 + 3 2^-23: two fraction bits too many for 23 of the sum.
  const MmaBlock block{8, 1};
  const double unit = 0x1p-12;
  const std::vector<std::pair<double, double>> products{{1, 1}, {unit, 3 * 0x1p-11}};
  EXPECT_EQ(sum_of(block, {}, 1, products), 2 + 0x1p-22F);
  EXPECT_EQ(sum_of(block, kNearestSum, 1, products), 2 + 0x1p-21F);
  // A narrow accumulator: 13 fraction bits of 1 + 2^-13 + 2^-14.
  EXPECT_EQ(sum_of({8, 1, 13}, {}, 1, {{0x1p-13, 1.5}}), 1 + 0x1p-13F);
  EXPECT_EQ(sum_of({8, 1, 13}, kNearestSum, 1, {{0x1p-13, 1.5}}), 1 + 0x1p-12F);
}

TEST(MmaRules, SubnormalOperands) {
  // 2^-15 2^10 is aligned as 2^-4 or 2^-5, beside t = 2^-5 - 24 bits below.
  const MmaBlock block{8, 1};
  const std::vector<std::pair<double, double>> products{{0x1p-15, 1024}, {-0x1p-15, 1024}};
  const auto with = [&](MmaSubnormals subnormals, float c) {
    return sum_of(block, {MmaRounding::truncate, MmaRounding::truncate, subnormals}, c, products);
  };
  EXPECT_EQ(with(MmaSubnormals::minimum, 0x1p-28F), 0x1p-28F);
  EXPECT_EQ(with(MmaSubnormals::minimum, 0x1p-29F), 0);
  EXPECT_EQ(with(MmaSubnormals::normalised, 0x1p-29F), 0x1p-29F);
  EXPECT_EQ(with(MmaSubnormals::normalised, 0x1p-30F), 0);
  EXPECT_EQ(with(MmaSubnormals::flush, 0x1p-60F), 0x1p-60F);
  EXPECT_EQ(sum_of(block, {}, 0, {{0x1p-15, 1}}), 0x1p-15F);
  EXPECT_EQ(sum_of(block, {MmaRounding::truncate, MmaRounding::truncate, MmaSubnormals::flush}, 0,
                   {{0x1p-15, 1}, {0x1p-14, 1}}),
            0x1p-14F);
}

TEST(MmaRules, AddedModelsAreFoundByName) {
  OwnMmaModel own;
  own.name = "added_by_a_test";
  own.model.blocks[0] = {2, 3};
  own.rules[0] = kNearestSum;
  add_mma_model(own);
  const MmaModel& found = mma_model("added_by_a_test");
  EXPECT_EQ(found.block(MmaOperand::f16).products, 2);
  EXPECT_EQ(mma_rules(found, MmaOperand::f16), kNearestSum);
  EXPECT_EQ(mma_rules(found, MmaOperand::bf16), MmaRules{});
  EXPECT_EQ(mma_rules(mma_model("h100"), MmaOperand::f16), MmaRules{});
  own.model.blocks[0].products = 4;
  add_mma_model(own);
  EXPECT_EQ(mma_model("added_by_a_test").block(MmaOperand::f16).products, 4);
  EXPECT_EQ(found.block(MmaOperand::f16).products, 2) << "devices keep what they were given";
  own.name = "h100";
  EXPECT_THROW(add_mma_model(own), UsageError);
}

}  // namespace
}  // namespace wm
