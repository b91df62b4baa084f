#pragma once
// log, log1p, log2 and log10: x = 2^k (1 + f) with 1 + f near 1, log(1 + f) by a polynomial, plus k
// ln 2. The float polynomial is a minimax fit (Remez exchange) on |f| <= 1/3; the double one is
// that of fdlibm's e_log.c in f / (2 + f) on sqrt(1/2) <= 1 + f < sqrt(2).
#include "gpu/math/basic.hpp"

namespace wm {
namespace detail {

/// Lower end of the interval 1 + f is brought to.
template <class T>
inline constexpr typename Ieee<T>::Bits kLogStart = 0x3f2aaaabU;
template <>
inline constexpr std::uint64_t kLogStart<double> = 0x3fe6a09e667f3bcdU;

/// (log(1 + f) - f) / f^2.
WM_MATH float log_tail(float f) {
  return polynomial(f, 0x1.f21eeap-4F, -0x1.0af2c4p-3F, 0x1.b6b10ap-4F, -0x1.f1732ep-4F,
                    0x1.250bb2p-3F, -0x1.55b1c4p-3F, 0x1.99968cp-3F, -0x1.fffe2ap-3F,
                    0x1.555558p-2F, -0x1p-1F);
}

/// log(1 + f) = f - (half_square - tail).
struct LogParts {
  double half_square, s, p, z;
};
WM_MATH LogParts log_parts(double f) {
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double p =
      polynomial(z, 1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
                 2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01,
                 6.666666666666735130e-01);
  return {0.5 * f * f, s, p, z};
}

/// log(1 + f) - f.
WM_MATH float log_rest(float f) { return f * f * log_tail(f); }
WM_MATH double log_rest(double f) {
  const LogParts l = log_parts(f);
  return l.s * wm::fma(l.p, l.z, l.half_square) - l.half_square;
}

/// k ln 2 + log(1 + f).
WM_MATH float log_sum(float k, float f) {
  return wm::fma(k, 0x1.62e430p-1F, wm::fma(f * f, log_tail(f), f));
}
WM_MATH double log_sum(double k, double f) {
  const LogParts l = log_parts(f);
  const double tail = wm::fma(l.s, wm::fma(l.p, l.z, l.half_square), k * 0x1.abc9e3b39803fp-56);
  return wm::fma(k, 0x1.62e42fefa39efp-1, f - (l.half_square - tail));
}

/// Logarithms to another base: of 2 in two numbers, k times the first exact, and of e likewise.
template <class T>
struct Base2;
template <>
struct Base2<float> {
  static constexpr float kTwo = 1, kTwoLow = 0;
  static constexpr float kE = 0x1.715476p+0F, kELow = 0x1.4ae0c0p-26F;
};
template <>
struct Base2<double> {
  static constexpr double kTwo = 1, kTwoLow = 0;
  static constexpr double kE = 0x1.71547652b82fep+0, kELow = 0x1.777d0ffda0d24p-56;
};
template <class T>
struct Base10;
template <>
struct Base10<float> {
  static constexpr float kTwo = 0x1.344000p-2F, kTwoLow = 0x1.3509f8p-18F;
  static constexpr float kE = 0x1.bcb7b2p-2F, kELow = -0x1.5b235ep-27F;
};
template <>
struct Base10<double> {
  static constexpr double kTwo = 0x1.34413509f8000p-2, kTwoLow = -0x1.80433b83b532ap-44;
  static constexpr double kE = 0x1.bcb7b1526e50ep-2, kELow = 0x1.95355baaafad3p-57;
};

/// (k log 2 + log(1 + f)) to a base.
template <class Base, class T>
WM_MATH T log_sum_to_base(T k, T f) {
  const T product = f * Base::kE, product_low = wm::fma(f, Base::kE, -product);
  const T whole = k * Base::kTwo;
  const T sum = whole + product, sum_low = (whole - sum) + product;
  const T small = wm::fma(log_rest(f), Base::kE, wm::fma(f, Base::kELow, k * Base::kTwoLow));
  return sum + (sum_low + (product_low + small));
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

/// 0 < x < infinity as 2^k (1 + f).
template <class T>
struct LogArgument {
  T k, f;
};
template <class T>
WM_MATH LogArgument<T> reduce_log(T x) {
  using F = Ieee<T>;
  constexpr T kStored = T(F::kStored);
  const bool subnormal = x < F::kSmallestNormal;
  const T normal = subnormal ? x * T(typename F::Bits{1} << F::kStored) : x;
  const Exponent<T> k = exponent_of(normal);
  const T f = from_bits(to_bits(normal) - k.bits) - T(1);
  return {subnormal ? k.value - kStored : k.value, f};
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
  const detail::LogArgument<T> a = detail::reduce_log(x);
  return detail::log_special(x, detail::log_sum(a.k, a.f));
}

/// Logarithm to base 2, exact for powers of two. Error: kLog2Ulp; special cases as log.
template <class T>
WM_MATH T log2(T x) {
  const detail::LogArgument<T> a = detail::reduce_log(x);
  return detail::log_special(x, detail::log_sum_to_base<detail::Base2<T>>(a.k, a.f));
}

/// Logarithm to base 10. Error: kLog10Ulp; special cases as log.
template <class T>
WM_MATH T log10(T x) {
  const detail::LogArgument<T> a = detail::reduce_log(x);
  return detail::log_special(x, detail::log_sum_to_base<detail::Base10<T>>(a.k, a.f));
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
