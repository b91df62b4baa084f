#pragma once
// d[b,m,n] = act(alpha sum_k a[b,m,k] b[b,k,n] + beta c[b,m,n] + bias[n]), row-major.
#include <cstdint>

#include "ops/activation_fn.hpp"
#include "ops/op.hpp"

namespace wm {

struct MatmulProblem {
  std::int64_t batch = 1, m = 1, n = 1, k = 1;
  bool transpose_a = false;  ///< a is [batch, k, m]
  bool transpose_b = false;  ///< b is [batch, n, k]
  double alpha = 1, beta = 0;
  bool bias = false;  ///< epilogue bias, bias_relu, bias_gelu
  ActivationFn act = ActivationFn::identity;
};

}  // namespace wm
