// Time of every function against the C library's in an elementwise loop, as kernels on the emulator
// call them. The best of several rounds counts, both sides in turn.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "core/rng.hpp"
#include "gpu/math.hpp"

namespace wm {
namespace {

constexpr double kSlowest = 3;
constexpr std::size_t kElements = 2048;
constexpr int kRounds = 25;

template <class T, class F>
[[gnu::noinline]] double nanoseconds(const std::vector<T>& x, std::vector<T>& y, F f) {
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < kElements; ++i) y[i] = f(x[i]);
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  return time.count() / kElements;
}

template <class T, class Own, class Libm>
void compare(const char* name, double low, double high, Own own, Libm libm) {
  const Random random(3, 4);
  std::vector<T> x(kElements), y(kElements);
  for (std::size_t i = 0; i < kElements; ++i)
    x[i] = static_cast<T>(low + (high - low) * random.uniform(i));
  double best_own = 1e9, best_libm = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    best_own = std::min(best_own, nanoseconds(x, y, own));
    best_libm = std::min(best_libm, nanoseconds(x, y, libm));
  }
  std::printf("%-8s %s  %6.2f ns, C library %6.2f ns, ratio %.2f\n", name,
              sizeof(T) == 4 ? "f32" : "f64", best_own, best_libm, best_own / best_libm);
  EXPECT_LE(best_own, kSlowest * best_libm) << name;
}

template <class T>
class Speed : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Speed, Types);

#define WM_COMPARE(name, low, high) \
  compare<T>(                       \
      #name, low, high, [](T x) { return wm::name(x); }, [](T x) { return std::name(x); })

TYPED_TEST(Speed, IsAtMostThreeTimesTheCLibrarys) {
#if defined(WM_SANITIZED)
  GTEST_SKIP() << "a measurement of code without sanitizers";
#endif
  using T = TypeParam;
  WM_COMPARE(exp, -20, 20);
  WM_COMPARE(exp2, -20, 20);
  WM_COMPARE(expm1, -5, 5);
  WM_COMPARE(tanh, -5, 5);
  WM_COMPARE(log, 0.01, 100);
  WM_COMPARE(log1p, -0.5, 10);
  WM_COMPARE(log2, 0.01, 100);
  WM_COMPARE(log10, 0.01, 100);
  WM_COMPARE(erf, -4, 4);
  WM_COMPARE(erfc, -4, 8);
  WM_COMPARE(sin, -100, 100);
  WM_COMPARE(cos, -100, 100);
  compare<T>(
      "pow", 0.01, 20, [](T x) { return wm::pow(x, T(1.7)); },
      [](T x) { return std::pow(x, T(1.7)); });
}

}  // namespace
}  // namespace wm
