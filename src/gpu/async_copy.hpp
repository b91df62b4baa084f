#pragma once
// cp.async: copies from global to shared memory that do not pass through registers. sm_80 and
// newer.
//
// A thread begins copies, closes a group of them with commit_copies, and waits for its own groups,
// oldest first; a barrier then makes them visible to the block. The emulator poisons the
// destination when a copy begins and lets it land at the wait, so that a missing wait shows.
#include <cstdint>

#include "gpu/matrix_load.hpp"

namespace wm {

/// Begins a copy of kBytes = 4, 8 or 16 bytes, both addresses aligned to it. The first `read` bytes
/// come from `global`, the rest become zeros; with 0 nothing is read and `global` need only be
/// aligned. 16-byte copies bypass the first-level cache.
template <int kBytes>
__device__ inline void copy_async(void* shared, const void* global, int read = kBytes WM_SITE) {
  static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16);
#if defined(__CUDACC__)
  const unsigned to = detail::shared_address(shared);
  if constexpr (kBytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global), "r"(read)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(global),
                 "n"(kBytes), "r"(read)
                 : "memory");
  }
#else
  emu::copy_async(shared, global, kBytes, static_cast<unsigned>(read), {WM_PASS_ONLY_SITE});
#endif
}

/// Closes the group of the copies begun since the last call; the group may be empty.
__device__ inline void commit_copies() {
#if defined(__CUDACC__)
  asm volatile("cp.async.commit_group;" ::: "memory");
#else
  emu::commit_copies();
#endif
}

/// Waits until at most kLeft of the thread's latest groups are still on their way.
template <int kLeft>
__device__ inline void wait_copies() {
  static_assert(kLeft >= 0);
#if defined(__CUDACC__)
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
#else
  emu::wait_copies(kLeft);
#endif
}

/// Waits for every copy the thread has begun, committed or not.
__device__ inline void wait_all_copies() {
#if defined(__CUDACC__)
  asm volatile("cp.async.wait_all;" ::: "memory");
#else
  emu::commit_copies();
  emu::wait_copies(0);
#endif
}

}  // namespace wm
