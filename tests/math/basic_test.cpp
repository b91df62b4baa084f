// The exact part of the kernel math library: rules for zeros, infinities and NaN, exact points, and
// the bits of everything else.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/hash.hpp"
#include "core/rng.hpp"
#include "gpu/math.hpp"

namespace wm {
namespace {

template <class T>
class MathBasics : public testing::Test {
 protected:
  static constexpr T kInf = std::numeric_limits<T>::infinity();
  static constexpr T kNan = std::numeric_limits<T>::quiet_NaN();

  static void expect_same(T actual, T expected) {
    EXPECT_EQ(to_bits(actual), to_bits(expected)) << actual << " instead of " << expected;
  }
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(MathBasics, Types);

TYPED_TEST(MathBasics, FmaRoundsOnce) {
  using T = TypeParam;
  const T e = std::numeric_limits<T>::epsilon();
  const T a = T(1) + e;
  // a * a = 1 + 2e + e^2: the last term survives only without an intermediate rounding.
  this->expect_same(wm::fma(a, a, -(T(1) + T(2) * e)), e * e);
}

TYPED_TEST(MathBasics, MaximumAndMinimumOrderZerosAndLoseNaN) {
  using T = TypeParam;
  const T inf = this->kInf, nan = this->kNan, canonical = nan_value<T>();
  const std::vector<T> ascending{-inf, T(-2), T(-1), T(-0.0), T(0), T(1), T(2), inf};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      this->expect_same(wm::fmax(ascending[i], ascending[j]), ascending[std::max(i, j)]);
      this->expect_same(wm::fmin(ascending[i], ascending[j]), ascending[std::min(i, j)]);
      this->expect_same(wm::fmax_nan(ascending[i], ascending[j]), ascending[std::max(i, j)]);
      this->expect_same(wm::fmin_nan(ascending[i], ascending[j]), ascending[std::min(i, j)]);
    }
    const T x = ascending[i];
    for (const T r : {wm::fmax(x, nan), wm::fmax(-nan, x), wm::fmin(x, -nan), wm::fmin(nan, x)}) {
      this->expect_same(r, x);
    }
    for (const T r : {wm::fmax_nan(x, nan), wm::fmax_nan(-nan, x), wm::fmin_nan(x, nan),
                      wm::fmin_nan(-nan, x)}) {
      this->expect_same(r, canonical);
    }
  }
  for (const T r : {wm::fmax(nan, -nan), wm::fmin(-nan, nan), wm::fmax_nan(nan, nan)}) {
    this->expect_same(r, canonical);
  }
}

TYPED_TEST(MathBasics, ToIntTruncatesAndSaturates) {
  using T = TypeParam;
  EXPECT_EQ(to_int(T(1.9)), 1);
  EXPECT_EQ(to_int(T(-1.9)), -1);
  EXPECT_EQ(to_int(T(-0.0)), 0);
  EXPECT_EQ(to_int(T(2147483520)), 2147483520);
  EXPECT_EQ(to_int(T(2147483648.0)), INT32_MAX);
  EXPECT_EQ(to_int(T(-2147483648.0)), INT32_MIN);
  EXPECT_EQ(to_int(T(-1e20)), INT32_MIN);
  EXPECT_EQ(to_int(this->kInf), INT32_MAX);
  EXPECT_EQ(to_int(-this->kInf), INT32_MIN);
  EXPECT_EQ(to_int(this->kNan), 0);
}

TYPED_TEST(MathBasics, SignsAndRoots) {
  using T = TypeParam;
  this->expect_same(wm::abs(T(-0.0)), T(0));
  this->expect_same(wm::abs(-this->kInf), this->kInf);
  this->expect_same(wm::copysign(T(3), T(-0.0)), T(-3));
  this->expect_same(wm::copysign(T(-3), T(1)), T(3));
  this->expect_same(wm::sqrt(T(-0.0)), T(-0.0));
  this->expect_same(wm::sqrt(T(144)), T(12));
  this->expect_same(wm::rsqrt(T(0.25)), T(2));
  this->expect_same(wm::rsqrt(T(-0.0)), -this->kInf);
  this->expect_same(wm::rsqrt(this->kInf), T(0));
}

/// The points the exact recipes of the ops rely on.
TYPED_TEST(MathBasics, ExactPoints) {
  using T = TypeParam;
  const T inf = this->kInf;
  for (const T zero : {T(0), T(-0.0)}) {
    this->expect_same(wm::exp(zero), T(1));
    this->expect_same(wm::exp2(zero), T(1));
    this->expect_same(wm::expm1(zero), zero);
    this->expect_same(wm::log1p(zero), zero);
    this->expect_same(wm::tanh(zero), zero);
    this->expect_same(wm::erf(zero), zero);
    this->expect_same(wm::sigmoid(zero), T(0.5));
    this->expect_same(wm::log(zero), -inf);
  }
  this->expect_same(wm::log(T(1)), T(0));
  this->expect_same(wm::exp(-inf), T(0));
  this->expect_same(wm::exp(inf), inf);
  this->expect_same(wm::expm1(-inf), T(-1));
  this->expect_same(wm::tanh(-inf), T(-1));
  this->expect_same(wm::sigmoid(-inf), T(0));
  this->expect_same(wm::sigmoid(inf), T(1));
  this->expect_same(wm::erf(inf), T(1));
  this->expect_same(wm::log(inf), inf);
  this->expect_same(wm::log1p(T(-1)), -inf);
}

TYPED_TEST(MathBasics, Exp2OfIntegersIsExact) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  T power = Limits::denorm_min();
  for (int n = Limits::min_exponent - Limits::digits; n < Limits::max_exponent; ++n) {
    this->expect_same(wm::exp2(static_cast<T>(n)), power);
    power *= T(2);
  }
  this->expect_same(wm::exp2(static_cast<T>(Limits::max_exponent)), this->kInf);
}

