#include "probe/mma_inputs.hpp"

#include <algorithm>
#include <cmath>

#include "core/rng.hpp"

namespace wm {
namespace {

constexpr int kCols = 8, kRows = 16;

}  // namespace

ChosenSum& ChosenSum::add(const MmaFormat& format, int exponent, double factor) {
  const int half = exponent >= 0 ? exponent / 2 : -((1 - exponent) / 2);
  const int first = std::clamp(half, format.min_exponent, format.max_exponent);
  products.emplace_back(std::ldexp(factor, first), std::ldexp(1.0, exponent - first));
  return *this;
}

ProductRange product_range(const MmaFormat& format) {
  constexpr int kEnough = 60;
  return {std::min(2 * format.max_exponent, kEnough), std::max(2 * format.min_exponent, -kEnough)};
}

std::vector<double> chosen_sums(MmaOperand operand, const MultiplyTiles& multiply,
                                const std::vector<ChosenSum>& sums) {
  const auto depth = static_cast<std::size_t>(mma_depth(operand));
  std::vector<MmaTile> tiles((sums.size() + kCols - 1) / kCols);
  for (MmaTile& tile : tiles) {
    tile.a.assign(kRows * depth, 0.0);
    tile.b.assign(depth * kCols, 0.0);
  }
  for (std::size_t s = 0; s < sums.size(); ++s) {
    MmaTile& tile = tiles[s / kCols];
    const std::size_t at = s % kCols;
    tile.c[at * kCols + at] = static_cast<float>(sums[s].c);
    for (std::size_t k = 0; k < sums[s].products.size(); ++k) {
      tile.a[at * depth + k] = sums[s].products[k].first;
      tile.b[k * kCols + at] = sums[s].products[k].second;
    }
  }
  const std::vector<MmaResult> results = multiply(operand, tiles);
  std::vector<double> values;
  for (std::size_t s = 0; s < sums.size(); ++s)
    values.push_back(results[s / kCols][s % kCols * kCols + s % kCols]);
  return values;
}

std::vector<MmaTile> random_tiles(MmaOperand operand, int count) {
  const MmaFormat format = mma_format(operand);
  const auto depth = static_cast<std::size_t>(mma_depth(operand));
  const Random random(20260101, static_cast<std::uint64_t>(operand));
  std::uint64_t at = 0;
  const auto whole = [&](std::int64_t lo, std::int64_t hi) { return random.integer(at++, lo, hi); };
  // Spreads of exponents; narrow ones make long sums of comparable terms that cancel and carry.
  constexpr std::array<int, 4> kSpreads{0, 2, 6, 40};
  const int middle_most = std::min(format.max_exponent, 15) - 2;
  std::vector<MmaTile> tiles;
  for (int t = 0; t < count; ++t) {
    const int spread = kSpreads[static_cast<std::size_t>(t) % kSpreads.size()];
    const bool subnormal = t % 8 == 7;
    const auto number = [&](int middle) {
      if (whole(0, 15) == 0) return 0.0;
      const auto low = std::max<std::int64_t>(middle - spread, format.min_exponent);
      const auto high = std::max(low, std::min<std::int64_t>(middle + spread, middle_most));
      const auto significand = static_cast<double>(whole(
          std::int64_t{1} << (format.precision - 1), (std::int64_t{1} << format.precision) - 1));
      const double sign = whole(0, 1) == 0 ? 1 : -1;
      const auto exponent = static_cast<int>(whole(low, high)) - (format.precision - 1);
      return sign * std::ldexp(significand, exponent);
    };
    const auto tiny = [&] {  // a subnormal number of the format
      const auto bits = whole(0, (std::int64_t{1} << (format.precision - 1)) - 1);
      return std::ldexp(static_cast<double>(bits), format.min_exponent - (format.precision - 1));
    };
    MmaTile tile;
    for (std::size_t i = 0; i < kRows * depth; ++i)
      tile.a.push_back(subnormal && whole(0, 3) > 0 ? tiny() : number(0));
    for (std::size_t i = 0; i < depth * kCols; ++i)
      tile.b.push_back(number(subnormal ? middle_most : 0));
    const int scale = subnormal ? format.min_exponent + middle_most : 0;
    for (float& c : tile.c) {
      const double value =
          random.normal(at++) * std::ldexp(1.0, scale + static_cast<int>(whole(-2, 3)));
      c = whole(0, 7) == 0 ? 0.0F : static_cast<float>(value);
    }
    tiles.push_back(std::move(tile));
  }
  return tiles;
}

}  // namespace wm
