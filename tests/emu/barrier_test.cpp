#define WM_FLAVOUR emu_barrier_test
#include <gtest/gtest.h>

#include "emu/kernels.hpp"

namespace wm::WM_FLAVOUR {
namespace {

class Barrier : public test::EmuTest {};

constexpr unsigned kBlock = 96;

__global__ void rotate(const int* x, int* y, int rounds) {
  WM_SHARED(int, tile, [kBlock]);
  const unsigned t = threadIdx.x;
  int value = x[blockIdx.x * kBlock + t];
  for (int r = 0; r < rounds; ++r) {
    tile[t] = value;
    __syncthreads();
    value = tile[(t + 1) % kBlock];
    __syncthreads();
  }
  y[blockIdx.x * kBlock + t] = value;
}

TEST_F(Barrier, SeparatesWritesFromReads) {
  std::vector<int> x(4 * kBlock);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i);
  for (const char* schedule : {"in_order", "reverse", "random:1", "random:2"}) {
    device_->set_schedule(Schedule::parse(schedule));
    auto dx = upload("x", x), dy = upload("y", std::vector<int>(x.size()));
    launch<rotate>(LaunchShape{.grid = dim3(4), .block = dim3(kBlock)}, stream(), ptr<int>(dx),
                   ptr<int>(dy), 5);
    const auto y = download<int>(dy);
    for (std::size_t i = 0; i < y.size(); ++i)
      ASSERT_EQ(y[i], static_cast<int>(i / kBlock * kBlock + (i % kBlock + 5) % kBlock))
          << schedule;
  }
}

__global__ void missing_barrier(int* y) {
  WM_SHARED(int, tile, [kBlock]);
  tile[threadIdx.x] = static_cast<int>(threadIdx.x);
  y[threadIdx.x] = tile[(threadIdx.x + 1) % kBlock];
}

TEST_F(Barrier, WithoutOneThreadsReadPoison) {
  auto dy = upload("y", std::vector<int>(kBlock));
  launch<missing_barrier>(LaunchShape{.grid = dim3(1), .block = dim3(kBlock)}, stream(),
                          ptr<int>(dy));
  EXPECT_EQ(download<int>(dy)[0], -1);
}

__global__ void early_exit(int* y, unsigned survivors) {
  WM_SHARED(int, count, [1]);
  if (threadIdx.x >= survivors) return;
  if (threadIdx.x == 0) count[0] = 0;
  __syncthreads();
  for (unsigned t = 0; t < survivors; ++t) {
    if (t == threadIdx.x) count[0] += 1;
    __syncthreads();
  }
  y[threadIdx.x] = count[0];
}

TEST_F(Barrier, ExitedThreadsDoNotBlockTheOthers) {
  for (const unsigned survivors : {1U, 2U, 33U, 95U, 96U}) {
    auto dy = upload("y", std::vector<int>(survivors));
    launch<early_exit>(LaunchShape{.grid = dim3(2), .block = dim3(kBlock)}, stream(), ptr<int>(dy),
                       survivors);
    EXPECT_EQ(download<int>(dy), std::vector<int>(survivors, static_cast<int>(survivors)));
  }
}

__global__ void exit_while_others_wait(int* y) {
  const unsigned t = threadIdx.x;
  if (t < 32) __syncthreads();  // the others end first in no schedule but the reverse one
  y[t] = static_cast<int>(t);
}

TEST_F(Barrier, IsReleasedByTheExitOfTheLastMissingThread) {
  for (const char* schedule : {"in_order", "reverse", "random:3"}) {
    device_->set_schedule(Schedule::parse(schedule));
    auto dy = upload("y", std::vector<int>(kBlock));
    launch<exit_while_others_wait>(LaunchShape{.grid = dim3(1), .block = dim3(kBlock)}, stream(),
                                   ptr<int>(dy));
    EXPECT_EQ(download<int>(dy)[31], 31) << schedule;
  }
}

__global__ void predicates(int* y, int threshold) {
  const int t = static_cast<int>(threadIdx.x);
  const int count = __syncthreads_count(t < threshold);
  const int all = __syncthreads_and(t < threshold);
  const int any = __syncthreads_or(t < threshold);
  y[t] = count * 100 + all * 10 + any;
}

TEST_F(Barrier, ReducesPredicates) {
  const auto run = [&](int threshold) {
    auto dy = upload("y", std::vector<int>(kBlock));
    launch<predicates>(LaunchShape{.grid = dim3(1), .block = dim3(kBlock)}, stream(), ptr<int>(dy),
                       threshold);
    return download<int>(dy);
  };
  EXPECT_EQ(run(0), std::vector<int>(kBlock, 0));
  EXPECT_EQ(run(7), std::vector<int>(kBlock, 701));
  EXPECT_EQ(run(96), std::vector<int>(kBlock, 9611));
}

constexpr int kFirstBarrier = __LINE__ + 4;
template <class T>
__global__ void divergent(T* y) {
  if (threadIdx.x < 16) {
    __syncthreads();
  } else {
    __syncthreads();
  }
  y[threadIdx.x] = 0;
}

TEST_F(Barrier, DivergentOnesAreReportedWithBothPlaces) {
  auto dy = upload("y", std::vector<int>(64));
  const auto error = error_of([&] {
    launch<divergent<int>>(LaunchShape{.grid = dim3(1, 3), .block = dim3(32)}, stream(),
                           ptr<int>(dy));
  });
#if defined(__clang__)
  const std::string kernel = "divergent";
#else
  const std::string kernel = "divergent<int>";
#endif
  EXPECT_EQ(error, "divergent barrier in kernel " + kernel +
                       ", block (0,0,0): threads 0-15 at barrier_test.cpp:" +
                       std::to_string(kFirstBarrier) +
                       ", threads 16-31 at barrier_test.cpp:" + std::to_string(kFirstBarrier + 2));
}

constexpr int kShuffle = __LINE__ + 4;
__global__ void deadlocked(int* y) {
  const unsigned t = threadIdx.x;
  int value = 0;
  if (t < 32 && t != 5) value = __shfl_sync(kFullMask, value, 0);
  if (t == 5 || t >= 40) __syncthreads();
  y[t] = value;
}

TEST_F(Barrier, DeadlockNamesWhatEachThreadWaitsFor) {
  for (const char* schedule : {"in_order", "reverse", "random:5"}) {
    device_->set_schedule(Schedule::parse(schedule));
    auto dy = upload("y", std::vector<int>(64));
    const auto error = error_of([&] {
      launch<deadlocked>(LaunchShape{.grid = dim3(1), .block = dim3(64)}, stream(), ptr<int>(dy));
    });
    EXPECT_EQ(
        error,
        "deadlock in kernel deadlocked, block (0,0,0): threads 0-4, 6-31 in __shfl_sync (mask "
        "0xffffffff) at barrier_test.cpp:" +
            std::to_string(kShuffle) + ", threads 5, 40-63 in __syncthreads at barrier_test.cpp:" +
            std::to_string(kShuffle + 1))
        << schedule;
  }
}

}  // namespace
}  // namespace wm::WM_FLAVOUR
