#include "probe/mma_probe.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "core/float_types.hpp"
#include "emu/mma_models.hpp"

namespace wm {
namespace {

constexpr std::array<MmaOperand, 5> kOperands{MmaOperand::f16, MmaOperand::bf16, MmaOperand::tf32,
                                              MmaOperand::e4m3, MmaOperand::e5m2};

std::uint32_t bits_of(MmaOperand operand, double value) {
  if (operand == MmaOperand::f16) return f16_bits(value);
  if (operand == MmaOperand::bf16) return bf16_bits(value);
  if (operand == MmaOperand::e4m3) return e4m3_bits(value);
  if (operand == MmaOperand::e5m2) return e5m2_bits(value);
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

/// A tensor core of that model. The prober sees results only.
MultiplyTiles hardware(const MmaModel& model, const std::array<MmaRules, kMmaOperands>& rules) {
  return [&model, rules](MmaOperand operand, std::span<const MmaTile> tiles) {
    std::vector<MmaResult> results;
    for (const MmaTile& tile : tiles) {
      emu::MmaMatrices m;
      m.depth = mma_depth(operand);
      const auto depth = static_cast<std::size_t>(m.depth);
      for (std::size_t at = 0; at < 16 * depth; ++at)
        m.a[at / depth][at % depth] = bits_of(operand, tile.a[at]);
      for (std::size_t at = 0; at < depth * 8; ++at)
        m.b[at / 8][at % 8] = bits_of(operand, tile.b[at]);
      for (std::size_t at = 0; at < 128; ++at)
        m.c[at / 8][at % 8] = std::bit_cast<std::uint32_t>(tile.c[at]);
      const bool widened = model.fp8_by_f16 && depth == 32;
      emu::multiply_accumulate(
          model, rules[static_cast<std::size_t>(widened ? MmaOperand::f16 : operand)], operand, m);
      MmaResult result;
      for (std::size_t at = 0; at < 128; ++at)
        result[at] = std::bit_cast<float>(m.c[at / 8][at % 8]);
      results.push_back(result);
    }
    return results;
  };
}

std::string text(const ProbedOperand& p) {
  return std::string(name_of(p.operand)) + (p.ieee ? " ieee" : "") + (p.by_f16 ? " by f16" : "") +
         " m " + std::to_string(p.block.products) + " x " + std::to_string(p.block.extra_bits) +
         " fraction " + std::to_string(p.block.fraction_bits) + " terms " +
         std::string(name_of(p.rules.terms)) + " sum " + std::string(name_of(p.rules.sum)) +
         " subnormals " + std::string(name_of(p.rules.subnormals)) + " " + p.unexplained;
}

std::string text(MmaOperand operand, const MmaBlock& block, const MmaRules& rules) {
  ProbedOperand p;
  p.operand = operand;
  p.block = block;
  p.rules = rules;
  return text(canonical(p));
}

TEST(MmaProbe, PublishedModels) {
  for (const MmaModel& model : kMmaModels) {
    if (model.ieee) continue;
    const auto found = probe_mma(
        [&](MmaOperand operand) { return model.block(operand).published(); }, hardware(model, {}));
    for (const ProbedOperand& each : found) {
      if (each.by_f16) {
        EXPECT_TRUE(model.fp8_by_f16) << model.name;
        EXPECT_TRUE(each.explained());
        continue;
      }
      EXPECT_EQ(text(each), text(each.operand, model.block(each.operand), {})) << model.name;
      EXPECT_GT(each.outputs, 1000);
    }
    EXPECT_EQ(model_of(found, "found", "").model.fp8_by_f16, model.fp8_by_f16) << model.name;
  }
}

TEST(MmaProbe, AChainOfFusedMultiplyAdds) {
  const MmaModel& model = mma_model("ieee");
  const auto found = probe_mma([](MmaOperand) { return true; }, hardware(model, {}));
  ASSERT_EQ(found.size(), kOperands.size());
  for (const ProbedOperand& each : found) EXPECT_TRUE(each.ieee && each.explained()) << text(each);
  EXPECT_TRUE(model_of(found, "found", "").model.ieee);
}

/// A model that nobody published.
OwnMmaModel drawn(std::mt19937_64& random) {
  OwnMmaModel own;
  for (const MmaOperand operand : kOperands) {
    const auto at = static_cast<std::size_t>(operand);
    MmaBlock& block = own.model.blocks[at];
    do block.products = 4 << random() % 4;
    while (block.products > mma_depth(operand));
    block.extra_bits = static_cast<int>(random() % 14) - 10;
    block.fraction_bits = random() % 2 == 0 ? 23 : std::min(23, 23 + block.extra_bits);
    own.rules[at] = {random() % 2 == 0 ? MmaRounding::truncate : MmaRounding::nearest,
                     random() % 2 == 0 ? MmaRounding::truncate : MmaRounding::nearest,
                     static_cast<MmaSubnormals>(random() % 3)};
  }
  return own;
}

TEST(MmaProbe, ModelsDrawnAtRandom) {
  std::mt19937_64 random(42);
  for (int draw = 0; draw < 24; ++draw) {
    const OwnMmaModel own = drawn(random);
    const MultiplyTiles multiply = hardware(own.model, own.rules);
    for (const ProbedOperand& each : probe_mma([](MmaOperand) { return true; }, multiply)) {
      const auto at = static_cast<std::size_t>(each.operand);
      EXPECT_EQ(text(each), text(each.operand, own.model.blocks[at], own.rules[at]))
          << "draw " << draw;
    }
    if (HasFailure()) return;
  }
}

TEST(MmaProbe, WhatFitsNoModelIsSaid) {
  OwnMmaModel own;
  own.model.blocks[0] = {8, 1};
  const MultiplyTiles plain = hardware(own.model, own.rules);
  // Negative results lose their last bit: no rounding of the form known.
  const MultiplyTiles broken = [&](MmaOperand operand, std::span<const MmaTile> tiles) {
    std::vector<MmaResult> results = plain(operand, tiles);
    for (MmaResult& result : results)
      for (float& value : result)
        if (value < 0) value = std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & ~1U);
    return results;
  };
  const ProbedOperand found = probe_operand(MmaOperand::f16, broken);
  EXPECT_FALSE(found.explained());
  EXPECT_FALSE(model_of({found}, "found", "").model.block(MmaOperand::f16).published());

  // Products in another order: the groups are no neighbours.
  const MultiplyTiles shuffled = [&](MmaOperand operand, std::span<const MmaTile> tiles) {
    std::vector<MmaTile> moved(tiles.begin(), tiles.end());
    for (std::size_t t = 0; t < moved.size(); ++t)
      for (std::size_t k = 0; k < 16; ++k) {
        for (std::size_t i = 0; i < 16; ++i)
          moved[t].a[i * 16 + k] = tiles[t].a[i * 16 + k * 5 % 16];
        for (std::size_t j = 0; j < 8; ++j) moved[t].b[k * 8 + j] = tiles[t].b[k * 5 % 16 * 8 + j];
      }
    return plain(operand, moved);
  };
  EXPECT_NE(probe_operand(MmaOperand::f16, shuffled).unexplained.find("neighbours"),
            std::string::npos);
}

}  // namespace
}  // namespace wm
