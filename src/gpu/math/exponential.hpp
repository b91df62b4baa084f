#pragma once
// exp, exp2, expm1, tanh and the logistic function. Range reduction x = k ln 2 + r with k rounded
// to nearest, a minimax polynomial in r (Remez exchange; error below 0.05 ulp in every case), and
// an exact scaling by 2^k. No branches: special cases are clamped or selected.
#include "gpu/math/basic.hpp"

namespace wm {
namespace detail {

template <class T>
struct ExpRange;
template <>
struct ExpRange<float> {
  static constexpr float kLog2E = 0x1.715476p+0F;
  static constexpr float kLn2Hi = 0x1.62e430p-1F;
  static constexpr float kLn2Lo = -0x1.05c610p-29F;
  static constexpr float kZero = -105;     ///< exp rounds to 0 from here down
  static constexpr float kInfinite = 89;   ///< and to infinity from here up
  static constexpr float kMinusOne = -20;  ///< expm1 rounds to -1 from here down
  static constexpr float kTanhOne = 10;    ///< tanh rounds to 1 from here up
  static constexpr float kZeroExp2 = -151;
  static constexpr float kInfiniteExp2 = 129;
};
template <>
struct ExpRange<double> {
  static constexpr double kLog2E = 0x1.71547652b82fep+0;
  static constexpr double kLn2Hi = 0x1.62e42fefa39efp-1;
  static constexpr double kLn2Lo = 0x1.abc9e3b39803fp-56;
  static constexpr double kZero = -746;
  static constexpr double kInfinite = 710;
  static constexpr double kMinusOne = -40;
  static constexpr double kTanhOne = 22;
  static constexpr double kZeroExp2 = -1076;
  static constexpr double kInfiniteExp2 = 1025;
};

/// (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2.
WM_MATH float exp_tail(float r) {
  return polynomial(r, 0x1.9f07d6p-13F, 0x1.6d8d5ap-10F, 0x1.111272p-7F, 0x1.55548ep-5F,
                    0x1.555554p-3F, 0x1p-1F);
}
WM_MATH double exp_tail(double r) {
  return polynomial(r, 0x1.1e3dcc2f9717ep-29, 0x1.af6bd2e9d118dp-26, 0x1.27e5b3e6c1e3dp-22,
                    0x1.71ddf02e0700fp-19, 0x1.a01a0136bbe48p-16, 0x1.a01a01b378484p-13,
                    0x1.6c16c16c303d8p-10, 0x1.111111110ec6fp-7, 0x1.5555555555503p-5,
                    0x1.555555555555bp-3, 0x1p-1);
}

/// (2^r - 1) / r for |r| <= 1/2.
WM_MATH float exp2_slope(float r) {
  return polynomial(r, 0x1.41fb5cp-13F, 0x1.5f3ed8p-10F, 0x1.3b2d4ep-7F, 0x1.c6aee8p-5F,
                    0x1.ebfbdcp-3F, 0x1.62e430p-1F);
}
WM_MATH double exp2_slope(double r) {
  return polynomial(r, 0x1.c2ce5e1bdb342p-36, 0x1.ea015315b98dcp-32, 0x1.e4d06ca487e33p-28,
                    0x1.b524dd52f86aep-24, 0x1.62c021e26280dp-20, 0x1.ffcbfc74d6dd4p-17,
                    0x1.430912f883d0cp-13, 0x1.5d87fe78a26c8p-10, 0x1.3b2ab6fba4e22p-7,
                    0x1.c6b08d704a0cfp-5, 0x1.ebfbdff82c58fp-3, 0x1.62e42fefa39efp-1);
}

/// 2^n of a sum n + kRound, for n in the normal exponent range.
template <class T>
WM_MATH T power_of_two(T shifted) {
  using F = Ieee<T>;
  return from_bits((to_bits(shifted) << F::kStored) + F::kOne);
}

/// p 2^k, rounded once when the result is subnormal; k up to twice the exponent range.
template <class T>
WM_MATH T scale(T p, T k) {
  constexpr T kRound = Ieee<T>::kRound;
  const T half = wm::fma(k, T(0.5), kRound);
  const T rest = (k - (half - kRound)) + kRound;
  return p * power_of_two(half) * power_of_two(rest);
}

template <class T>
WM_MATH T clamp(T x, T low, T high) {
  const T capped = x > high ? high : x;
  return capped < low ? low : capped;  // NaN passes
}

/// x = k ln 2 + r.
template <class T>
struct ExpArgument {
  T shifted;  ///< k + kRound
  T k;
  T r;
};
template <class T>
WM_MATH ExpArgument<T> reduce_exp(T x) {
  using R = ExpRange<T>;
  const T shifted = wm::fma(x, R::kLog2E, Ieee<T>::kRound);
  const T k = shifted - Ieee<T>::kRound;
  return {shifted, k, wm::fma(k, -R::kLn2Lo, wm::fma(k, -R::kLn2Hi, x))};
}

/// exp(x) where the result is far from overflow and underflow.
template <class T>
WM_MATH T exp_moderate(T x) {
  const ExpArgument<T> a = reduce_exp(x);
  return (T(1) + wm::fma(a.r * a.r, exp_tail(a.r), a.r)) * power_of_two(a.shifted);
}

/// tanh(a) for 0 <= a < 0.55.
WM_MATH float tanh_small(float a) {
  const float s = a * a;
  const float p = polynomial(s, 0x1.3a4682p-9F, -0x1.13c4c0p-7F, 0x1.64e688p-6F, -0x1.ba09d0p-5F,
                             0x1.1110dcp-3F, -0x1.555554p-2F);
  return wm::fma(a * s, p, a);
}
/// Rational approximation of Cephes' tanh.c (Moshier).
WM_MATH double tanh_small(double a) {
  const double s = a * a;
  const double p = polynomial(s, -9.64399179425052238628e-1, -9.92877231001918586564e1,
                              -1.61468768441708447952e3);
  const double q = polynomial(s, 1.0, 1.12811678491632931402e2, 2.23548839060100448583e3,
                              4.84406305325125486048e3);
  return wm::fma(a * s, p / q, a);
}

}  // namespace detail

/// e^x. Error: kExpUlp, subnormal results included; exp(-inf) = 0, exp(+inf) = inf, NaN stays.
template <class T>
WM_MATH T exp(T x) {
  using R = detail::ExpRange<T>;
  const detail::ExpArgument<T> a = detail::reduce_exp(detail::clamp(x, R::kZero, R::kInfinite));
  return detail::scale(T(1) + wm::fma(a.r * a.r, detail::exp_tail(a.r), a.r), a.k);
}

/// 2^x, exact for integers. Error: kExp2Ulp, subnormal results included.
template <class T>
WM_MATH T exp2(T x) {
  using R = detail::ExpRange<T>;
  constexpr T kRound = detail::Ieee<T>::kRound;
  const T inside = detail::clamp(x, R::kZeroExp2, R::kInfiniteExp2);
  const T k = (inside + kRound) - kRound;
  const T r = inside - k;
  return detail::scale(wm::fma(r, detail::exp2_slope(r), T(1)), k);
}

/// e^x - 1 without cancellation near 0. Error: kExpm1Ulp; expm1(+-0) = +-0, expm1(-inf) = -1.
template <class T>
WM_MATH T expm1(T x) {
  using R = detail::ExpRange<T>;
  const detail::ExpArgument<T> a = detail::reduce_exp(detail::clamp(x, R::kMinusOne, R::kInfinite));
  const T p = wm::fma(a.r * a.r, detail::exp_tail(a.r), a.r);
  // Halved, because 2^k itself overflows where the result still is finite.
  const T half_power = detail::power_of_two(a.shifted - T(1));
  const T large = T(2) * wm::fma(half_power, p, half_power - T(0.5));
  return abs(x) < T(0x1p-60) ? x : large;
}

/// Hyperbolic tangent. Error: kTanhUlp; odd, tanh(+-inf) = +-1.
template <class T>
WM_MATH T tanh(T x) {
  using R = detail::ExpRange<T>;
  const T a = abs(x);
  const T e = detail::exp_moderate(T(2) * (a > R::kTanhOne ? R::kTanhOne : a));
  const T large = T(1) - T(2) / (e + T(1));
  return copysign(a < T(0.55) ? detail::tanh_small(a) : large, x);
}

/// 1 / (1 + e^-x). Error: kSigmoidUlp, the subnormal tail included.
template <class T>
WM_MATH T sigmoid(T x) {
  const T e = wm::exp(-abs(x));
  const bool negative = x < T(0);
  const T numerator = negative ? e : T(1);
  const T d = T(1) + e;
  const T d_low = e - (d - T(1));
  // One Newton step takes back the roundings of the sum and of the quotient.
  const T q = numerator / d;
  const T remainder = wm::fma(-q, d_low, wm::fma(-q, d, numerator));
  const T inverse = negative ? T(1) - q : q;
  return wm::fma(remainder, inverse, q);
}

}  // namespace wm
