#pragma once
// What was launched last, kept where another process can read it: a worker that dies leaves its
// last words there.
#include <atomic>
#include <cstdint>
#include <string>

#include "gpu/types.hpp"

namespace wm {

struct LaunchNote {
  /// The kernel's name as the compiler prints it: a constant of the program, which a forked process
  /// finds at the same address. Null before the first launch.
  std::atomic<const char*> signature{nullptr};
  dim3 grid, block;
  std::atomic<std::uint64_t> launches{0};
};

/// Launches from now on are noted there; null: nowhere.
void set_launch_note(LaunchNote* note);
void note_launch(const char* signature, const dim3& grid, const dim3& block);

/// "kernel tile<float, 64>, grid (8,1,1), block (256,1,1)", or "no launch yet".
std::string last_launch(const LaunchNote& note);

}  // namespace wm
