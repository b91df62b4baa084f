#pragma once
// Accesses that the kernel `script` performs.
#include <array>
#include <cstdint>

namespace wm {

struct ScriptAccess {
  enum Kind : std::uint8_t { kRead, kWrite, kAtomic };
  std::uint8_t block, step, thread, bytes, offset;
  Kind kind;
  std::uint8_t shared;  ///< 0: global memory
};

struct Script {
  static constexpr unsigned kBlocks = 2, kThreads = 96;
  static constexpr unsigned kBytes = 64;  ///< of global and of shared memory
  int steps = 1;
  /// What ends a step: __syncthreads, or __syncwarp in every warp.
  std::array<bool, 4> barrier{};
  int count = 0;
  std::array<ScriptAccess, 48> accesses{};
};

/// What the next launch of `script` performs.
extern const Script* script_to_run;

}  // namespace wm
