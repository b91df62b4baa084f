#pragma once
// log and log1p: x = 2^k (1 + f) with 1 + f near 1, log(1 + f) by a polynomial, plus k ln 2. The
// float polynomial is a minimax fit (Remez exchange) on |f| <= 1/3; the double one is that of
// fdlibm's e_log.c in f / (2 + f) on sqrt(1/2) <= 1 + f < sqrt(2).
#include "gpu/math/basic.hpp"

namespace wm {
namespace detail {

/// Lower end of the interval 1 + f is brought to.
template <class T>
inline constexpr typename Ieee<T>::Bits kLogStart = 0x3f2aaaabU;
template <>
inline constexpr std::uint64_t kLogStart<double> = 0x3fe6a09e667f3bcdU;

/// k ln 2 + log(1 + f).
WM_MATH float log_sum(float k, float f) {
  const float p = polynomial(f, 0x1.f21eeap-4F, -0x1.0af2c4p-3F, 0x1.b6b10ap-4F, -0x1.f1732ep-4F,
                             0x1.250bb2p-3F, -0x1.55b1c4p-3F, 0x1.99968cp-3F, -0x1.fffe2ap-3F,
                             0x1.555558p-2F, -0x1p-1F);
  return wm::fma(k, 0x1.62e430p-1F, wm::fma(f * f, p, f));
}
WM_MATH double log_sum(double k, double f) {
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double p =
      polynomial(z, 1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
                 2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01,
                 6.666666666666735130e-01);
  const double half_square = 0.5 * f * f;
  const double tail = wm::fma(s, wm::fma(p, z, half_square), k * 0x1.abc9e3b39803fp-56);
  return wm::fma(k, 0x1.62e42fefa39efp-1, f - (half_square - tail));
}

/// The exponent k of u = 2^k m, m from kLogStart on: as the bits to subtract from those of a number
/// to scale it by 2^-k, and as a number.
template <class T>
struct Exponent {
  typename Ieee<T>::Bits bits;
  T value;
};
template <class T>
WM_MATH Exponent<T> exponent_of(T u) {
  using F = Ieee<T>;
  using Bits = typename F::Bits;
  constexpr Bits kFraction = (Bits{1} << F::kStored) - 1;
  // 2^stored bits + n has n in its low bits: an integer conversion that vectorises in any width.
  constexpr T kBase = T(Bits{1} << F::kStored);
  constexpr T kBias = T(F::kOne >> F::kStored);
  const Bits biased = to_bits(u) - kLogStart<T> + F::kOne;
  const T number = from_bits(to_bits(kBase) | (biased >> F::kStored));
  return {(biased & ~kFraction) - F::kOne, number - (kBase + kBias)};
}

/// `inside` for 0 < u < infinity, else the logarithm of u.
template <class T>
WM_MATH T log_special(T u, T inside) {
  const T outside = u == T(0) ? -infinity<T>() : u > T(0) ? u : nan_value<T>();
  return u > T(0) && u < infinity<T>() ? inside : outside;
}

}  // namespace detail

/// Natural logarithm. Error: kLogUlp; log(+-0) = -inf, NaN below 0.
template <class T>
WM_MATH T log(T x) {
  using F = detail::Ieee<T>;
  constexpr T kStored = T(F::kStored);
  const bool subnormal = x < F::kSmallestNormal;
  const T normal = subnormal ? x * T(typename F::Bits{1} << F::kStored) : x;
  const detail::Exponent<T> k = detail::exponent_of(normal);
  const T f = from_bits(to_bits(normal) - k.bits) - T(1);
  const T sum = detail::log_sum(subnormal ? k.value - kStored : k.value, f);
  return detail::log_special(x, sum);
}

/// log(1 + x) without cancellation near 0. Error: kLog1pUlp; log1p(+-0) = +-0, log1p(-1) = -inf.
template <class T>
WM_MATH T log1p(T x) {
  const T u = T(1) + x;
  const detail::Exponent<T> k = detail::exponent_of(u);
  // f = 2^-k x + (2^-k - 1) loses nothing of x, which u has rounded. 2^-k can underflow, 4 2^-k
  // cannot.
  const T scaled = from_bits(to_bits(x) - k.bits);
  const T four = from_bits(to_bits(T(4)) - k.bits);
  const T f = scaled + wm::fma(T(0.25), four, T(-1));
  const T sum = detail::log_special(u, detail::log_sum(k.value, f));
  return x == T(0) ? x : sum;
}

}  // namespace wm
