#pragma once
// Reductions over the 32 lanes of a warp. All lanes take part and all get the result. The butterfly
// has the same shape for every lane, and addition commutes, so every lane gets the same bits.
#include "gpu/language.hpp"
#include "gpu/math.hpp"

namespace wm {

/// Sum over the warp: offsets 16, 8, 4, 2, 1, a tree of height 5.
template <class T>
__device__ inline T warp_sum(T x WM_SITE) {
  WM_UNROLL
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2)
    x = x + __shfl_xor_sync(kFullMask, x, offset, kWarpSize WM_PASS_SITE);
  return x;
}

/// Maximum over the warp (wm::fmax: a NaN loses against a number).
template <class T>
__device__ inline T warp_max(T x WM_SITE) {
  WM_UNROLL
  for (int offset = kWarpSize / 2; offset > 0; offset /= 2)
    x = wm::fmax(x, __shfl_xor_sync(kFullMask, x, offset, kWarpSize WM_PASS_SITE));
  return x;
}

}  // namespace wm
