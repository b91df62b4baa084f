#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "core/error.hpp"
#include "emu/thread_set.hpp"
#include "gpu/device.hpp"

namespace wm {
namespace {

class EmuDevice : public ::testing::Test {
 protected:
  std::unique_ptr<Buffer> allocate(std::size_t bytes, Guard guard, std::size_t element = 4) {
    return device_->allocate("y", bytes, element, guard);
  }
  static std::uintptr_t address(const std::unique_ptr<Buffer>& buffer) {
    return reinterpret_cast<std::uintptr_t>(buffer->data());
  }
  static unsigned char* bytes(const std::unique_ptr<Buffer>& buffer) {
    return static_cast<unsigned char*>(buffer->data());
  }

  std::unique_ptr<Device> device_ = make_emu_device(DeviceProps{}, 1);
};

TEST_F(EmuDevice, SaysWhatItIs) {
  EXPECT_EQ(device_->kind(), DeviceKind::emu);
  EXPECT_EQ(device_->id(), "emu");
  EXPECT_EQ(device_->props().arch, "h200");
}

TEST_F(EmuDevice, GuardsPlaceTheBuffer) {
  for (const std::size_t size : {4UL, 100UL, 4096UL, 5000UL}) {
    EXPECT_EQ(address(allocate(size, Guard::none)) % 256, 0U);
    EXPECT_EQ((address(allocate(size, Guard::back)) + size) % 4096, 0U);
    EXPECT_EQ(address(allocate(size, Guard::front)) % 4096, 0U);
  }
}

TEST_F(EmuDevice, PagesBesideTheGuardedEndAreInaccessible) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto back = allocate(100, Guard::back), front = allocate(100, Guard::front);
  volatile unsigned char* end = bytes(back) + 100;
  volatile unsigned char* before = bytes(front) - 1;
  EXPECT_DEATH(*end = 1, "");
  EXPECT_DEATH(*before = 1, "");
}

TEST_F(EmuDevice, BuffersStartAsPoisonAndCopyBothWays) {
  const auto buffer = allocate(12, Guard::none);
  unsigned char out[12];
  device_->download(out, *buffer, 12);
  for (const auto byte : out) EXPECT_EQ(byte, 0xff);
  device_->fill(*buffer, Poison::finite);
  device_->upload(*buffer, "abcd", 4);
  device_->download(out, *buffer, 12);
  EXPECT_EQ(std::memcmp(out, "abcdKKKKKKKK", 12), 0);
  EXPECT_THROW(device_->upload(*buffer, out, 13), UsageError);
  EXPECT_THROW(device_->download(out, *buffer, 13), UsageError);
}

TEST_F(EmuDevice, CanariesTellWhatWasWrittenOutside) {
  for (const auto guard : {Guard::none, Guard::front, Guard::back}) {
    const auto buffer = allocate(100, guard);
    std::memset(buffer->data(), 0, 100);
    EXPECT_EQ(device_->check_canaries(*buffer), "");
  }
  const auto buffer = allocate(100, Guard::none);
  bytes(buffer)[103] = 0;
  bytes(buffer)[104] = 0;
  EXPECT_EQ(device_->check_canaries(*buffer),
            "2 bytes written after the end of buffer \"y\" (100 bytes), the first 3 bytes past it");
  bytes(buffer)[-8] = 0;
  EXPECT_EQ(
      device_->check_canaries(*buffer),
      "2 bytes written after the end of buffer \"y\" (100 bytes), the first 3 bytes past it; "
      "1 bytes written before the start of buffer \"y\" (100 bytes), the first 8 bytes before "
      "it");
  const auto front = allocate(100, Guard::front);
  bytes(front)[4095] = 0;
  EXPECT_NE(device_->check_canaries(*front), "");
  const auto back = allocate(100, Guard::back);
  bytes(back)[100 - 4096] = 0;
  EXPECT_NE(device_->check_canaries(*back), "");
}

TEST_F(EmuDevice, EmptyBuffersAreLegal) {
  for (const auto guard : {Guard::none, Guard::front, Guard::back}) {
    const auto buffer = allocate(0, guard);
    EXPECT_NE(buffer->data(), nullptr);
    EXPECT_EQ(buffer->bytes(), 0U);
    device_->fill(*buffer, Poison::nan);
    device_->upload(*buffer, nullptr, 0);
    device_->download(nullptr, *buffer, 0);
    EXPECT_EQ(device_->check_canaries(*buffer), "");
  }
}

TEST_F(EmuDevice, ImpossibleSizesAreRefused) {
  EXPECT_THROW(allocate(std::size_t{1} << 60, Guard::none), EnvironmentError);
  EXPECT_THROW(allocate(~std::size_t{0} - 100, Guard::none), EnvironmentError);
  EXPECT_THROW(allocate(10, Guard::back, 4), UsageError);
}

TEST(ThreadSet, FindsMembersInBothDirectionsAndByRank) {
  emu::ThreadSet set;
  set.clear();
  EXPECT_EQ(set.next(0), emu::kNoThread);
  EXPECT_EQ(set.previous(1023), emu::kNoThread);
  for (const unsigned t : {0U, 63U, 64U, 700U, 1023U}) set.add(t);
  EXPECT_EQ(set.size(), 5U);
  EXPECT_EQ(set.next(1), 63U);
  EXPECT_EQ(set.next(64), 64U);
  EXPECT_EQ(set.next(65), 700U);
  EXPECT_EQ(set.next(1024), 0U) << "wraps";
  EXPECT_EQ(set.previous(1022), 700U);
  EXPECT_EQ(set.previous(63), 63U);
  set.remove(0);
  EXPECT_EQ(set.previous(10), 1023U) << "wraps";
  EXPECT_EQ(set.nth(0), 63U);
  EXPECT_EQ(set.nth(3), 1023U);
  EXPECT_EQ(set.nth(4), emu::kNoThread);
}

TEST(ThreadSet, RangesAndLanes) {
  emu::ThreadSet set;
  for (const auto& [first, last] : {std::pair{0U, 1024U}, {0U, 64U}, {5U, 5U}, {63U, 130U}}) {
    set.assign_range(first, last);
    EXPECT_EQ(set.size(), last - first);
    for (unsigned t = 0; t < 1024; ++t)
      ASSERT_EQ(set.contains(t), t >= first && t < last) << first << ' ' << last << ' ' << t;
  }
  EXPECT_EQ(set.lanes(1), 0x80000000U);
  EXPECT_EQ(set.lanes(4), 0x3U);
  set.add_lanes(5, 0xf0U);
  EXPECT_TRUE(set.contains(164) && set.contains(167) && !set.contains(168));
}

}  // namespace
}  // namespace wm
