#pragma once
// What matmul and the convolutions share: out = act(alpha sum a b + beta prior + residual z +
// bias).
#include <cstdint>

#include "ops/activation_fn.hpp"
#include "ops/op.hpp"

namespace wm {

struct LinearForm {
  std::int64_t depth = 0;  ///< products summed into one output element at most
  double alpha = 1;
  double beta = 0;
  double residual = 0;
  bool bias = false;
  ActivationFn act = ActivationFn::identity;
  bool wide_reference = false;  ///< f64 operands: the reference computes in long double
};

/// Rounded operations in the accumulation type that a term may pass after its sum is complete, with
/// the rounding of alpha, beta and residual themselves: 1 where the factor is no value of the type,
/// 1 for its multiplication, 1 for each further addition.
double epilogue_roundings(const LinearForm& form, DType acc, DType out);

/// The bound of a linear op's output (ops/bounds.hpp).
BoundRule linear_rule(const LinearForm& form, const Claims& claims, DType out);

/// sup |f'| over the reals (f differentiable but for kinks).
double lipschitz_constant(ActivationFn fn, double alpha, double beta);

}  // namespace wm
