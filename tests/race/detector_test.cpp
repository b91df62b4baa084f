// The numbers of epochs run out: the detector starts anew, and old records do not come back.
#include "emu/race/detector.hpp"

#include <gtest/gtest.h>

extern "C" {
void __tsan_read4(void* address);
void __tsan_write4(void* address);
}

namespace wm::emu::race {
namespace {

constexpr std::size_t kBytes = 4096;

/// Global memory with a shadow, and shared memory that is not used.
struct Memory {
  alignas(kPageBytes) std::array<int, kBytes / sizeof(int)> words{};
  ShadowRange shadow{words.data(), kBytes, 4};

  Cell& cell(std::size_t word) {
    const auto address = reinterpret_cast<std::uintptr_t>(&words[word]);
    return *page_of(address)->cell(address);
  }
};

/// Thread `thread` of a launch's only block reads or writes a word; launches before it are over.
void launch(Detector& detector, Memory& memory, unsigned thread, bool write) {
  detector.begin_launch(nullptr, 0, nullptr);
  detector.begin_block(0);
  detector.enter(thread);
  if (write)
    __tsan_write4(&memory.words[7]);
  else
    __tsan_read4(&memory.words[7]);
  detector.end_launch();
}

TEST(Detector, EpochsStartAnewBeforeTheyRunOut) {
  auto memory = std::make_unique<Memory>();
  Detector detector(Stamp::kLastFirstEpoch - 3);
  launch(detector, *memory, 1, true);
  const std::uint64_t late = Stamp::epoch(memory->cell(7).write.stamp);
  EXPECT_GT(late, Stamp::kLastFirstEpoch - 3);
  launch(detector, *memory, 2, false);
  EXPECT_EQ(Stamp::epoch(memory->cell(7).write.stamp), late) << "too early";
  // The next launch would begin behind the last number. Kept, the write above would look like one
  // of the future, which nothing orders.
  launch(detector, *memory, 3, true);
  EXPECT_LT(Stamp::epoch(memory->cell(7).write.stamp), 10U);
  EXPECT_EQ(Stamp::thread(memory->cell(7).write.stamp), 3U);
  EXPECT_EQ(memory->cell(7).read.stamp, 0U);
  EXPECT_FALSE(detector.found());
}

TEST(Detector, StampsHoldTheirLargestParts) {
  const std::uint64_t last = 2 * Stamp::kLastFirstEpoch - 1;
  const std::uint64_t stamp = Stamp::make(last, Stamp::kMaxClock, 1023);
  EXPECT_EQ(Stamp::epoch(stamp), last);
  EXPECT_EQ(Stamp::clock(stamp), Stamp::kMaxClock);
  EXPECT_EQ(Stamp::thread(stamp), 1023U);
  EXPECT_EQ(stamp & Tokens::kBit, 0U);
}

}  // namespace
}  // namespace wm::emu::race
