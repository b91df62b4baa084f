#include "probe/mma_confirm.hpp"

#include <bit>

#include "core/float_types.hpp"
#include "emu/mma_models.hpp"
#include "probe/mma_inputs.hpp"

namespace wm {
namespace {

/// Multiplications to be reproduced, 128 outputs each.
constexpr int kConfirmingTiles = 32;

std::uint32_t bits_of(MmaOperand operand, double value) {
  switch (operand) {
    case MmaOperand::f16:
      return f16_bits(value);
    case MmaOperand::bf16:
      return bf16_bits(value);
    case MmaOperand::e4m3:
      return e4m3_bits(value);
    case MmaOperand::e5m2:
      return e5m2_bits(value);
    case MmaOperand::tf32:
    case MmaOperand::s8:
      break;
  }
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

MmaResult modelled(const MmaModel& model, const MmaRules& rules, MmaOperand operand,
                   const MmaTile& tile) {
  emu::MmaMatrices m;
  m.depth = mma_depth(operand);
  const auto depth = static_cast<std::size_t>(m.depth);
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t k = 0; k < depth; ++k) m.a[i][k] = bits_of(operand, tile.a[i * depth + k]);
  for (std::size_t k = 0; k < depth; ++k)
    for (std::size_t j = 0; j < 8; ++j) m.b[k][j] = bits_of(operand, tile.b[k * 8 + j]);
  for (std::size_t i = 0; i < 128; ++i) m.c[i / 8][i % 8] = std::bit_cast<std::uint32_t>(tile.c[i]);
  emu::multiply_accumulate(model, rules, operand, m);
  MmaResult result;
  for (std::size_t i = 0; i < 128; ++i) result[i] = std::bit_cast<float>(m.c[i / 8][i % 8]);
  return result;
}

}  // namespace

MmaModel model_of_one(const ProbedOperand& found) {
  MmaModel model{};
  model.ieee = found.ieee;
  model.blocks[static_cast<std::size_t>(found.operand)] = found.block;
  return model;
}

void confirm(ProbedOperand& found, const MmaModel& model, const MmaRules& rules,
             const MultiplyTiles& multiply) {
  const std::vector<MmaTile> tiles = random_tiles(found.operand, kConfirmingTiles);
  const std::vector<MmaResult> got = multiply(found.operand, tiles);
  found.outputs = found.differing = 0;
  for (std::size_t t = 0; t < tiles.size(); ++t) {
    const MmaResult want = modelled(model, rules, found.operand, tiles[t]);
    for (std::size_t i = 0; i < want.size(); ++i, ++found.outputs)
      if (!(got[t][i] == want[i])) ++found.differing;
  }
  found.unexplained = found.differing == 0
                          ? ""
                          : std::to_string(found.differing) + " of " +
                                std::to_string(found.outputs) +
                                " outputs of random multiplications differ from the model found";
}

}  // namespace wm
