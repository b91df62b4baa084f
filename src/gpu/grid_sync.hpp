#pragma once
// A barrier over all threads of a cooperative launch (LaunchShape::cooperative). Not part of
// gpu/kernel.hpp: only kernels that wait for other blocks pay for cooperative groups under nvcc.
#include "gpu/language.hpp"

#if defined(__CUDACC__)
#include <cooperative_groups.h>
#endif

namespace wm {

/// Waits until every thread of every block of the grid has called it; what any of them wrote before
/// is visible to all of them after. Every thread of the grid must call it, as often as the others.
#if defined(__CUDACC__)
__device__ inline void grid_sync() { cooperative_groups::this_grid().sync(); }
#else
inline void grid_sync(WM_ONLY_SITE) { emu::grid_barrier({WM_PASS_ONLY_SITE}); }
#endif

}  // namespace wm
