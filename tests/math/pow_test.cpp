// Largest error of pow against MPFR: random bases with exponents over the whole range of results,
// bases near 1, negative bases, subnormal bases and results.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "core/rng.hpp"
#include "gpu/math.hpp"
#include "math/mpfr_reference.hpp"

namespace wm {
namespace {

template <class T>
class Pow : public testing::Test {
 protected:
  void add(T x, T y) {
    mpfr_set_d(x_.get(), static_cast<double>(x), MPFR_RNDN);
    mpfr_set_d(y_.get(), static_cast<double>(y), MPFR_RNDN);
    mpfr_pow(exact_.get(), x_.get(), y_.get(), MPFR_RNDN);
    const double error = test::ulp_error(wm::pow(x, y), exact_);
    ++points_;
    if (error <= worst_) return;
    worst_ = error;
    base_ = x;
    exponent_ = y;
  }
  /// An exponent that takes x anywhere in the range of results and a little beyond.
  T exponent_for(T x, double position) const {
    constexpr double kRange = std::numeric_limits<T>::max_exponent + 60.0;
    const double log = std::fabs(std::log2(static_cast<double>(x)));
    return static_cast<T>(std::fmin(kRange / log, 1e30) * (2 * position - 1));
  }
  void expect_within_bound() const {
    std::printf("pow      %s  %6.3f ulp (bound %g) at %.17g ^ %.17g, %d points\n",
                sizeof(T) == 4 ? "f32" : "f64", worst_, kPowUlp<T>, static_cast<double>(base_),
                static_cast<double>(exponent_), points_);
    EXPECT_LE(worst_, kPowUlp<T>) << static_cast<double>(base_) << " ^ "
                                  << static_cast<double>(exponent_);
  }

 private:
  test::Exact x_, y_, exact_;
  double worst_ = 0;
  T base_ = 0, exponent_ = 0;
  int points_ = 0;
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Pow, Types);

TYPED_TEST(Pow, StaysWithinItsBound) {
  using T = TypeParam;
  using Bits = decltype(to_bits(T()));
  const Random random(21, 27);
  constexpr Bits kSign = detail::Ieee<T>::kSign;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const std::uint64_t pattern =
        std::uint64_t{random.bits(3 * i + 100000)} << 32 | random.bits(3 * i);
    const T any = from_bits(static_cast<Bits>(static_cast<Bits>(pattern) & ~kSign));
    const double where = random.uniform(3 * i + 1), spread = random.uniform(3 * i + 2);
    if (any > T(0) && any < infinity<T>()) this->add(any, this->exponent_for(any, where));
    const T near_one =
        static_cast<T>(1 + (spread - 0.5) * std::exp2(-0.002 * static_cast<double>(i)));
    this->add(near_one, this->exponent_for(near_one, where));
    const T moderate = static_cast<T>(0.1 + 10 * spread);
    this->add(moderate, static_cast<T>(20 * (where - 0.5)));
    this->add(-moderate, static_cast<T>(std::floor(40 * (where - 0.5))));
    const T tiny = std::numeric_limits<T>::denorm_min() * static_cast<T>(1 + i);
    this->add(tiny, static_cast<T>(where));
  }
  for (int x = 1; x < 40; ++x)
    for (int y = -20; y <= 20; ++y) this->add(static_cast<T>(x), static_cast<T>(y) * T(0.5));
  this->expect_within_bound();
}

TYPED_TEST(Pow, SmallPowersOfIntegersAreExact) {
  using T = TypeParam;
  for (int x = 1; x <= 16; ++x) {
    T power = 1;
    for (int y = 0; y <= 5; ++y, power *= static_cast<T>(x)) {
      EXPECT_EQ(wm::pow(static_cast<T>(x), static_cast<T>(y)), power) << x << " ^ " << y;
    }
  }
}

}  // namespace
}  // namespace wm
