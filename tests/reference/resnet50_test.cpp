// Speed of the convolution reference on the layers people use: the 23 distinct convolutions of
// ResNet-50 v1.5 in three directions at N = 1, with magnitudes. The gate is on processor time and
// loose; both times are printed.
#include <gtest/gtest.h>

#include <chrono>
#include <ctime>

#include "reference/conv.hpp"
#include "reference/random_values.hpp"

namespace wm {
namespace {

struct Layer {
  std::int64_t c, k, size, filter, stride;
};
constexpr Layer kLayers[] = {
    {3, 64, 224, 7, 2},
    // stage 1, 56x56: reduce, 3x3, expand (also the downsample), reduce of later blocks
    {64, 64, 56, 1, 1},
    {64, 64, 56, 3, 1},
    {64, 256, 56, 1, 1},
    {256, 64, 56, 1, 1},
    // each later stage: reduce, strided 3x3, downsample, expand, reduce of later blocks, 3x3
    {256, 128, 56, 1, 1},
    {128, 128, 56, 3, 2},
    {256, 512, 56, 1, 2},
    {128, 512, 28, 1, 1},
    {512, 128, 28, 1, 1},
    {128, 128, 28, 3, 1},
    {512, 256, 28, 1, 1},
    {256, 256, 28, 3, 2},
    {512, 1024, 28, 1, 2},
    {256, 1024, 14, 1, 1},
    {1024, 256, 14, 1, 1},
    {256, 256, 14, 3, 1},
    {1024, 512, 14, 1, 1},
    {512, 512, 14, 3, 2},
    {1024, 2048, 14, 1, 2},
    {512, 2048, 7, 1, 1},
    {2048, 512, 7, 1, 1},
    {512, 512, 7, 3, 1},
};
static_assert(std::size(kLayers) == 23);

ConvProblem problem_of(const Layer& layer, ConvDirection direction) {
  ConvProblem p;
  p.direction = direction;
  p.c = layer.c, p.k = layer.k;
  const std::int64_t pad = layer.filter / 2;
  const std::int64_t out = (layer.size + 2 * pad - layer.filter) / layer.stride + 1;
  p.in = {1, layer.size, layer.size}, p.filter = {1, layer.filter, layer.filter};
  p.out = {1, out, out}, p.stride = {1, layer.stride, layer.stride};
  p.pad_begin = p.pad_end = {0, pad, pad};
  return p;
}

struct Times {
  double wall = 0, cpu = 0;
};

Times time_direction(ConvDirection direction) {
  std::mt19937 random(1);
  Times times;
  for (const Layer& layer : kLayers) {
    const ConvProblem p = problem_of(layer, direction);
    const std::vector<double> x = random_floats(random, p.c * p.in_positions());
    const std::vector<double> w = random_floats(random, p.k * p.c * p.filter_taps());
    const std::vector<double> dy = random_floats(random, p.k * p.out_positions());
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpu_start = std::clock();
    const ValuesAndMagnitudes result = conv_reference(p, {x, w, dy, {}, {}, {}}, false);
    times.cpu += static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
    times.wall += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    EXPECT_FALSE(result.value.empty());
  }
  return times;
}

TEST(Resnet50Reference, AllLayersInThreeDirections) {
  const std::pair<const char*, ConvDirection> directions[] = {
      {"conv_fwd", ConvDirection::fwd},
      {"conv_bwd_data", ConvDirection::bwd_data},
      {"conv_bwd_filter", ConvDirection::bwd_filter}};
#if !defined(__OPTIMIZE__) || defined(WM_SANITIZED)
  GTEST_SKIP() << "a measurement of optimised code without sanitizers";
#endif
  Times total;
  for (const auto& [name, direction] : directions) {
    const Times times = time_direction(direction);
    std::printf("%-16s %.2f s wall, %.2f s CPU\n", name, times.wall, times.cpu);
    total.wall += times.wall;
    total.cpu += times.cpu;
  }
  std::printf("%-16s %.2f s wall, %.2f s CPU\n", "total", total.wall, total.cpu);
  EXPECT_LT(total.cpu, 10);
}

}  // namespace
}  // namespace wm
