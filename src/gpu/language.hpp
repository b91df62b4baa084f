#pragma once
// CUDA's vocabulary (threadIdx, barriers, warp operations, atomics) and the few spellings that
// differ from CUDA:
//   WM_SHARED(float, tile, [32][33]);     static shared memory, float (&tile)[32][33]
//   float* p = WM_DYN_SHARED(float);      dynamic shared memory, LaunchShape::shared_bytes long
//   WM_UNROLL                             in front of a loop
//   WM_NO_UNROLL                          in front of a loop that must stay one
// nvcc gets CUDA's own; the host compiler gets the emulator's.
#include "gpu/types.hpp"

#if defined(__CUDACC__)

// Helpers built on collectives take the place of their call with these, so that a report names the
// kernel's line; nothing under nvcc.
#define WM_SITE
#define WM_ONLY_SITE
#define WM_PASS_SITE
#define WM_PASS_ONLY_SITE
#define WM_UNROLL _Pragma("unroll")
#define WM_NO_UNROLL _Pragma("unroll 1")
#define WM_SHARED(type, name, dims) __shared__ type name dims
#define WM_DYN_SHARED(type) (::wm::detail::dynamic_shared<type>())

namespace wm::detail {
template <class T>
__device__ inline T* dynamic_shared() {
  extern __shared__ __align__(128) unsigned char wm_dynamic_shared_memory[];
  return reinterpret_cast<T*>(wm_dynamic_shared_memory);
}
}  // namespace wm::detail

#else
#include "gpu/host_language.hpp"
#endif
