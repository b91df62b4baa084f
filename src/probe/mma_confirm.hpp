#pragma once
// The last word on what was found: random multiplications must come out as the model computes them.
#include "probe/mma_probe.hpp"

namespace wm {

/// A model of this operand alone.
MmaModel model_of_one(const ProbedOperand& found);

/// Compares random multiplications with the model, bit for bit (the sign of zero aside), and notes
/// in `found` how many there were and whether they agree.
void confirm(ProbedOperand& found, const MmaModel& model, const MmaRules& rules,
             const MultiplyTiles& multiply);

}  // namespace wm
