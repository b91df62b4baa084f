#pragma once
// d = a b + c of one mma.sync, in the arithmetic of a model (core/mma_model.hpp).
#include <array>
#include <cstdint>

#include "core/mma_model.hpp"
#include "core/mma_rules.hpp"

namespace wm::emu {

/// Bit patterns of a (16 x depth), b (depth x 8) and the accumulators c (16 x 8), which become d.
/// Accumulators are f32, or s32 for integer operands.
struct MmaMatrices {
  int depth = 0;
  std::array<std::array<std::uint32_t, 32>, 16> a;
  std::array<std::array<std::uint32_t, 8>, 32> b;
  std::array<std::array<std::uint32_t, 8>, 16> c;
};

/// Whether the model says what this operand's mma.sync computes.
bool has_mma(const MmaModel& model, MmaOperand operand);

/// Replaces c by a b + c. NaN comes out as 0x7fffffff; integers wrap.
/// Subnormal operands keep the exponent of the smallest normal number when terms are aligned; a
/// zero takes no part in the choice of the largest exponent. `has_mma` holds.
void multiply_accumulate(const MmaModel& model, MmaOperand operand, MmaMatrices& matrices);

/// The same under given rules: those of the operand, of f16 where the model widens fp8 to it.
void multiply_accumulate(const MmaModel& model, const MmaRules& rules, MmaOperand operand,
                         MmaMatrices& matrices);

}  // namespace wm::emu
