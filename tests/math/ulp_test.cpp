// Largest error of every transcendental function against MPFR, asserted to stay within the constant
// that claims use. Prints one line a function: type, largest error, where, points.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "core/rng.hpp"
#include "gpu/math.hpp"
#include "math/mpfr_reference.hpp"

namespace wm {
namespace {

/// A function, its reference, and where it is worth sampling densely.
template <class T>
struct Function {
  std::string name;
  T (*function)(T);
  double (*wide)(double);  ///< the double version
  test::Reference reference;
  double bound;               ///< ulp
  double low, high;           ///< the interval outside which it is constant, infinite or NaN
  double period;              ///< range reduction repeats with it; 0: none
  std::vector<double> edges;  ///< where it changes its method or its result saturates
};

template <class T>
std::vector<Function<T>> functions() {
  using test::reference;
  constexpr bool kSingle = sizeof(T) == 4;
  constexpr double kLn2 = 0.69314718055994530942;
  const double largest = kSingle ? 88.722839 : 709.78271289338397;
  const double smallest = kSingle ? -103.97208 : -745.13321910194122;
  const double top = kSingle ? 128 : 1024;
  const double bottom = kSingle ? -150 : -1075;
  return {
      {"exp",
       wm::exp,
       wm::exp,
       reference<mpfr_exp>,
       kExpUlp<T>,
       smallest - 2,
       largest + 2,
       kLn2,
       {largest, smallest, kSingle ? -87.336544 : -708.39641853226408}},
      {"exp2",
       wm::exp2,
       wm::exp2,
       reference<mpfr_exp2>,
       kExp2Ulp<T>,
       bottom - 2,
       top + 2,
       1,
       {top, bottom, kSingle ? -126.0 : -1022.0}},
      {"expm1",
       wm::expm1,
       wm::expm1,
       reference<mpfr_expm1>,
       kExpm1Ulp<T>,
       kSingle ? -20 : -40,
       largest + 2,
       kLn2,
       {largest, -kLn2, kLn2, -17, -37, 0x1p-60, -0x1p-60}},
      {"tanh",
       wm::tanh,
       wm::tanh,
       reference<mpfr_tanh>,
       kTanhUlp<T>,
       -22,
       22,
       kLn2 / 2,
       {0.55, -0.55, 9.01, 10, 19.06, 22}},
      {"sigmoid",
       wm::sigmoid,
       wm::sigmoid,
       test::reference_sigmoid,
       kSigmoidUlp<T>,
       smallest - 2,
       kSingle ? 20 : 40,
       kLn2,
       {smallest, -largest, 0, 16.6, 36.7}},
      {"log",
       wm::log,
       wm::log,
       reference<mpfr_log>,
       kLogUlp<T>,
       0,
       4,
       0,
       {1, 2. / 3, 4. / 3, 0.70710678118654752, 1.4142135623730950,
        kSingle ? 0x1p-126 : 0x1p-1022}},
      {"log1p",
       wm::log1p,
       wm::log1p,
       reference<mpfr_log1p>,
       kLog1pUlp<T>,
       -1,
       4,
       0,
       {-1, -1. / 3, 1. / 3, 0.41421356237309505, -0.29289321881345248}},
      {"erf",
       wm::erf,
       wm::erf,
       reference<mpfr_erf>,
       kErfUlp<T>,
       -6,
       6,
       0,
       {0.93, -0.93, 3.92, 5.93}},
      {"log2",
       wm::log2,
       wm::log2,
       reference<mpfr_log2>,
       kLog2Ulp<T>,
       0,
       4,
       0,
       {1, 2. / 3, 4. / 3, 0.70710678118654752, 1.4142135623730950,
        kSingle ? 0x1p-126 : 0x1p-1022}},
      {"log10",
       wm::log10,
       wm::log10,
       reference<mpfr_log10>,
       kLog10Ulp<T>,
       0,
       4,
       0,
       {1, 10, 2. / 3, 4. / 3, 0.70710678118654752, 1.4142135623730950,
        kSingle ? 0x1p-126 : 0x1p-1022}},
      {"erfc",
       wm::erfc,
       wm::erfc,
       reference<mpfr_erfc>,
       kErfcUlp<T>,
       -6,
       kSingle ? 10.5 : 28,
       0,
       {0.47, -0.47, 0.93, 2, kSingle ? 9.19 : 26.54, kSingle ? 10.05 : 27.22, -3.9, -5.9}},
      // The last edges are among the numbers nearest to a multiple of pi/2.
      {"sin",
       wm::sin,
       wm::sin,
       reference<mpfr_sin>,
       kSinUlp<T>,
       -60,
       60,
       1.5707963267948966,
       {1.5707963267948966, 3.1415926535897932, 6196.79149, 32768, 0x1p24, 16367173. * 0x1p72,
        6381956970095103. * 0x1p797}},
      {"cos",
       wm::cos,
       wm::cos,
       reference<mpfr_cos>,
       kCosUlp<T>,
       -60,
       60,
       1.5707963267948966,
       {1.5707963267948966, 3.1415926535897932, 6196.79149, 32768, 0x1p24, 16367173. * 0x1p72,
        6381956970095103. * 0x1p797}},
      {"rsqrt", wm::rsqrt, wm::rsqrt, test::reference_rsqrt, kRsqrtUlp<T>, 0, 4, 0, {1, 2, 4}},
  };
}

/// Both signs of: `value`, 20 neighbours on each side, and points that approach it by powers of
/// two.
template <class T>
void append_around(std::vector<T>& points, double value) {
  const auto append = [&](T x) {
    points.push_back(x);
    points.push_back(-x);
  };
  T above = static_cast<T>(value);
  T below = above;
  for (int i = 0; i < 20; ++i) {
    append(above);
    append(below);
    above = std::nextafter(above, std::numeric_limits<T>::infinity());
    below = std::nextafter(below, -std::numeric_limits<T>::infinity());
  }
  for (double step = 0.5; step > 0x1p-53; step *= 0.8) {
    append(static_cast<T>(value + value * step));
    append(static_cast<T>(value - value * step));
  }
}

/// Both signs of every exponent: its ends, and `count` random significands.
template <class T>
void append_exponents(std::vector<T>& points, int count) {
  using Bits = decltype(to_bits(T()));
  constexpr int kStored = std::numeric_limits<T>::digits - 1;
  constexpr Bits kFraction = (Bits{1} << kStored) - 1;
  const Random random(20, 26);
  std::uint64_t next = 0;
  for (int e = 0; e < 2 * std::numeric_limits<T>::max_exponent - 1; ++e) {
    std::vector<Bits> fractions{0, 1, kFraction};
    for (int i = 0; i < count; ++i) {
      fractions.push_back(static_cast<Bits>(random.integer(next++, 0, std::int64_t{kFraction})));
    }
    for (const Bits fraction : fractions) {
      const T x = from_bits(static_cast<Bits>((static_cast<Bits>(e) << kStored) | fraction));
      points.push_back(x);
      points.push_back(-x);
    }
  }
}

template <class T>
std::vector<T> sample(const Function<T>& f) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> points{T(0),           T(-0.0),       Limits::infinity(), -Limits::infinity(),
                        nan_value<T>(), Limits::max(), Limits::lowest()};
  append_exponents(points, sizeof(T) == 4 ? 24 : 2);
  for (const double edge : f.edges) append_around(points, edge);
  const Random random(20, 25);
  for (std::uint64_t i = 0; i < 10000; ++i) {
    // The factor fills the low bits, which a uniform number near 0 has as zeros.
    const double u = random.uniform(2 * i);
    points.push_back(static_cast<T>((f.low + (f.high - f.low) * u) * (1 + 0x1p-30 * u)));
    points.push_back(static_cast<T>(random.normal(2 * i + 1)));
  }
  if (f.period > 0) {  // the ends of the reduced interval lie in the middle between multiples
    for (double k = std::ceil(f.low / f.period); k * f.period < f.high; ++k) {
      const T middle = static_cast<T>((k + 0.5) * f.period);
      points.push_back(middle);
      points.push_back(std::nextafter(middle, Limits::infinity()));
      points.push_back(std::nextafter(middle, -Limits::infinity()));
    }
  }
  return points;
}

template <class T>
void expect_within_bound(const Function<T>& f) {
  double worst = 0;
  T where = 0;
  const std::vector<T> points = sample(f);
  test::Exact x, y;
  for (const T point : points) {
    mpfr_set_d(x.get(), static_cast<double>(point), MPFR_RNDN);
    f.reference(y.get(), x.get());
    const double error = test::ulp_error(f.function(point), y);
    if (!(error <= worst)) {
      worst = error;
      where = point;
    }
  }
  std::printf("%-8s %s  %6.3f ulp (bound %g) at %.17g, %zu points\n", f.name.c_str(),
              sizeof(T) == 4 ? "f32" : "f64", worst, f.bound, static_cast<double>(where),
              points.size());
  EXPECT_LE(worst, f.bound) << f.name << " at " << static_cast<double>(where);
}

/// Every 331st float against the double version of the function, whose own error is invisible here.
void expect_dense_within_bound(const Function<float>& f) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  double worst = 0;
  float where = 0;
  for (std::uint32_t bits = 0; bits < 0xff800000U; bits += 331) {
    const float x = from_bits(bits);
    const double exact = f.wide(static_cast<double>(x));
    if (!(std::fabs(exact) <= kLargest)) continue;
    const double normal = std::max(std::fabs(exact), 0x1p-126);
    const double power = from_bits(to_bits(normal) & (std::uint64_t{0xfff} << 52));
    const double error = std::fabs(static_cast<double>(f.function(x)) - exact) / (power * 0x1p-23);
    if (!(error <= worst)) {
      worst = error;
      where = x;
    }
  }
  std::printf("%-8s f32  %6.3f ulp (bound %g) at %.9g, every 331st number\n", f.name.c_str(), worst,
              f.bound, static_cast<double>(where));
  EXPECT_LE(worst, f.bound) << f.name << " at " << static_cast<double>(where);
}

class UlpF32 : public testing::TestWithParam<Function<float>> {};
class UlpF64 : public testing::TestWithParam<Function<double>> {};
TEST_P(UlpF32, StaysWithinItsBound) { expect_within_bound(GetParam()); }
TEST_P(UlpF32, StaysWithinItsBoundEverywhere) { expect_dense_within_bound(GetParam()); }
TEST_P(UlpF64, StaysWithinItsBound) { expect_within_bound(GetParam()); }

constexpr auto kName = [](const auto& param_info) { return param_info.param.name; };
INSTANTIATE_TEST_SUITE_P(Math, UlpF32, testing::ValuesIn(functions<float>()), kName);
INSTANTIATE_TEST_SUITE_P(Math, UlpF64, testing::ValuesIn(functions<double>()), kName);

}  // namespace
}  // namespace wm
