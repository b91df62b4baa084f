#define WM_FLAVOUR emu_shared_test
#include <gtest/gtest.h>

#include "emu/kernels.hpp"

namespace wm::WM_FLAVOUR {
namespace {

class Shared : public test::EmuTest {
 protected:
  template <auto Kernel, class... Args>
  std::string run(LaunchShape shape, const Args&... args) {
    return error_of([&] { launch<Kernel>(shape, stream(), args...); });
  }
};

template <int kN>
__global__ void first_bytes(unsigned char* y) {
  WM_SHARED(unsigned char, a, [kN]);
  WM_SHARED(double, b, [kN]);
  unsigned char* dynamic = WM_DYN_SHARED(unsigned char);
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  y[4 * i] = a[threadIdx.x];
  y[4 * i + 1] = reinterpret_cast<unsigned char*>(b)[8 * threadIdx.x];
  y[4 * i + 2] = dynamic[threadIdx.x];
  y[4 * i + 3] = static_cast<unsigned char>(reinterpret_cast<std::uintptr_t>(dynamic) % 128 +
                                            reinterpret_cast<std::uintptr_t>(b) % 16);
  a[threadIdx.x] = dynamic[threadIdx.x] = 1;
  b[threadIdx.x] = 1;
}

TEST_F(Shared, EveryBlockStartsWithPoison) {
  const auto check = [&](unsigned char byte) {
    auto dy = upload("y", std::vector<unsigned char>(20 * 8 * 4));
    ASSERT_EQ(run<first_bytes<8>>({.grid = dim3(20), .block = dim3(8), .shared_bytes = 8},
                                  ptr<unsigned char>(dy)),
              "");
    const auto y = download<unsigned char>(dy);
    for (std::size_t i = 0; i < y.size(); i += 4) {
      ASSERT_EQ(y[i], byte) << i;
      ASSERT_EQ(y[i + 1], byte) << i;
      ASSERT_EQ(y[i + 2], byte) << i;
      ASSERT_EQ(y[i + 3], 0) << "alignment";
    }
  };
  check(0xff);
  auto any = upload("any", std::vector<int>(1));
  device_->fill(*any, Poison::finite);
  check(0x4b);
  device_->fill(*any, Poison::nan);
  check(0xff);
}

__global__ void overrun(int* y, int offset) {
  WM_SHARED(int, before, [4]);
  WM_SHARED(int, tile, [5]);
  WM_SHARED(int, behind, [4]);
  int* p = tile;
  before[0] = behind[0] = 0;
  p[offset] = 7;
  y[blockIdx.x] = before[0] + behind[0] + tile[0];
}

TEST_F(Shared, WritesBesideAnArrayAreFoundAtTheEndOfTheBlock) {
  auto dy = upload("y", std::vector<int>(2));
  const LaunchShape shape{.grid = dim3(2), .block = dim3(1)};
  EXPECT_EQ(run<overrun>(shape, ptr<int>(dy), 4), "");
  EXPECT_EQ(
      run<overrun>(shape, ptr<int>(dy), 5),
      "out-of-bounds write in kernel overrun, block (0,0,0): 4 bytes written after the end of "
      "shared array \"tile\" (20 bytes)");
  EXPECT_EQ(run<overrun>(shape, ptr<int>(dy), -1),
            "out-of-bounds write in kernel overrun, block (0,0,0): 4 bytes written before shared "
            "array \"tile\" (20 bytes)");
  EXPECT_EQ(run<overrun>(shape, ptr<int>(dy), 0), "");
}

__global__ void dynamic_write(int* y, int index) {
  char* dynamic = WM_DYN_SHARED(char);
  dynamic[index] = 1;
  y[0] = dynamic[0];
}

TEST_F(Shared, DynamicSizeIsExact) {
  auto dy = upload("y", std::vector<int>(1));
  const LaunchShape shape{.grid = dim3(1), .block = dim3(1), .shared_bytes = 100};
  EXPECT_EQ(run<dynamic_write>(shape, ptr<int>(dy), 99), "");
  EXPECT_EQ(run<dynamic_write>(shape, ptr<int>(dy), 100),
            "out-of-bounds write in kernel dynamic_write, block (0,0,0): 1 bytes written after the "
            "end of dynamic shared memory (100 bytes)");
  EXPECT_EQ(run<dynamic_write>(shape, ptr<int>(dy), -2),
            "out-of-bounds write in kernel dynamic_write, block (0,0,0): 1 bytes written before "
            "dynamic shared memory (100 bytes)");
  EXPECT_EQ(run<dynamic_write>(shape, ptr<int>(dy), 4096),
            "out-of-bounds write in kernel dynamic_write, block (0,0,0), thread (0,0,0): byte 4096 "
            "of dynamic shared memory (100 bytes)");
}

template <int kBytes>
__global__ void uses(int* y) {
  WM_SHARED(char, data, [kBytes]);
  data[threadIdx.x] = 0;
  y[0] = data[0];
}

TEST_F(Shared, LimitsAreTheDevices) {
  auto dy = upload("y", std::vector<int>(1));
  const auto with_dynamic = [](std::size_t bytes) {
    return LaunchShape{.grid = dim3(1), .block = dim3(1), .shared_bytes = bytes};
  };
  EXPECT_EQ(run<uses<48 * 1024>>(with_dynamic(0), ptr<int>(dy)), "");
  const auto too_much = run<uses<48 * 1024 + 1>>(with_dynamic(0), ptr<int>(dy));
  EXPECT_EQ(too_much.find("49153 bytes of static shared memory, limit 49152 in kernel uses"), 0U)
      << too_much;
  constexpr std::size_t kOptin = 227 * 1024;
  EXPECT_EQ(run<uses<1024>>(with_dynamic(kOptin - 1024), ptr<int>(dy)), "");
  const auto together = run<uses<1024>>(with_dynamic(kOptin - 1023), ptr<int>(dy));
  EXPECT_EQ(together.find("1024 bytes of static and 231425 bytes of dynamic shared memory, limit "
                          "232448 in kernel uses"),
            0U)
      << together;
  const auto dynamic = run<uses<1024>>(with_dynamic(kOptin + 1), ptr<int>(dy));
  EXPECT_EQ(dynamic.find("invalid configuration argument: 232449 bytes of dynamic shared memory, "
                         "limit 232448"),
            0U)
      << dynamic;
}

}  // namespace
}  // namespace wm::WM_FLAVOUR
