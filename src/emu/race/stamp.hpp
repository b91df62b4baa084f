#pragma once
// How an access is placed in time and among the threads, in 64 bits.
#include <cstdint>

namespace wm::emu::race {

/// Bits 0-9: thread of the block. Bits 10-30: the thread's clock, which ticks at each __syncwarp
/// and fence. Bits 31-62: epoch, a number that grows with every block and every __syncthreads, so
/// it names the launch and block as well.
struct Stamp {
  static constexpr unsigned kClockShift = 10, kEpochShift = 31;
  /// A launch may begin with it: as many follow, half an hour of a barrier each microsecond.
  /// Launches behind it start anew.
  static constexpr std::uint64_t kLastFirstEpoch = std::uint64_t{1} << 31;
  static constexpr std::uint32_t kMaxClock = (1U << (kEpochShift - kClockShift)) - 1;

  static constexpr std::uint64_t make(std::uint64_t epoch, std::uint32_t clock, unsigned thread) {
    return epoch << kEpochShift | std::uint64_t{clock} << kClockShift | thread;
  }
  /// The least stamp of an epoch.
  static constexpr std::uint64_t first_of(std::uint64_t epoch) { return epoch << kEpochShift; }
  static constexpr unsigned thread(std::uint64_t stamp) {
    return static_cast<unsigned>(stamp & ((1U << kClockShift) - 1));
  }
  static constexpr std::uint32_t clock(std::uint64_t stamp) {
    return static_cast<std::uint32_t>(stamp >> kClockShift) & kMaxClock;
  }
  static constexpr std::uint64_t epoch(std::uint64_t stamp) { return stamp >> kEpochShift; }
};

}  // namespace wm::emu::race
