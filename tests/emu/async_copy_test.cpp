#define WM_FLAVOUR emu_async_copy_test
// cp.async: groups, zero fill, alignment, and the poison that a missing wait leaves.
#include <gtest/gtest.h>

#include "emu/kernels.hpp"

namespace wm::WM_FLAVOUR {
namespace {

class AsyncCopy : public test::EmuTest {
 protected:
  template <auto Kernel, class... Args>
  std::string run(unsigned threads, const Args&... args) {
    return error_of([&] {
      launch<Kernel>(LaunchShape{.grid = dim3(2), .block = dim3(threads)}, stream(), args...);
    });
  }
};

using Chunk = Vec<int, 4>;

/// Thread t copies `read` bytes of its kBytes of x.
template <int kBytes>
__global__ void copies(const int* x, int* y, int read) {
  constexpr int kInts = kBytes / 4;
  WM_SHARED(Chunk, tile, [32]);
  int* own = tile[0].v + threadIdx.x * kInts;
  copy_async<kBytes>(own, x + threadIdx.x * kInts, read);
  commit_copies();
  wait_copies<0>();
  __syncthreads();
  const unsigned other = blockDim.x - 1 - threadIdx.x;
  for (unsigned i = 0; i < kInts; ++i) y[other * kInts + i] = tile[0].v[other * kInts + i];
}

TEST_F(AsyncCopy, TheRestIsZeros) {
  const auto check = [&]<int kBytes>() {
    std::vector<int> x(32 * kBytes / 4);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0x01010101 * static_cast<int>(i % 100 + 1);
    auto dx = upload("x", x);
    for (int read = 0; read <= kBytes; ++read) {
      auto dy = upload("y", std::vector<int>(x.size(), -1));
      ASSERT_EQ(run<copies<kBytes>>(32, ptr<int>(dx), ptr<int>(dy), read), "");
      auto expected = x;
      for (std::size_t thread = 0; thread < 32; ++thread)
        std::memset(reinterpret_cast<char*>(expected.data()) + thread * kBytes +
                        static_cast<std::size_t>(read),
                    0, static_cast<std::size_t>(kBytes - read));
      EXPECT_EQ(download<int>(dy), expected) << kBytes << " " << read;
    }
  };
  for (const char* schedule : {"in_order", "reverse", "random:3"}) {
    device_->set_schedule(Schedule::parse(schedule));
    check.operator()<4>();
    check.operator()<8>();
    check.operator()<16>();
  }
}

/// Copies four groups of one int and reads them after waiting for all but `left`.
__global__ void groups(const int* x, int* y, int left) {
  WM_SHARED(int, tile, [4]);
  for (int i = 0; i < 4; ++i) {
    copy_async<4>(&tile[i], x + i);
    commit_copies();
  }
  if (left == 0) wait_copies<0>();
  if (left == 1) wait_copies<1>();
  if (left == 3) wait_copies<3>();
  if (left == 9) wait_copies<9>();
  for (int i = 0; i < 4; ++i) y[blockIdx.x * 4 + static_cast<unsigned>(i)] = tile[i];
}

TEST_F(AsyncCopy, WhatIsNotWaitedForIsPoison) {
  auto dx = upload("x", std::vector<int>{10, 11, 12, 13});
  const auto after = [&](int left) {
    auto dy = upload("y", std::vector<int>(8));
    EXPECT_EQ(run<groups>(1, ptr<int>(dx), ptr<int>(dy), left), "");
    auto y = download<int>(dy);
    EXPECT_EQ(std::vector<int>(y.begin(), y.begin() + 4), std::vector<int>(y.begin() + 4, y.end()));
    y.resize(4);
    return y;
  };
  EXPECT_EQ(after(0), (std::vector<int>{10, 11, 12, 13}));
  EXPECT_EQ(after(1), (std::vector<int>{10, 11, 12, -1}));
  EXPECT_EQ(after(3), (std::vector<int>{10, -1, -1, -1}));
  EXPECT_EQ(after(9), (std::vector<int>{-1, -1, -1, -1}));
  EXPECT_EQ(after(7), (std::vector<int>{-1, -1, -1, -1}));
  device_->fill(*dx, Poison::finite);  // shared memory holds 0x4b from now on
  EXPECT_EQ(after(9), (std::vector<int>(4, 0x4b4b4b4b)));
}

__global__ void uncommitted(const int* x, int* y, int all) {
  WM_SHARED(int, tile, [2]);
  copy_async<4>(&tile[0], x);
  commit_copies();
  copy_async<4>(&tile[1], x + 1);
  if (all)
    wait_all_copies();
  else
    wait_copies<0>();
  y[0] = tile[0];
  y[1] = tile[1];
}

TEST_F(AsyncCopy, GroupsEndWithTheCommit) {
  auto dx = upload("x", std::vector<int>{5, 6}), dy = upload("y", std::vector<int>(2));
  ASSERT_EQ(run<uncommitted>(1, ptr<int>(dx), ptr<int>(dy), 0), "");
  EXPECT_EQ(download<int>(dy), (std::vector<int>{5, -1}));
  ASSERT_EQ(run<uncommitted>(1, ptr<int>(dx), ptr<int>(dy), 1), "");
  EXPECT_EQ(download<int>(dy), (std::vector<int>{5, 6}));
}

/// A stage that still holds the last round's values is no longer readable once a copy has begun.
__global__ void begun_again(const int* x, int* y) {
  WM_SHARED(int, tile, [1]);
  copy_async<4>(tile, x);
  wait_all_copies();
  y[0] = tile[0];
  copy_async<4>(tile, x + 1);
  y[1] = tile[0];
  wait_all_copies();
  y[2] = tile[0];
}

TEST_F(AsyncCopy, ADestinationIsPoisonFromTheStart) {
  auto dx = upload("x", std::vector<int>{3, 4}), dy = upload("y", std::vector<int>(3));
  ASSERT_EQ(run<begun_again>(1, ptr<int>(dx), ptr<int>(dy)), "");
  EXPECT_EQ(download<int>(dy), (std::vector<int>{3, -1, 4}));
}

constexpr int kCopyLine = __LINE__ + 6;
__global__ void misplaced(const int* x, int* y, int to, int from, int read, int into_global) {
  WM_SHARED(Chunk, tile, [2]);
  if (threadIdx.x != 3) return;
  void* shared = reinterpret_cast<char*>(tile[0].v) + to;
  const void* global = reinterpret_cast<const char*>(x) + from;
  copy_async<8>(into_global ? y : shared, global, read);
  wait_all_copies();
}

TEST_F(AsyncCopy, PlacesAreChecked) {
  auto dx = upload("x", std::vector<int>(6)), dy = upload("y", std::vector<int>(6));
  const auto error = [&](int to, int from, int read, int into_global) {
    return run<misplaced>(4, ptr<int>(dx), ptr<int>(dy), to, from, read, into_global);
  };
  const std::string place = " at async_copy_test.cpp:" + std::to_string(kCopyLine) +
                            " in kernel misplaced, block (0,0,0), thread (3,0,0): ";
  EXPECT_EQ(error(8, 16, 8, 0), "");
  EXPECT_EQ(error(4, 16, 8, 0), "misaligned 8-byte cp.async write" + place +
                                    "byte 4 of shared array \"tile\" (32 bytes)");
  EXPECT_EQ(error(8, 4, 8, 0),
            "misaligned 8-byte cp.async read" + place + "byte 4 of buffer \"x\" (24 bytes)");
  EXPECT_EQ(error(8, 4, 0, 0),
            "misaligned 8-byte cp.async read" + place + "byte 4 of buffer \"x\" (24 bytes)");
  EXPECT_EQ(error(0, 0, 8, 1), "cp.async to an address outside shared memory" + place +
                                   "byte 0 of buffer \"y\" (24 bytes)");
  const auto long_read = error(0, 0, 9, 0);
  EXPECT_EQ(long_read.find("cp.async of 8 bytes that reads 9 at async_copy_test.cpp"), 0U)
      << long_read;
}

TEST_F(AsyncCopy, AFaultIsReportedWhereTheCopyBegins) {
  auto dx = upload("x", std::vector<int>(1024 - 64), Guard::back);
  auto dy = upload("y", std::vector<int>(6));
  const int end = static_cast<int>(dx->bytes());
  const auto error = run<misplaced>(4, ptr<int>(dx), ptr<int>(dy), 0, end, 8, 0);
  EXPECT_NE(error.find("out-of-bounds read in kernel misplaced, block (0,0,0), thread (3,0,0): "
                       "byte 3840 of buffer \"x\" (3840 bytes), 0 bytes past its end"),
            std::string::npos)
      << error;
  EXPECT_EQ(run<misplaced>(4, ptr<int>(dx), ptr<int>(dy), 0, end, 0, 0), "");
}

}  // namespace
}  // namespace wm::WM_FLAVOUR
