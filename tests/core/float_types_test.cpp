// Conversions of the small floating-point types against a naive implementation: decode every bit
// pattern by its definition, and round by searching the sorted list of representable values.
#include "core/float_types.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/rng.hpp"

namespace wm {
namespace {

/// A format by its definition.
struct Format {
  std::string name;
  int exponent_bits;
  int stored_bits;
  bool ieee_specials;  ///< the largest exponent is infinity and NaN; else only all ones is NaN
  bool saturates;
  unsigned nan_bits;

  int width() const { return 1 + exponent_bits + stored_bits; }
  unsigned sign_bit() const { return 1U << (width() - 1); }
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }

  double decode(unsigned bits) const {
    const unsigned fraction = bits & ((1U << stored_bits) - 1);
    const int exponent = static_cast<int>((bits & (sign_bit() - 1)) >> stored_bits);
    const double sign = (bits & sign_bit()) != 0 ? -1.0 : 1.0;
    const int top = (1 << exponent_bits) - 1;
    if (ieee_specials && exponent == top) {
      return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
    }
    if (!ieee_specials && (bits & (sign_bit() - 1)) == sign_bit() - 1) return std::nan("");
    if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias() - stored_bits);
    return sign * std::ldexp(fraction + (1U << stored_bits), exponent - bias() - stored_bits);
  }
};

const Format kF16{"f16", 5, 10, true, false, 0x7fff};
const Format kBf16{"bf16", 8, 7, true, false, 0x7fff};
const Format kE4m3{"e4m3", 4, 3, false, true, 0x7f};
const Format kE5m2{"e5m2", 5, 2, true, true, 0x7f};

/// Rounds by searching among the format's non-negative finite values.
class NaiveRounder {
 public:
  explicit NaiveRounder(const Format& format) : format_(format) {
    for (unsigned bits = 0; bits < format.sign_bit(); ++bits) {
      const double value = format.decode(bits);
      if (std::isfinite(value)) values_.push_back(value);
    }
  }

  const std::vector<double>& values() const { return values_; }
  /// What the value after the largest finite one would be, were the exponent unbounded.
  double beyond() const { return 2 * values_.back() - values_[values_.size() - 2]; }

  unsigned round(double value) const {
    if (std::isnan(value)) return format_.nan_bits;
    const unsigned sign = std::signbit(value) ? format_.sign_bit() : 0;
    return sign | round_magnitude(std::fabs(value));
  }

 private:
  unsigned round_magnitude(double value) const {
    const auto last = static_cast<unsigned>(values_.size() - 1);
    const auto above = std::lower_bound(values_.begin(), values_.end(), value);
    if (above == values_.end()) {
      const double middle = values_.back() + (beyond() - values_.back()) / 2;
      const bool overflows = value > middle || (value == middle && last % 2 == 1);
      return overflows && !format_.saturates ? last + 1 : last;
    }
    const auto high = static_cast<unsigned>(above - values_.begin());
    if (*above == value) return high;
    // Neighbours are within a factor of two (or subnormal), so both distances are exact.
    const double up = *above - value;
    const double down = value - values_[high - 1];
    if (up == down) return high % 2 == 0 ? high : high - 1;
    return up < down ? high : high - 1;
  }

  Format format_;
  std::vector<double> values_;
};

/// Values of type Number at and next to every representable value and every middle between two.
template <class Number>
std::vector<Number> critical_values(const NaiveRounder& rounder) {
  constexpr Number kInfinity = std::numeric_limits<Number>::infinity();
  std::vector<double> centres = rounder.values();
  centres.push_back(rounder.beyond());
  std::vector<Number> result;
  for (std::size_t i = 0; i < centres.size(); ++i) {
    const double middle = i == 0 ? 0 : centres[i - 1] + (centres[i] - centres[i - 1]) / 2;
    for (const double centre : {centres[i], middle}) {
      const auto value = static_cast<Number>(centre);
      for (const Number x :
           {value, std::nextafter(value, kInfinity), std::nextafter(value, -kInfinity)}) {
        result.push_back(x);
        result.push_back(-x);
      }
    }
  }
  for (const Number x :
       {kInfinity, std::numeric_limits<Number>::max(), std::numeric_limits<Number>::min(),
        std::numeric_limits<Number>::denorm_min()}) {
    result.push_back(x);
    result.push_back(-x);
  }
  result.push_back(std::numeric_limits<Number>::quiet_NaN());
  result.push_back(-std::numeric_limits<Number>::quiet_NaN());
  return result;
}

