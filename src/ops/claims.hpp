#pragma once
// What an algorithm promises about its arithmetic. Claims make the error bounds and are what the
// toolkit tests; a changed claim is a change that `compare` reports.
#include <string>

#include "core/dtype.hpp"
#include "core/mma_model.hpp"

namespace wm {

struct Claims {
  DType acc = DType::f32;
  /// Height of the summation tree: the largest number of rounded additions (a fused multiply-add
  /// counts once, a separate product once more) between a product and the finished sum. May be
  /// smaller than the depth (n/w + log2 w for w-way sums). 0 where nothing is summed.
  double tree_height = 0;
  /// Name of an error formula in the op's reference where a summation tree does not describe the
  /// algorithm ("online" for one-pass softmax); empty: the tree.
  std::string error_formula;
  /// Empty: the same bits on every run under any schedule. Otherwise the reason they may differ,
  /// for this problem ("atomicAdd of 4 partial sums an output").
  std::string nondeterministic;
  /// Additions an output receives by float atomics on global memory, which flush subnormal operands
  /// and results to zero (CUDA C++ Programming Guide, atomicAdd).
  double flushing_additions = 0;
  bool batch_invariant = true;
  bool bit_twin = true;  ///< same bits on a GPU and on the emulator
  /// Tensor cores form the sum: the name of their arithmetic model (core/mma_model.hpp), "any"
  /// where the device decides; the runner puts the device's model there. Empty: none.
  std::string tensor_core;
  MmaOperand tensor_core_operand = MmaOperand::f16;
  std::string down_conversion;           ///< "tf32_rounded", "tf32_truncated"; empty: none
  std::string nan_policy = "propagate";  ///< "propagate" or a documented deviation
  double exp_ulp = 2;                    ///< largest error of exp() used, in ulp of acc
  double function_ulp = 4;               ///< largest error of an activation function, ulp of acc

  bool deterministic() const { return nondeterministic.empty(); }
};

}  // namespace wm
