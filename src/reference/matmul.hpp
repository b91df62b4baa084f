#pragma once
// Matmul reference over plain arrays: d[b,m,n] = act(alpha sum_k a[b,m,k] b[b,k,n] + beta c[b,m,n]
// + bias[n]); a is [batch,k,m] under transpose_a, b is [batch,n,k] under transpose_b. magnitude =
// |alpha| sum |a||b| + |beta c| + |bias|, before the activation.
#include <span>

#include "ops/matmul.hpp"
#include "reference/sums.hpp"

namespace wm {

struct MatmulArrays {
  std::span<const double> a, b;
  std::span<const double> c;     ///< empty where beta == 0
  std::span<const double> bias;  ///< empty where the problem has none
};

/// `wide`: accumulate in long double (float64 problems).
ValuesAndMagnitudes matmul_reference(const MatmulProblem& problem, const MatmulArrays& arrays,
                                     bool wide);

}  // namespace wm
