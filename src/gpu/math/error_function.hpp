#pragma once
// erf and erfc. Near 0 a minimax polynomial of erf; elsewhere erfc(a) = exp(-a^2) g(t) / (a + 2),
// t = (a - 2) / (a + 2), g a minimax polynomial (Remez exchange; the variable is Shepherd and
// Laframboise's, Math. Comp. 36, 1981). erf needs g up to where it rounds to 1, erfc up to where it
// rounds to 0.
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

/// erfc(a) exp(a^2) (a + 2) in t = (a - 2) / (a + 2), for 0.93 <= a up to where erf rounds to 1.
WM_MATH float erfc_factor(float t) {
  return polynomial(t, 0x1.63db7ap-9F, -0x1.797c60p-6F, -0x1.2c9b48p-5F, 0x1.1e2b30p-2F,
                    -0x1.5fd362p-1F, 0x1.058672p+0F);
}
WM_MATH double erfc_factor(double t) {
  return polynomial(t, -0x1.70948952b7489p-17, -0x1.36102e872dd18p-16, 0x1.22402665030d1p-15,
                    0x1.2e72339a36fb2p-13, 0x1.1f7e9c2746a79p-15, -0x1.5ba4be7cf8930p-11,
                    -0x1.b6fb814570f53p-11, 0x1.9517bff063e1bp-9, 0x1.a89eafe28e314p-8,
                    -0x1.606e415767c1ep-6, -0x1.2a88e610871d0p-5, 0x1.1e2deea6b134dp-2,
                    -0x1.5fd386754efeep-1, 0x1.058671b52c776p+0);
}

/// erfc(a) for 0.93 <= a: at most 0.19, so a few ulp of error are little next to 1.
template <class T>
WM_MATH T erfc_tail(T a) {
  constexpr T kErfOne = T(sizeof(T) == 4 ? 4 : 6);
  const T x = a > kErfOne ? kErfOne : a;
  const T y = T(1) / (x + T(2));
  return exp_moderate(-x * x) * (erfc_factor((x - T(2)) * y) * y);
}

/// erfc(a) exp(a^2) (a + 2) in t = (a - 2) / (a + 2), for 0.47 <= a up to where erfc rounds to 0.
WM_MATH float erfc_factor_wide(float t) {
  return polynomial(t, 0x1.fa35bep-14F, 0x1.fa1500p-15F, -0x1.569946p-11F, -0x1.bb9390p-11F,
                    0x1.94dc40p-9F, 0x1.a8b5aap-8F, -0x1.606da6p-6F, -0x1.2a8916p-5F,
                    0x1.1e2deep-2F, -0x1.5fd386p-1F, 0x1.058672p+0F);
}
WM_MATH double erfc_factor_wide(double t) {
  return polynomial(t, -0x1.0b5ef45f89c22p-25, 0x1.18624bc49da79p-26, 0x1.639afcdf42bbap-23,
                    0x1.1042cdda88e08p-25, -0x1.a3c205ffee6dfp-22, -0x1.37c8e4cb58ecfp-21,
                    0x1.8ff9783e651dbp-25, 0x1.0c1bbf2f21067p-19, 0x1.e69de869fd208p-19,
                    -0x1.2cf9f78bd578bp-20, -0x1.0e6254b541517p-16, -0x1.6c07259892628p-16,
                    0x1.1e74748205fddp-15, 0x1.2efa4cc315e43p-13, 0x1.2054498f8adecp-15,
                    -0x1.5ba439410007bp-11, -0x1.b6fbf9d8ebed2p-11, 0x1.9517bb7431dabp-9,
                    0x1.a89eaff8bc09bp-8, -0x1.606e41552d48cp-6, -0x1.2a88e6107d853p-5,
                    0x1.1e2deea6b117ep-2, -0x1.5fd386754eff9p-1, 0x1.058671b52c776p+0);
}

/// erfc(a) for a >= 0.47, with a^2 and 1 / (a + 2) in two numbers: an error of a^2 is one of the
/// result's relative error.
template <class T>
WM_MATH T erfc_positive(T a) {
  constexpr T kZero = sizeof(T) == 4 ? T(10.1) : T(27.3);
  const T x = a > kZero ? kZero : a;
  const T square = x * x, square_low = wm::fma(x, x, -square);
  const ExpArgument<T> e = reduce_exp(-square);
  const T r = e.r - square_low, r_low = (e.r - r) - square_low;
  const T slope = wm::fma(r * r, exp_tail(r), r);  // exp(r) - 1
  const T d = x + T(2), d_low = x - (d - T(2));
  const T y = T(1) / d;
  const T correction = wm::fma(-y, d_low, wm::fma(-y, d, T(1))) + r_low;
  const T t = (x - T(2)) * y;
  const T w = erfc_factor_wide(t) * y;
  return scale(wm::fma(w, slope + correction, w), e.k);
}

}  // namespace detail

/// Error function. Error: kErfUlp; odd, erf(+-inf) = +-1.
template <class T>
WM_MATH T erf(T x) {
  const T a = abs(x);
  const T small = wm::fma(a, detail::erf_ratio(a * a), a);
  return copysign(a < T(0.93) ? small : T(1) - detail::erfc_tail(a), x);
}

/// 1 - erf(x) without cancellation. Error: kErfcUlp, the subnormal tail included; erfc(-inf) = 2.
template <class T>
WM_MATH T erfc(T x) {
  const T a = abs(x);
  const T near = T(1) - wm::fma(x, detail::erf_ratio(x * x), x);
  const T tail = detail::erfc_positive(a);
  const T far = x < T(0) ? T(2) - tail : tail;
  return a < T(0.47) ? near : far;
}

}  // namespace wm
