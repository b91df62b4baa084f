#pragma once
// erf and erfc. The tail is exp(-x^2) g(t) / (x + 4), t = (x - 4) / (x + 4), with a minimax
// polynomial g (Remez exchange; the variable is Shepherd and Laframboise's, Math. Comp. 36, 1981);
// the rounding errors of x^2 and of the quotient are carried along. Below 0.93 erf has a polynomial
// of its own.
#include "gpu/math/exponential.hpp"

namespace wm {
namespace detail {

/// erf(a) / a - 1 in s = a^2, for 0 <= a < 0.93.
WM_MATH float erf_ratio(float s) {
  return polynomial(s, 0x1.5cd4a0p-14F, -0x1.aa3f44p-11F, 0x1.54c7fcp-8F, -0x1.b80e92p-6F,
                    0x1.ce2e0ap-4F, -0x1.812742p-2F, 0x1.06eba8p-3F);
}
WM_MATH double erf_ratio(double s) {
  return polynomial(s, 0x1.162c0244b5007p-34, -0x1.3e099939768c2p-30, 0x1.f94c091ebf38ap-27,
                    -0x1.5f411ad7d00e5p-23, 0x1.b9e2cc4445c5cp-20, -0x1.f4d22533be2d9p-17,
                    0x1.f9a324f08d03cp-14, -0x1.c02db3f34e30bp-11, 0x1.565bcd0e355dap-8,
                    -0x1.b82ce31287b2bp-6, 0x1.ce2f21a042bb9p-4, -0x1.812746b0379e7p-2,
                    0x1.06eba8214db69p-3);
}

/// erfc(a) exp(a^2) (a + 4) in t = (a - 4) / (a + 4).
WM_MATH float erfc_factor(float t) {
  return polynomial(t, -0x1.8d3322p-11F, -0x1.9b5fe2p-12F, 0x1.975178p-8F, -0x1.aed1bep-6F,
                    0x1.38d338p-4F, -0x1.6466cep-3F, 0x1.52cab4p-2F, -0x1.14eaaep-1F,
                    0x1.8be204p-1F, -0x1.f3fe32p-1F, 0x1.18932cp+0F);
}
WM_MATH double erfc_factor(double t) {
  return polynomial(t, 0x1.caa4291934344p-32, 0x1.2171acfe0b0aap-29, -0x1.cb10d0cbff902p-31,
                    -0x1.3f9d723e07c13p-26, 0x1.ee66ab6046617p-30, 0x1.12ed02bf5c117p-23,
                    -0x1.4650d2146157ap-24, -0x1.c7c55310186b7p-21, 0x1.7e53d2c01be3bp-20,
                    0x1.3b1e82b7bf02ap-18, -0x1.3c6ed51b2aed5p-16, -0x1.e7f3d856fc850p-19,
                    0x1.72cda73b1c7c1p-13, -0x1.dd2841b47562ep-12, -0x1.269b521083633p-12,
                    0x1.908f471e811f3p-8, -0x1.b00c052c3f43cp-6, 0x1.38dbd2c8e7cfep-4,
                    -0x1.645fd8a4bc00cp-3, 0x1.52cac2371009dp-2, -0x1.14eacb1ad033dp-1,
                    0x1.8be202d26c707p-1, -0x1.f3fe31ecb49bfp-1, 0x1.18932bf08e154p+0);
}

/// From here up erfc rounds to 0; the polynomials are fitted up to here.
template <class T>
inline constexpr T kErfcZero = sizeof(T) == 4 ? T(10.1) : T(27.3);

/// erfc(a) for a >= 0.
template <class T>
WM_MATH T erfc_positive(T a) {
  const T x = a > kErfcZero<T> ? kErfcZero<T> : a;
  const T d = x + T(4);
  const T d_low = x < T(4) ? x - (d - T(4)) : T(4) - (d - x);
  const T y = T(1) / d;
  const T y_low = y * wm::fma(-d_low, y, wm::fma(-d, y, T(1)));
  const T quotient = (x - T(4)) * y;
  const T residual = wm::fma(-quotient, x, wm::fma(T(-4), quotient + T(1), x));
  const T g = erfc_factor(wm::fma(y, residual, quotient));
  const T tail = g * y;
  const T tail_low = wm::fma(g, y_low, wm::fma(g, y, -tail));
  const T square = x * x;
  return scaled_exp(tail, tail_low, -square, -wm::fma(x, x, -square));
}

}  // namespace detail

/// Error function. Error: kErfUlp; odd, erf(+-inf) = +-1.
template <class T>
WM_MATH T erf(T x) {
  const T a = abs(x);
  const T small = wm::fma(a, detail::erf_ratio(a * a), a);
  return copysign(a < T(0.93) ? small : T(1) - detail::erfc_positive(a), x);
}

/// 1 - erf(x) without cancellation in the tail. Error: kErfcUlp, subnormal results included.
template <class T>
WM_MATH T erfc(T x) {
  const T a = abs(x);
  const T tail = detail::erfc_positive(a);
  const T near = wm::fma(-x, detail::erf_ratio(x * x), T(1) - x);
  return a < T(0.75) ? near : x < T(0) ? T(2) - tail : tail;
}

}  // namespace wm
