#pragma once
// Activation references: y = fn(x), and dx = dy fn'(x). Formulas: activation_math.hpp.
// magnitude, forward: function_ulp ulp of the value (an ulp being at most 2 u |value| or one
// subnormal spacing), 0 where the function is exact (relu, identity, the linear branches).
// Backward: |dy| times function_ulp ulp of the derivative, or of the sum of its absolute terms
// where they cancel (gelu, gelu_tanh, swish, mish, hardswish), then the rounding of the product
// with dy. The reference's own error is added; it grows with the exponent t of a tail exp(t).
#include <span>

#include "ops/activation.hpp"
#include "ops/claims.hpp"
#include "reference/sums.hpp"

namespace wm {

struct ActivationArrays {
  std::span<const double> x;
  std::span<const double> dy;  ///< backward
};

/// `wide`: compute in long double (float64 problems).
ValuesAndMagnitudes activation_reference(const ActivationProblem& problem,
                                         const ActivationArrays& arrays, const Claims& claims,
                                         bool wide);

}  // namespace wm