template <class Number, class Convert>
void expect_rounds(const Format& format, Convert convert) {
  const NaiveRounder rounder(format);
  std::vector<Number> values = critical_values<Number>(rounder);
  const Random random(1, 2);
  for (std::uint64_t i = 0; i < 200000; ++i) {
    values.push_back(std::bit_cast<float>(random.bits(i)));  // every exponent
    values.push_back(static_cast<Number>(random.normal(i)));
  }
  std::size_t wrong = 0;
  for (const Number value : values) {
    const unsigned expected = rounder.round(static_cast<double>(value));
    const unsigned actual = convert(value);
    if (expected != actual && ++wrong < 10) {
      ADD_FAILURE() << format.name << " of " << value << " is " << actual << ", not " << expected;
    }
  }
  EXPECT_EQ(wrong, 0U);
}

template <class Convert>
void expect_decodes(const Format& format, Convert convert) {
  for (unsigned bits = 0; bits < 2 * format.sign_bit(); ++bits) {
    const double expected = format.decode(bits);
    const float actual = convert(bits);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(actual)) << format.name << " " << bits;
    } else {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(expected),
                std::bit_cast<std::uint64_t>(static_cast<double>(actual)))
          << format.name << " " << bits;
    }
  }
}

TEST(FloatTypes, EveryBitPatternDecodesToItsDefinition) {
  expect_decodes(kF16, [](unsigned b) { return f16_value(static_cast<std::uint16_t>(b)); });
  expect_decodes(kBf16, [](unsigned b) { return bf16_value(static_cast<std::uint16_t>(b)); });
  expect_decodes(kE4m3, [](unsigned b) { return e4m3_value(static_cast<std::uint8_t>(b)); });
  expect_decodes(kE5m2, [](unsigned b) { return e5m2_value(static_cast<std::uint8_t>(b)); });
}

TEST(FloatTypes, F16RoundsToNearestEvenFromFloatAndDouble) {
  expect_rounds<float>(kF16, [](float x) { return f16_bits(x); });
  expect_rounds<double>(kF16, [](double x) { return f16_bits(x); });
}

TEST(FloatTypes, Bf16RoundsToNearestEvenFromFloatAndDouble) {
  expect_rounds<float>(kBf16, [](float x) { return bf16_bits(x); });
  expect_rounds<double>(kBf16, [](double x) { return bf16_bits(x); });
}

TEST(FloatTypes, E4m3RoundsToNearestEvenAndSaturates) {
  expect_rounds<float>(kE4m3, [](float x) { return e4m3_bits(x); });
  expect_rounds<double>(kE4m3, [](double x) { return e4m3_bits(x); });
}

TEST(FloatTypes, E5m2RoundsToNearestEvenAndSaturates) {
  expect_rounds<float>(kE5m2, [](float x) { return e5m2_bits(x); });
  expect_rounds<double>(kE5m2, [](double x) { return e5m2_bits(x); });
}

TEST(FloatTypes, DoubleIsRoundedOnceNotThroughFloat) {
  // Just above the middle of 1 and its successor: float rounds the excess away, then ties to even.
  const double f16_case = 1 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(f16_bits(f16_case), 0x3c01);
  EXPECT_EQ(f16_bits(static_cast<float>(f16_case)), 0x3c00);
  const double bf16_case = 1 + 0x1p-8 + 0x1p-40;
  EXPECT_EQ(bf16_bits(bf16_case), 0x3f81);
  EXPECT_EQ(bf16_bits(static_cast<float>(bf16_case)), 0x3f80);
}

TEST(FloatTypes, KnownPatterns) {
  EXPECT_EQ(f16_bits(65519.0F), 0x7bff);
  EXPECT_EQ(f16_bits(65520.0F), 0x7c00);
  EXPECT_EQ(f16_bits(0x1p-24F), 0x0001);
  EXPECT_EQ(f16_bits(0x1p-25F), 0x0000);
  EXPECT_EQ(f16_bits(-0.0F), 0x8000);
  EXPECT_EQ(f16_bits(-std::numeric_limits<float>::quiet_NaN()), 0x7fff);
  EXPECT_EQ(bf16_bits(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(e4m3_bits(1e9F), 0x7e);
  EXPECT_EQ(e5m2_bits(-std::numeric_limits<float>::infinity()), 0xfb);
}

}  // namespace
}  // namespace wm
