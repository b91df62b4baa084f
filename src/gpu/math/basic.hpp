#pragma once
// IEEE basics of the kernel math library: fused multiply-add, square root, minima, saturating
// conversion, and the bit-level helpers the other files share. Everything has the same bits on a
// GPU and on the host; a generated NaN may differ in sign and payload.
#include <bit>
#include <cstdint>

#include "gpu/types.hpp"

// Conditions are joined by & and |, not && and ||: a branch would keep loops from being vectorised.
#if defined(__CUDACC__)
#define WM_MATH __host__ __device__ __forceinline__
#else
#define WM_MATH [[gnu::always_inline]] inline
#endif

namespace wm {

WM_MATH std::uint32_t to_bits(float x) {
#if defined(__CUDA_ARCH__)
  return __float_as_uint(x);
#else
  return std::bit_cast<std::uint32_t>(x);
#endif
}
WM_MATH std::uint64_t to_bits(double x) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint64_t>(__double_as_longlong(x));
#else
  return std::bit_cast<std::uint64_t>(x);
#endif
}
WM_MATH float from_bits(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  return std::bit_cast<float>(bits);
#endif
}
WM_MATH double from_bits(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
  return __longlong_as_double(static_cast<long long>(bits));
#else
  return std::bit_cast<double>(bits);
#endif
}

namespace detail {

/// Bit layout of a floating-point type. Adding kRound (1.5 * 2^stored bits) rounds a small number
/// to an integer and leaves that integer in the low bits of the sum.
template <class T>
struct Ieee;
template <>
struct Ieee<float> {
  using Bits = std::uint32_t;
  static constexpr int kStored = 23;
  static constexpr Bits kSign = 0x80000000U;
  static constexpr Bits kOne = 0x3f800000U;
  static constexpr Bits kInfinity = 0x7f800000U;
  static constexpr Bits kNan = 0x7fffffffU;
  static constexpr float kRound = 0x1.8p23F;
  static constexpr float kSmallestNormal = 0x1p-126F;
};
template <>
struct Ieee<double> {
  using Bits = std::uint64_t;
  static constexpr int kStored = 52;
  static constexpr Bits kSign = 0x8000000000000000U;
  static constexpr Bits kOne = 0x3ff0000000000000U;
  static constexpr Bits kInfinity = 0x7ff0000000000000U;
  static constexpr Bits kNan = 0x7fffffffffffffffU;
  static constexpr double kRound = 0x1.8p52;
  static constexpr double kSmallestNormal = 0x1p-1022;
};

}  // namespace detail

template <class T>
WM_MATH T nan_value() {
  return from_bits(detail::Ieee<T>::kNan);
}
template <class T>
WM_MATH T infinity() {
  return from_bits(detail::Ieee<T>::kInfinity);
}

/// a b + c with one rounding.
WM_MATH float fma(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
  return __fmaf_rn(a, b, c);
#else
  return __builtin_fmaf(a, b, c);
#endif
}
WM_MATH double fma(double a, double b, double c) {
#if defined(__CUDA_ARCH__)
  return __fma_rn(a, b, c);
#else
  return __builtin_fma(a, b, c);
#endif
}

namespace detail {

/// c[0] x^(n-1) + ... + c[n-1] by Horner's rule.
template <class T, class... Rest>
WM_MATH T polynomial(T x, T first, Rest... rest) {
  T sum = first;
  ((sum = wm::fma(sum, x, rest)), ...);
  return sum;
}

}  // namespace detail

/// Correctly rounded.
WM_MATH float sqrt(float x) {
#if defined(__CUDA_ARCH__)
  return __fsqrt_rn(x);
#else
  return __builtin_sqrtf(x);
#endif
}
WM_MATH double sqrt(double x) {
#if defined(__CUDA_ARCH__)
  return __dsqrt_rn(x);
#else
  return __builtin_sqrt(x);
#endif
}

/// 1 / sqrt(x), each step correctly rounded (error: kRsqrtUlp). rsqrt(+-0) = +-infinity.
WM_MATH float rsqrt(float x) { return 1.0F / wm::sqrt(x); }
WM_MATH double rsqrt(double x) { return 1.0 / wm::sqrt(x); }

/// |x|; clears the sign of a NaN too.
template <class T>
WM_MATH T abs(T x) {
  return from_bits(to_bits(x) & ~detail::Ieee<T>::kSign);
}

/// The magnitude of x with the sign of `sign`.
template <class T>
WM_MATH T copysign(T x, T sign) {
  using F = detail::Ieee<T>;
  return from_bits((to_bits(x) & ~F::kSign) | (to_bits(sign) & F::kSign));
}

namespace detail {

// Equal operands differ at most in the sign of a zero: AND leaves +0 of the two, OR leaves -0.
template <class T>
WM_MATH T max_number(T a, T b) {
  T r = a > b ? a : b;
  r = a == b ? from_bits(to_bits(a) & to_bits(b)) : r;
  r = b != b ? a : r;
  return r != r ? nan_value<T>() : r;
}
template <class T>
WM_MATH T min_number(T a, T b) {
  T r = a < b ? a : b;
  r = a == b ? from_bits(to_bits(a) | to_bits(b)) : r;
  r = b != b ? a : r;
  return r != r ? nan_value<T>() : r;
}

}  // namespace detail

/// The larger (smaller) operand, as CUDA's fmaxf and fminf: -0 is less than +0, a NaN loses against
/// a number, two NaNs give the canonical NaN (0x7fff...).
WM_MATH float fmax(float a, float b) {
#if defined(__CUDA_ARCH__)
  return ::fmaxf(a, b);
#else
  return detail::max_number(a, b);
#endif
}
WM_MATH double fmax(double a, double b) { return detail::max_number(a, b); }
WM_MATH float fmin(float a, float b) {
#if defined(__CUDA_ARCH__)
  return ::fminf(a, b);
#else
  return detail::min_number(a, b);
#endif
}
WM_MATH double fmin(double a, double b) { return detail::min_number(a, b); }

/// The same, except that a NaN operand wins: the result is then the canonical NaN.
template <class T>
WM_MATH T fmax_nan(T a, T b) {
  const T r = wm::fmax(a, b);
  return a != a || b != b ? nan_value<T>() : r;
}
template <class T>
WM_MATH T fmin_nan(T a, T b) {
  const T r = wm::fmin(a, b);
  return a != a || b != b ? nan_value<T>() : r;
}

/// x rounded toward zero; saturates, NaN gives 0 (a GPU's cvt.rzi.s32.f32, in both types).
template <class T>
WM_MATH std::int32_t to_int(T x) {
  constexpr T kEnd = T(2147483648.0);
  const bool low = x < -kEnd;
  const bool high = x >= kEnd;
  const T inside = x == x && !low && !high ? x : T(0);
  const auto truncated = static_cast<std::int32_t>(inside);
  return high ? INT32_MAX : low ? INT32_MIN : truncated;
}

}  // namespace wm
