#pragma once
// Convolution references over the typed problem and plain arrays in logical order (n, c, d, h, w
// and k, c/g, t, r, s). With flipped taps where p.flip:
//   fwd        y[n,k,o]  = act(alpha sum_{c,t} x[n, c, o*stride + t*dil - pad] w[k,c,t]
//                              + beta prior + residual z + bias[k])
//   bwd_data   dx[n,c,i] = alpha sum_{k,t,o: o*stride + t*dil - pad = i} dy[n,k,o] w[k,c,t] + beta
//   prior bwd_filter dw[k,c,t] = alpha sum_{n,o} dy[n,k,o] x[n, c, o*stride + t*dil - pad] + beta
//   prior
// Positions outside the image are absent from the sums (an infinite weight on padding adds
// nothing). magnitude = |alpha| sum |a||b| + |beta prior| + |residual z| + |bias|, before the
// activation.
#include <span>

#include "ops/conv.hpp"
#include "reference/sums.hpp"

namespace wm {

struct ConvArrays {
  std::span<const double> x, w, dy;  ///< the two factors of the direction
  std::span<const double> prior;     ///< y_in, dx_in, dw_in; empty where beta == 0
  std::span<const double> z, bias;   ///< empty where the problem has none
};

/// `wide`: accumulate in long double (float64 problems).
ValuesAndMagnitudes conv_reference(const ConvProblem& problem, const ConvArrays& arrays, bool wide);

}  // namespace wm
