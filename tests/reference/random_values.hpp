#pragma once
// Random test data; every generator takes its seed, so that a failure can be repeated.
#include <cstdint>
#include <random>
#include <vector>

namespace wm {

inline std::vector<double> random_floats(std::mt19937& random, std::int64_t count,
                                         float scale = 1) {
  std::normal_distribution<float> normal(0, scale);
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) value = normal(random);
  return values;
}

inline std::int64_t pick(std::mt19937& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

}  // namespace wm
