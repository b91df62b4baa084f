#pragma once
// pow. log2|x| in two numbers, multiplied by y and raised by the polynomial of exp2: log2 m for m
// near 1 is 2 / ln 2 times atanh(s), s = (m - 1) / (m + 1), whose first two terms are carried in
// two numbers and whose rest is a minimax polynomial (Remez exchange).
#include "gpu/math/exponential.hpp"
#include "gpu/math/logarithm.hpp"
#include "gpu/math/trigonometric.hpp"

namespace wm {
namespace detail {

/// ((atanh(s) / s - 1) / s^2 - 1 / 3) / s^2 in z = s^2.
WM_MATH float atanh_tail(float z) {
  return polynomial(z, 0x1.58290cp-4F, 0x1.735260p-4F, 0x1.c7204ep-4F, 0x1.249246p-3F,
                    0x1.99999ap-3F);
}
WM_MATH double atanh_tail(double z) {
  return polynomial(z, 0x1.b8e37df3c844dp-5, 0x1.ac48c58108002p-5, 0x1.e1f80fad39486p-5,
                    0x1.1110df6abdf95p-4, 0x1.3b13b1bd5b596p-4, 0x1.745d174511a9fp-4,
                    0x1.c71c71c71cff2p-4, 0x1.2492492492491p-3, 0x1.999999999999ap-3);
}

template <class T>
struct PowerConstants;
template <>
struct PowerConstants<float> {
  static constexpr Pair<float> kThird{0x1.555556p-2F, -0x1.555556p-27F};
  static constexpr Pair<float> kTwoOverLn2{0x1.715476p+1F, 0x1.4ae0c0p-25F};
};
template <>
struct PowerConstants<double> {
  static constexpr Pair<double> kThird{0x1.5555555555555p-2, 0x1.5555555555555p-56};
  static constexpr Pair<double> kTwoOverLn2{0x1.71547652b82fep+1, 0x1.777d0ffda0d24p-55};
};

/// a b with its rounding error.
template <class T>
WM_MATH Pair<T> exact_product(T a, T b) {
  const T product = a * b;
  return {product, wm::fma(a, b, -product)};
}

/// log2(m) of 2/3 <= m < sqrt(2).
template <class T>
WM_MATH Pair<T> log2_pair(T m) {
  using C = PowerConstants<T>;
  const T u = m - T(1), v = m + T(1);
  const T v_low = m - (v - T(1));
  const T inverse = T(1) / v;
  const T s = u * inverse;
  const T s_low = inverse * wm::fma(-s, v_low, wm::fma(-s, v, u));
  const Pair<T> square = exact_product(s, s);
  const T z_low = wm::fma(T(2) * s, s_low, square.low);
  const Pair<T> w = fast_sum(C::kThird.high, square.high * atanh_tail(square.high));
  const T w_low = w.low + C::kThird.low;
  Pair<T> g = exact_product(square.high, w.high);
  g.low = g.low + wm::fma(square.high, w_low, z_low * w.high);
  Pair<T> t = exact_product(s, g.high);
  t.low = t.low + wm::fma(s, g.low, s_low * g.high);
  const Pair<T> sum = fast_sum(s, t.high);
  const T sum_low = sum.low + (t.low + s_low);
  const Pair<T> scaled = exact_product(C::kTwoOverLn2.high, sum.high);
  return {scaled.high,
          scaled.low + wm::fma(C::kTwoOverLn2.high, sum_low, C::kTwoOverLn2.low * sum.high)};
}

/// x^y for 0 < x < infinity and finite y.
template <class T>
WM_MATH T positive_power(T x, T y) {
  using F = Ieee<T>;
  using R = ExpRange<T>;
  const bool subnormal = x < F::kSmallestNormal;
  const T normal = subnormal ? x * T(typename F::Bits{1} << F::kStored) : x;
  const Exponent<T> e = exponent_of(normal);
  const T k = subnormal ? e.value - T(F::kStored) : e.value;
  const Pair<T> part = log2_pair(from_bits(to_bits(normal) - e.bits));
  const Pair<T> sum = fast_sum(k, part.high);
  const Pair<T> log = fast_sum(sum.high, sum.low + part.low);
  // Where y log2 x is outside the range of exp2, its low part is dropped: it could be NaN.
  const Pair<T> whole = exact_product(y, log.high);
  const bool outside = (whole.high > R::kInfiniteExp2) | (whole.high < R::kZeroExp2);
  const T p = clamp(whole.high, R::kZeroExp2, R::kInfiniteExp2);
  const T low = outside ? T(0) : wm::fma(y, log.low, whole.low);
  const T n = (p + F::kRound) - F::kRound;
  const T r = (p - n) + low;
  return scale(wm::fma(r, exp2_slope(r), T(1)), n);
}

template <class T>
WM_MATH bool is_integer(T a) {
  constexpr T kWhole = T(typename Ieee<T>::Bits{1} << Ieee<T>::kStored);
  return (a >= kWhole) | ((a + kWhole) - kWhole == a);
}

}  // namespace detail

/// x^y. Error: kPowUlp, subnormal results included. Special cases as in C: 1 where y = 0 or x = 1
/// (or x = -1 and y infinite), NaN below 0 unless y is an integer.
template <class T>
WM_MATH T pow(T x, T y) {
  const T infinite = infinity<T>();
  const T a = abs(x), b = abs(y);
  const bool integer = detail::is_integer(b), even = detail::is_integer(b * T(0.5));
  const bool odd = integer & !even;
  const bool negative = (to_bits(x) & detail::Ieee<T>::kSign) != 0;
  const bool ordinary = (a > T(0)) & (a < infinite) & (b < infinite);
  T r = detail::positive_power(ordinary ? a : T(1), ordinary ? y : T(1));
  // 0, infinity, or an infinite exponent: the result is 0, 1 or infinity.
  const bool grows = (a > T(1)) == (y > T(0));
  r = ordinary ? r : a == T(1) ? T(1) : grows ? infinite : T(0);
  const bool flips = negative & odd, undefined = negative & ordinary & !integer;
  const bool nan = (a != a) | (b != b) | undefined, one = (y == T(0)) | (x == T(1));
  r = flips ? -r : r;
  r = nan ? nan_value<T>() : r;
  return one ? T(1) : r;
}

}  // namespace wm
