#define WM_FLAVOUR emu_launch_test
#include <gtest/gtest.h>

#include "emu/executor.hpp"
#include "emu/kernels.hpp"

namespace wm::WM_FLAVOUR {
namespace {

class Launch : public test::EmuTest {
 protected:
  std::size_t stacks() { return static_cast<const emu::Executor*>(stream().handle)->stacks(); }
};

__global__ void nothing() {}

TEST_F(Launch, LimitsAreAGpus) {
  const auto run = [&](dim3 grid, dim3 block) {
    return error_of([&] { launch<nothing>(LaunchShape{.grid = grid, .block = block}, stream()); });
  };
  EXPECT_EQ(run(dim3(1), dim3(1024)), "");
  EXPECT_EQ(run(dim3(1, 65535), dim3(1, 1, 64)), "");
  EXPECT_EQ(
      run(dim3(0), dim3(1)),
      "invalid configuration argument: grid (0,1,1) has no blocks (launch of kernel nothing)");
  EXPECT_EQ(run(dim3(1), dim3(1, 0)),
            "invalid configuration argument: block (1,0,1) has no threads (launch of kernel "
            "nothing)");
  EXPECT_EQ(run(dim3(1), dim3(1025)),
            "invalid configuration argument: block (1025,1,1), limits (1024,1024,64) (launch of "
            "kernel nothing)");
  EXPECT_EQ(run(dim3(1), dim3(32, 33)),
            "invalid configuration argument: block (32,33,1) has 1056 threads, limit 1024 (launch "
            "of kernel nothing)");
  for (const auto& [grid, block] : {std::pair{dim3(1, 65536), dim3(1)},
                                    {dim3(1, 1, 65536), dim3(1)},
                                    {dim3(0x80000000U), dim3(1)},
                                    {dim3(1), dim3(1, 1, 65)},
                                    {dim3(1), dim3(1, 1025)},
                                    // 2^32 threads: the product must not wrap.
                                    {dim3(1), dim3(1024, 1024, 64)}})
    EXPECT_EQ(run(grid, block).find("invalid configuration argument: "), 0U);
}

__global__ void indices(int* y) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  y[block * threads + thread] =
      static_cast<int>(threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockIdx.x +
                       10000 * blockIdx.y + 100000 * blockIdx.z);
}

__global__ void indices_after_barrier(int* y) {
  __syncthreads();
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  __syncthreads();
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  y[block * threads + thread] =
      static_cast<int>(threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockIdx.x +
                       10000 * blockIdx.y + 100000 * blockIdx.z);
}

TEST_F(Launch, BuiltInVariablesHaveTheirValuesInEverySchedule) {
  const dim3 grid(3, 2, 4), block(5, 3, 2);
  std::vector<int> expected;
  for (int bz = 0; bz < 4; ++bz)
    for (int by = 0; by < 2; ++by)
      for (int bx = 0; bx < 3; ++bx)
        for (int z = 0; z < 2; ++z)
          for (int y = 0; y < 3; ++y)
            for (int x = 0; x < 5; ++x)
              expected.push_back(x + 10 * y + 100 * z + 1000 * bx + 10000 * by + 100000 * bz);
  for (const char* schedule : {"in_order", "reverse", "random:8"}) {
    device_->set_schedule(Schedule::parse(schedule));
    auto dy = upload("y", std::vector<int>(expected.size()));
    launch<indices>(LaunchShape{.grid = grid, .block = block}, stream(), ptr<int>(dy));
    EXPECT_EQ(download<int>(dy), expected) << schedule;
    dy = upload("y", std::vector<int>(expected.size()));
    launch<indices_after_barrier>(LaunchShape{.grid = grid, .block = block}, stream(),
                                  ptr<int>(dy));
    EXPECT_EQ(download<int>(dy), expected) << schedule;
  }
}

template <bool kBarrier>
__global__ void count(int* y) {
  if (kBarrier) __syncthreads();
  y[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

TEST_F(Launch, ThreadsGetStacksOnlyOnceTheyBlock) {
  use_threads(1);
  auto dy = upload("y", std::vector<int>(2048));
  launch<count<false>>(LaunchShape{.grid = dim3(2), .block = dim3(1024)}, stream(), ptr<int>(dy));
  EXPECT_LE(stacks(), 64U);
  EXPECT_EQ(download<int>(dy), std::vector<int>(2048, 1));
  launch<count<true>>(LaunchShape{.grid = dim3(2), .block = dim3(1024)}, stream(), ptr<int>(dy));
  EXPECT_EQ(stacks(), 1024U);
}

struct Big {
  int values[40];
};
__global__ void takes_big(Big big, const int* scale, int* y) {
  big.values[threadIdx.x] *= *scale;  // a thread's own copy
  y[threadIdx.x] = big.values[threadIdx.x] + big.values[(threadIdx.x + 1) % 40];
}

TEST_F(Launch, ArgumentsAreEachThreadsOwnCopy) {
  Big big{};
  for (int i = 0; i < 40; ++i) big.values[i] = i;
  auto scale = upload("scale", std::vector<int>{10}), dy = upload("y", std::vector<int>(40));
  launch<takes_big>(LaunchShape{.grid = dim3(1), .block = dim3(40)}, stream(), big, ptr<int>(scale),
                    ptr<int>(dy));
  const auto y = download<int>(dy);
  for (int i = 0; i < 40; ++i)
    EXPECT_EQ(y[static_cast<std::size_t>(i)], 10 * i + (i + 1) % 40) << i;
}

TEST_F(Launch, KernelNamesAreWithoutNamespaces) {
  using emu::kernel_name;
  EXPECT_EQ(kernel_name("constexpr const char* wm::emu::signature() [with auto Kernel = "
                        "wm::emu_kernels::{anonymous}::some_kernel<wm::f16, 64>]"),
            "some_kernel<f16, 64>");
  EXPECT_EQ(kernel_name("const char *wm::emu::signature() [Kernel = &wm::emu_kernels::(anonymous "
                        "namespace)::some_kernel]"),
            "some_kernel");
}

}  // namespace
}  // namespace wm::WM_FLAVOUR
