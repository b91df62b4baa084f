#pragma once
// Reductions over a block of a one-dimensional, whole number of warps. All threads call them and
// all get the result, the same bits every time: warps reduce by butterflies, then every thread
// reduces the warps' results in ascending order.
#include "gpu/warp.hpp"

namespace wm {

namespace detail {

template <class T, class Combine>
__device__ inline T block_combine(T warp_result, T* scratch, Combine combine WM_SITE) {
  const int warps = static_cast<int>(blockDim.x) / kWarpSize;
  if (threadIdx.x % kWarpSize == 0) scratch[threadIdx.x / kWarpSize] = warp_result;
  __syncthreads(WM_PASS_ONLY_SITE);
  T result = scratch[0];
  for (int warp = 1; warp < warps; ++warp) result = combine(result, scratch[warp]);
  __syncthreads(WM_PASS_ONLY_SITE);  // scratch may be reused at once
  return result;
}

}  // namespace detail

/// Sum over the block. `scratch`: shared memory for one element a warp (at most 32).
template <class T>
__device__ inline T block_sum(T x, T* scratch WM_SITE) {
  return detail::block_combine(warp_sum(x WM_PASS_SITE), scratch,
                               [](T a, T b) { return a + b; } WM_PASS_SITE);
}

/// Maximum over the block (wm::fmax). `scratch` as for block_sum.
template <class T>
__device__ inline T block_max(T x, T* scratch WM_SITE) {
  return detail::block_combine(warp_max(x WM_PASS_SITE), scratch,
                               [](T a, T b) { return wm::fmax(a, b); } WM_PASS_SITE);
}

}  // namespace wm
