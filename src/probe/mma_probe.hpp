#pragma once
// Infers the arithmetic of a tensor core from the results of directed inputs: how many products
// form a group, with how many bits its terms are aligned, how terms and sums are rounded, and what
// happens to subnormal operands. What was found then has to reproduce random multiplications bit
// for bit. The features, and the idea of telling them apart by single terms, are those of M. Fasi,
// N. J. Higham, M. Mikaitis, S. Pranesh, Numerical behavior of NVIDIA tensor cores, PeerJ Computer
// Science 2021.
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/mma_rules.hpp"

namespace wm {

/// Products of one mma.sync: 16 for f16 and bf16, 8 for tf32, 32 for fp8.
int mma_depth(MmaOperand operand);

/// Operands of one mma.sync, row-major, values that the types hold: a 16 x depth, b depth x 8.
struct MmaTile {
  std::vector<double> a, b;
  std::array<float, 128> c{};
};
using MmaResult = std::array<float, 128>;  ///< d, 16 x 8

/// Computes d = a b + c of tiles on the device in question.
using MultiplyTiles =
    std::function<std::vector<MmaResult>(MmaOperand operand, std::span<const MmaTile> tiles)>;

struct ProbedOperand {
  MmaOperand operand = MmaOperand::f16;
  bool ieee = false;    ///< a chain of fused multiply-adds in f32; block and rules say nothing
  bool by_f16 = false;  ///< widened to f16: its rules are those of f16
  MmaBlock block;
  MmaRules rules;
  std::string unexplained;     ///< why no model of this form fits; empty: one does
  std::int64_t outputs = 0;    ///< of random multiplications compared with the model
  std::int64_t differing = 0;  ///< of those, other than the model's

  bool explained() const { return unexplained.empty(); }
};

/// The form in which two models that no input tells apart are equal: where a group's sum always
/// fits its fraction bits, these are 23 and its rounding `truncate`; groups no larger than one
/// mma.sync.
ProbedOperand canonical(ProbedOperand operand);

/// Probes one operand type.
ProbedOperand probe_operand(MmaOperand operand, const MultiplyTiles& multiply);

/// Probes f16 first, then the others that `has` says the device has. fp8 that fits no model of its
/// own is compared with what widening to f16 would give.
std::vector<ProbedOperand> probe_mma(const std::function<bool(MmaOperand)>& has,
                                     const MultiplyTiles& multiply);

/// The model of everything explained.
OwnMmaModel model_of(const std::vector<ProbedOperand>& operands, std::string name,
                     std::string device);

}  // namespace wm
