#pragma once
// Cooperative launches: all blocks of the grid alive at once on one OS thread, each on a machine of
// its own with its shared memory and its threads' stacks.
#include "emu/grid.hpp"
#include "emu/race/detector.hpp"
#include "gpu/device_props.hpp"

namespace wm::emu {

/// Threads the emulator keeps alive at once: each has a stack, of which it touches two pages.
inline constexpr std::uint64_t kMaxCooperativeThreads = std::uint64_t{1} << 19;

/// Why a cooperative launch is refused, as one sentence; empty when it is not. `shared_bytes`: of a
/// block, as far as known. A GPU holds the grid at once or refuses it; registers are not counted.
std::string cooperative_refusal(const Launch& launch, const DeviceProps& props,
                                std::size_t shared_bytes);

/// Runs the grid: every block up to its grid_sync, then every block up to the next one. A failure
/// is reported to the grid.
void run_cooperative(Grid& grid, const DeviceProps& props, race::Detector* race);

}  // namespace wm::emu
