#pragma once
// The two standard error bounds and the numbers they are made of (docs/verification.md).
#include <cstdint>

#include "ops/op.hpp"

namespace wm {

/// gamma_n(u) = n u / (1 - n u); infinity where n u >= 1 (Higham, Accuracy and Stability, 3.1).
double gamma_factor(double n, double unit_roundoff);

/// Sums of products with an epilogue: value r, magnitude S = |alpha| sum |a||b| + |beta c| + |bias|
/// + |residual|. B = (1 + u_out) L [gamma_{h+e}(u_acc) (1 + d) + d] S + function error + u_out |r|
/// + underflow + reference error, where e counts the epilogue roundings, d = 2 u_in + u_in^2 where
/// the claims down-convert, L is the Lipschitz constant of the fused activation (`activation_ulp`
/// its own error in ulp of the accumulation type), u_out = 0 where the output type holds every
/// accumulation value. Where tensor cores form the sum (claims.tensor_core), gamma_h is replaced by
/// gamma_{ceil(n/m)}((m + 1) 2^-(23+x) + 2^-23) of their arithmetic model, n the depth: the
/// published ceil(n/m) ((m + 1) 2^-x + 1) 2^-23, with its higher-order terms. `products_per_sum` is
/// the depth; `sum_scale` is |alpha| (it enlarges underflow errors).
BoundRule linear_bound(const Claims& claims, DType out, double epilogue_roundings,
                       double lipschitz = 1, double activation_ulp = 0, double products_per_sum = 0,
                       double sum_scale = 1, double reference_unit = 0x1p-53);

/// Ops whose reference tracks its own error: magnitude is the error before the final rounding.
/// B = (1 + u_out) magnitude + u_out |r| + underflow (u_out counts even where the output conversion
/// is exact: the running error may leave out the last operation).
BoundRule tracked_bound(const Claims& claims, DType out);

}  // namespace wm
