#define WM_FLAVOUR emu_basic_test
#include <gtest/gtest.h>

#include <numeric>

#include "emu/kernels.hpp"

namespace wm::WM_FLAVOUR {
namespace {

using test::EmuTest;

__global__ void __launch_bounds__(256) axpy(const float* x, float* y, float a, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] = wm::fma(a, x[i], y[i]);
}

class Basic : public EmuTest {};

TEST_F(Basic, ElementwiseKernelVisitsEveryElementOnce) {
  for (const int n : {1, 31, 256, 257, 100000}) {
    std::vector<float> x(static_cast<std::size_t>(n)), y(x.size(), 1.0F);
    std::iota(x.begin(), x.end(), 0.0F);
    auto dx = upload("x", x), dy = upload("y", y);
    launch<axpy>(
        LaunchShape{.grid = dim3(static_cast<unsigned>(n + 255) / 256), .block = dim3(256)},
        stream(), ptr<float>(dx), ptr<float>(dy), 2.0F, n);
    const auto result = download<float>(dy);
    for (int i = 0; i < n; ++i)
      ASSERT_EQ(result[static_cast<std::size_t>(i)], 2.0F * static_cast<float>(i) + 1.0F) << i;
  }
}

template <class T>
__global__ void block_totals(const T* x, T* y) {
  WM_SHARED(T, scratch, [32]);
  const T sum = block_sum(x[blockIdx.x * blockDim.x + threadIdx.x], scratch);
  const T top = block_max(x[blockIdx.x * blockDim.x + threadIdx.x], scratch);
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum + top;
}

TEST_F(Basic, BlockReductionsGiveEveryThreadTheResult) {
  std::vector<float> x(4096);
  std::iota(x.begin(), x.end(), 0.0F);
  auto dx = upload("x", x), dy = upload("y", std::vector<float>(x.size()));
  launch<block_totals<float>>(LaunchShape{.grid = dim3(16), .block = dim3(256)}, stream(),
                              ptr<float>(dx), ptr<float>(dy));
  const auto result = download<float>(dy);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const float first = static_cast<float>(i / 256 * 256);
    ASSERT_EQ(result[i], 256 * first + 255 * 128 + first + 255) << i;
  }
}

}  // namespace
}  // namespace wm::WM_FLAVOUR