TYPED_TEST(MathBasics, ExactPointsOfTheOtherFunctions) {
  using T = TypeParam;
  const T inf = this->kInf;
  for (const T zero : {T(0), T(-0.0)}) {
    this->expect_same(wm::sin(zero), zero);
    this->expect_same(wm::cos(zero), T(1));
    this->expect_same(wm::erfc(zero), T(1));
    this->expect_same(wm::log2(zero), -inf);
    this->expect_same(wm::log10(zero), -inf);
  }
  this->expect_same(wm::erfc(inf), T(0));
  this->expect_same(wm::erfc(-inf), T(2));
  this->expect_same(wm::log2(inf), inf);
  this->expect_same(wm::log10(T(1)), T(0));
  using Limits = std::numeric_limits<T>;
  T power = Limits::denorm_min();
  for (int n = Limits::min_exponent - Limits::digits; n < Limits::max_exponent; ++n) {
    this->expect_same(wm::log2(power), static_cast<T>(n));
    power *= T(2);
  }
}

/// The special cases of C's pow, annex F.
TYPED_TEST(MathBasics, PowersOfSpecialValues) {
  using T = TypeParam;
  const T inf = this->kInf, nan = this->kNan, max = std::numeric_limits<T>::max();
  const std::vector<T> values{T(-0.0),
                              T(0),
                              T(-1),
                              T(1),
                              T(-2),
                              T(2),
                              T(-3),
                              T(3),
                              T(0.5),
                              -inf,
                              inf,
                              nan,
                              max,
                              -max,
                              T(-2.5),
                              T(-0.5),
                              T(1e-3),
                              T(7),
                              std::numeric_limits<T>::denorm_min()};
  for (const T x : values) {
    for (const T y : values) {
      const T expected = std::pow(x, y), got = wm::pow(x, y);
      if (expected != expected)
        EXPECT_NE(got, got) << x << " ^ " << y;
      else if (expected == 0 || std::isinf(expected) || std::fabs(expected) == 1)
        this->expect_same(got, expected);
      else
        EXPECT_NEAR(static_cast<double>(got / expected), 1, 1e-6) << x << " ^ " << y;
    }
  }
}

