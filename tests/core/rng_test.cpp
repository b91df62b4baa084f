#include "core/rng.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/hash.hpp"

namespace wm {
namespace {

using Counter = std::array<std::uint32_t, 4>;

// philox4x32 10 lines of Random123's kat_vectors.
TEST(Rng, PhiloxKnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Rng, NumbersAreAddressedByIndexSeedAndStream) {
  const Random a(1, 2);
  EXPECT_EQ(a.bits(5), Random(1, 2).bits(5));
  EXPECT_NE(a.bits(5), a.bits(6));
  EXPECT_NE(a.bits(5), Random(2, 2).bits(5));
  EXPECT_NE(a.bits(5), Random(1, 3).bits(5));
  EXPECT_NE(a.bits(5), Random(1, 2 + (std::uint64_t{1} << 32)).bits(5));
  EXPECT_NE(a.bits(5), a.bits(5 + (std::uint64_t{1} << 32)));
}

/// The recipes' meaning is in these bits: they must never change, whatever compiler or libm.
TEST(Rng, TheFirstHundredThousandNormalsHaveFixedBits) {
  const Random random(42, 7);
  std::vector<double> values(100000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = random.normal(i);
  EXPECT_EQ(sha256_hex(values.data(), values.size() * sizeof(double)),
            "8049d04a5dd324d69fcdf31072ac17438c5bdf8d17c8f0702cc2a7e791a9ae3f");
}

TEST(Rng, NormalIsBoxMullerOfTheBlock) {
  const std::uint64_t seed = 0x123456789abcdef0;
  const Random random(seed, 9);
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const Counter word = philox4x32({static_cast<std::uint32_t>(i), 0, 9, 0},
                                    {static_cast<std::uint32_t>(seed), 0x12345678});
    const auto unit = [&](int k) {
      return std::ldexp(static_cast<double>(((std::uint64_t{word[k]} << 32) | word[k + 1]) >> 11),
                        -53);
    };
    constexpr long double kTwoPi = 6.283185307179586476925286766559L;
    const long double expected =
        std::sqrt(-2 * std::log(static_cast<long double>(unit(0)) + 0x1p-53L)) *
        std::cos(kTwoPi * static_cast<long double>(unit(2)));
    const double actual = random.normal(i);
    ASSERT_NEAR(actual, static_cast<double>(expected), 4e-16 * (1 + std::fabs(actual))) << i;
  }
}

TEST(Rng, NormalMoments) {
  const Random random(11, 0);
  constexpr int kCount = 1000000;
  double sum = 0, square = 0, fourth = 0;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const double x = random.normal(i);
    sum += x;
    square += x * x;
    fourth += x * x * x * x;
  }
  // Five standard deviations of each sample moment: 1, sqrt(2), sqrt(96) over sqrt(kCount).
  EXPECT_NEAR(sum / kCount, 0, 0.005);
  EXPECT_NEAR(square / kCount, 1, 0.0071);
  EXPECT_NEAR(fourth / kCount, 3, 0.049);
}

TEST(Rng, UniformCoversTheUnitIntervalEvenly) {
  const Random random(5, 1);
  constexpr int kCells = 16;
  constexpr int kCount = 160000;
  std::array<int, kCells> count{};
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const double u = random.uniform(i);
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    ++count[static_cast<std::size_t>(u * kCells)];
  }
  for (const int n : count) EXPECT_NEAR(n, kCount / kCells, 500);  // five deviations
}

TEST(Rng, IntegerStaysInRangeAndReachesBothEnds) {
  const Random random(6, 1);
  std::array<int, 7> count{};
  for (std::uint64_t i = 0; i < 7000; ++i) {
    const std::int64_t n = random.integer(i, -3, 3);
    ASSERT_GE(n, -3);
    ASSERT_LE(n, 3);
    ++count[static_cast<std::size_t>(n + 3)];
  }
  for (const int n : count) EXPECT_NEAR(n, 1000, 150);
  EXPECT_EQ(random.integer(0, 5, 5), 5);
}

TEST(Rng, IntegerHandlesTheFullRangeAndRefusesAnEmptyOne) {
  const Random random(6, 1);
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  int negative = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) negative += random.integer(i, kMin, kMax) < 0 ? 1 : 0;
  EXPECT_NEAR(negative, 500, 80);
  EXPECT_THROW(random.integer(0, 1, 0), UsageError);
}

}  // namespace
}  // namespace wm
