#include "reference/sums.hpp"

namespace wm {
namespace {

struct Range {
  double smallest = std::numeric_limits<double>::infinity();  ///< of the nonzero magnitudes
  double largest = 0;
};

Range magnitude_range(std::span<const double> values) {
  Range range;
  for (const double value : values) {
    const double magnitude = std::abs(value);
    range.largest = std::max(range.largest, magnitude);
    const double nonzero = magnitude > 0 ? magnitude : range.smallest;
    range.smallest = std::min(range.smallest, nonzero);
  }
  return range;
}

}  // namespace

bool all_finite(std::span<const double> values) {
  // x - x is 0 for finite x and NaN otherwise; NaN survives the sum.
  double zero = 0;
  for (const double value : values) zero += value - value;
  return zero == 0;
}

bool float_holds_products(std::span<const double> a, std::span<const double> b, double path) {
  if (!all_finite(a) || !all_finite(b)) return false;
  const Range range_a = magnitude_range(a);
  const Range range_b = magnitude_range(b);
  constexpr double kLargest = 0x1p120;
  constexpr double kSmallest = 0x1p-120;
  const bool factors_fit = std::max(range_a.largest, range_b.largest) < kLargest &&
                           std::min(range_a.smallest, range_b.smallest) > kSmallest;
  return factors_fit && range_a.largest * range_b.largest * path < kLargest &&
         range_a.smallest * range_b.smallest > kSmallest;
}

}  // namespace wm
