#pragma once
// erf. Below 0.93 a minimax polynomial; above, 1 - erfc, with erfc(a) = exp(-a^2) g(t) / (a + 2),
// t = (a - 2) / (a + 2), g a minimax polynomial (Remez exchange; the variable is Shepherd and
// Laframboise's, Math. Comp. 36, 1981).
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

}  // namespace detail

/// Error function. Error: kErfUlp; odd, erf(+-inf) = +-1.
template <class T>
WM_MATH T erf(T x) {
  const T a = abs(x);
  const T small = wm::fma(a, detail::erf_ratio(a * a), a);
  return copysign(a < T(0.93) ? small : T(1) - detail::erfc_tail(a), x);
}

}  // namespace wm