TYPED_TEST(MathBasics, NaNStaysNaN) {
  using T = TypeParam;
  for (const T nan : {this->kNan, -this->kNan}) {
    for (const T r :
         {wm::exp(nan),        wm::exp2(nan),  wm::expm1(nan),       wm::tanh(nan),
          wm::sigmoid(nan),    wm::log(nan),   wm::log1p(nan),       wm::erf(nan),
          wm::rsqrt(nan),      wm::log(T(-1)), wm::log(-this->kInf), wm::log1p(T(-2)),
          wm::log2(nan),       wm::log10(nan), wm::log2(T(-1)),      wm::log10(T(-1)),
          wm::erfc(nan),       wm::sin(nan),   wm::cos(nan),         wm::sin(this->kInf),
          wm::cos(-this->kInf)}) {
      EXPECT_NE(r, r);
    }
  }
}

TYPED_TEST(MathBasics, OddFunctionsAreOdd) {
  using T = TypeParam;
  const Random random(8, 8);
  for (std::uint64_t i = 0; i < 10000; ++i) {
    const T x = static_cast<T>(2 * random.normal(i));
    this->expect_same(wm::tanh(-x), -wm::tanh(x));
    this->expect_same(wm::erf(-x), -wm::erf(x));
  }
}

/// Golden bits: a compiler, an optimisation level or a GPU that gives others breaks the bit twin. A
/// deliberate change of the library changes them.
template <class T>
std::string digest_of_functions() {
  const Random random(9, 9);
  std::vector<T> results;
  const auto append = [&](T r) { results.push_back(r == r ? r : nan_value<T>()); };
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const T x = static_cast<T>(4 * random.normal(i));
    for (const T r : {wm::exp(x), wm::exp2(x), wm::expm1(x), wm::tanh(x), wm::sigmoid(x),
                      wm::log(x), wm::log1p(x), wm::erf(x), wm::rsqrt(x)}) {
      append(r);
    }
  }
  return sha256_hex(results.data(), results.size() * sizeof(T));
}

template <class T>
std::string digest_of_other_functions() {
  const Random random(10, 10);
  std::vector<T> results;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const T x = static_cast<T>(4 * random.normal(2 * i));
    const T y = static_cast<T>(4 * random.normal(2 * i + 1));
    const T large = x * T(0x1p60);
    for (const T r : {wm::sin(x), wm::cos(x), wm::sin(large), wm::cos(large), wm::erfc(x),
                      wm::log2(wm::abs(x)), wm::log10(wm::abs(x)), wm::pow(wm::abs(x), y)}) {
      results.push_back(r == r ? r : nan_value<T>());
    }
  }
  return sha256_hex(results.data(), results.size() * sizeof(T));
}

TEST(MathBits, OfTheOtherFunctionsAreTheSameForEveryCompiler) {
  EXPECT_EQ(digest_of_other_functions<float>(),
            "055756c54164592581c28bd099df10bba321955c2943647a009643315a5f4af5");
  EXPECT_EQ(digest_of_other_functions<double>(),
            "c889780e6591995bb310927dda585e0731654dbd9658f047ad3d56dc1997d369");
}

TEST(MathBits, AreTheSameForEveryCompiler) {
  EXPECT_EQ(digest_of_functions<float>(),
            "c1fb201a0f97bcb90c126865a8e247435f795df71430e74b757e5433ebeb76ac");
  EXPECT_EQ(digest_of_functions<double>(),
            "98d9c45d6db97d355b42d1396ec13ab7fd3b6dd6b63c26f6a697264007611b82");
}

}  // namespace
}  // namespace wm
