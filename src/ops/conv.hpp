#pragma once
// Convolution in three directions. y[n,k,p,q] = act(alpha sum_{c,r,s}
// x[n,c,p*u+r*dh-ph,q*v+s*dw-pw] w[k,c,r,s] + beta y_in + residual z + bias[k]); `mode=convolution`
// flips r and s. bwd_data and bwd_filter are its adjoints (alpha and beta only). Spatial arrays are
// (d, h, w); unused leading dimensions are 1 with filter 1, pad 0, stride 1, dilation 1.
#include <array>
#include <cstdint>

#include "ops/activation_fn.hpp"
#include "ops/op.hpp"

namespace wm {

enum class ConvDirection : int { fwd, bwd_data, bwd_filter };

struct ConvProblem {
  ConvDirection direction = ConvDirection::fwd;
  int rank = 2;  ///< spatial dimensions: 1, 2 or 3
  std::int64_t n = 1, c = 1, k = 1, groups = 1;
  std::array<std::int64_t, 3> in{1, 1, 1};      ///< d h w
  std::array<std::int64_t, 3> filter{1, 1, 1};  ///< t r s
  std::array<std::int64_t, 3> out{1, 1, 1};     ///< o p q
  std::array<std::int64_t, 3> pad_begin{0, 0, 0};
  std::array<std::int64_t, 3> pad_end{0, 0, 0};
  std::array<std::int64_t, 3> stride{1, 1, 1};
  std::array<std::int64_t, 3> dilation{1, 1, 1};
  bool flip = false;  ///< mode=convolution
  bool bias = false;
  ActivationFn act = ActivationFn::identity;
  double residual = 0;  ///< factor of z, 0: no z
  double alpha = 1, beta = 0;

  std::int64_t c_per_group() const { return c / groups; }
  std::int64_t k_per_group() const { return k / groups; }
  std::int64_t filter_taps() const { return filter[0] * filter[1] * filter[2]; }
  std::int64_t in_positions() const { return in[0] * in[1] * in[2]; }
  std::int64_t out_positions() const { return out[0] * out[1] * out[2]; }
  /// Products summed into one output element at most: (C/G)*T*R*S, (K/G)*T*R*S, N*O*P*Q.
  std::int64_t depth() const;
};

}  // namespace wm
