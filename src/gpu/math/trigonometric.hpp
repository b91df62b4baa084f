#pragma once
// sin and cos. x = k pi/2 + r with k rounded to nearest and r in two numbers: three constants
// (Cody and Waite) for ordinary arguments, exact integer arithmetic with the bits of 2/pi (Payne
// and Hanek) for large ones; then minimax polynomials on |r| <= pi/4 (Remez exchange).
#include "gpu/math/basic.hpp"

#if defined(__CUDACC__)
#define WM_MATH_COLD __host__ __device__ __noinline__ inline
#define WM_MATH_TABLE const
#else
#define WM_MATH_COLD [[gnu::noinline]] inline
#define WM_MATH_TABLE static constexpr
#endif

namespace wm {
namespace detail {

/// |x| = (4 n + quadrant) pi/2 + high + low.
template <class T>
struct Angle {
  std::uint32_t quadrant;
  T high, low;
};

template <class T>
struct HalfPi;
template <>
struct HalfPi<float> {
  static constexpr float kHigh = 0x1.921fb6p+0F;
  static constexpr float kMiddle = -0x1.777a5cp-25F;
  static constexpr float kLow = -0x1.ee59dap-50F;
  static constexpr float kInverse = 0x1.45f306p-1F;
  static constexpr float kLarge = 32768;  ///< three constants do up to here
  static constexpr int kWords = 4;        ///< of 2/pi that a product takes
};
template <>
struct HalfPi<double> {
  static constexpr double kHigh = 0x1.921fb54442d18p+0;
  static constexpr double kMiddle = 0x1.1a62633145c07p-54;
  static constexpr double kLow = -0x1.f1976b7ed8fbcp-110;
  static constexpr double kInverse = 0x1.45f306dc9c883p-1;
  static constexpr double kLarge = 0x1p24;
  static constexpr int kWords = 7;
};

/// 2/pi in words of 32 bits behind the binary point, after one word of zeros.
WM_MATH_COLD std::uint32_t two_over_pi(int word) {
  WM_MATH_TABLE std::uint32_t kWords[] = {
      0x00000000U, 0xa2f9836eU, 0x4e441529U, 0xfc2757d1U, 0xf534ddc0U, 0xdb629599U, 0x3c439041U,
      0xfe5163abU, 0xdebbc561U, 0xb7246e3aU, 0x424dd2e0U, 0x06492eeaU, 0x09d1921cU, 0xfe1deb1cU,
      0xb129a73eU, 0xe88235f5U, 0x2ebb4484U, 0xe99c7026U, 0xb45f7e41U, 0x3991d639U, 0x835339f4U,
      0x9c845f8bU, 0xbdf9283bU, 0x1ff897ffU, 0xde05980fU, 0xef2f118bU, 0x5a0a6d1fU, 0x6d367ecfU,
      0x27cb09b7U, 0x4f463f66U, 0x9e5fea2dU, 0x7527bac7U, 0xebe5f17bU, 0x3d0739f7U, 0x8a5292eaU,
      0x6bfb5fb1U, 0x1f8d5d08U, 0x56033046U};
  return kWords[word];
}

/// Numbers high + low = a + b for |a| >= |b| or a = 0.
template <class T>
struct Pair {
  T high, low;
};
template <class T>
WM_MATH Pair<T> fast_sum(T a, T b) {
  const T sum = a + b;
  return {sum, (a - sum) + b};
}

/// The fraction f of -1/2 <= f < 1/2 whose first 64 bits are `first` (two's complement), the next
/// `second`; the last argument chooses the type.
WM_MATH Pair<float> fraction_pair(std::uint64_t first, std::uint64_t, float) {
  const auto top = static_cast<float>(static_cast<std::int64_t>(first) >> 42);
  const auto middle = static_cast<float>(static_cast<std::int32_t>(first >> 20 & 0x3fffffU));
  const auto bottom = static_cast<float>(static_cast<std::int32_t>(first & 0xfffffU));
  const Pair<float> sum = fast_sum(top * 0x1p-22F, middle * 0x1p-44F);
  return fast_sum(sum.high, sum.low + bottom * 0x1p-64F);
}
WM_MATH Pair<double> fraction_pair(std::uint64_t first, std::uint64_t second, double) {
  const auto top = static_cast<double>(static_cast<std::int64_t>(first) >> 32);
  const auto middle = static_cast<double>(static_cast<std::uint32_t>(first));
  const auto next = static_cast<double>(static_cast<std::uint32_t>(second >> 32));
  const auto bottom = static_cast<double>(static_cast<std::uint32_t>(second));
  const Pair<double> sum = fast_sum(top * 0x1p-32, middle * 0x1p-64);
  return fast_sum(sum.high, sum.low + (next * 0x1p-96 + bottom * 0x1p-128));
}

/// The angle of a finite a >= 1: a = m 2^e with an integer m; m 2^e 2/pi modulo 4 needs kWords
/// words of 2/pi, those before them give multiples of 4 and those behind vanish.
template <class T>
WM_MATH_COLD Angle<T> reduce_large(T a) {
  using F = Ieee<T>;
  using H = HalfPi<T>;
  constexpr int kWords = H::kWords;
  constexpr auto kHidden = std::uint64_t{1} << F::kStored;
  const std::uint64_t bits = to_bits(a);
  const std::uint64_t m = (bits & (kHidden - 1)) | kHidden;
  constexpr int kBias = static_cast<int>(F::kOne >> F::kStored);
  const int e = static_cast<int>(bits >> F::kStored) - kBias - F::kStored;
  const int first = (e + 30) >> 5, shift = (e + 30) & 31;
  std::uint32_t product[kWords + 1] = {};
  const std::uint64_t m_low = m & 0xffffffffU, m_high = m >> 32;
  std::uint64_t carry = 0, carry_high = 0;
  for (int i = kWords - 1; i >= 0; --i) {
    const std::uint64_t word = two_over_pi(first + i);
    const std::uint64_t low = m_low * word + carry;
    carry = low >> 32;
    product[i] = static_cast<std::uint32_t>(low);
    if (i == kWords - 1) continue;
    const std::uint64_t high = m_high * two_over_pi(first + i + 1) + product[i] + carry_high;
    carry_high = high >> 32;
    product[i] = static_cast<std::uint32_t>(high);
  }
  const auto shifted = [&](int i) {
    const std::uint64_t both = std::uint64_t{product[i]} << 32 | product[i + 1];
    return static_cast<std::uint32_t>(both << shift >> 32);
  };
  const std::uint64_t y0 = std::uint64_t{shifted(0)} << 32 | shifted(1);
  const std::uint64_t y1 = std::uint64_t{shifted(2)} << 32 | shifted(3);
  const std::uint64_t y2 = kWords > 4 ? std::uint64_t{shifted(kWords > 4 ? 4 : 0)} << 32 : 0;
  const std::uint64_t f0 = y0 << 2 | y1 >> 62, f1 = y1 << 2 | y2 >> 62;
  const Pair<T> f = fraction_pair(f0, f1, T());
  const T high = f.high * H::kHigh;
  const T low = wm::fma(f.high, H::kHigh, -high) + wm::fma(f.high, H::kMiddle, f.low * H::kHigh);
  const Pair<T> r = fast_sum(high, low);
  return {static_cast<std::uint32_t>((y0 >> 62) + (f0 >> 63)) & 3U, r.high, r.low};
}

template <class T>
WM_MATH Angle<T> reduce_angle(T a) {
  using H = HalfPi<T>;
  if (a >= H::kLarge) return reduce_large(a);
  const T shifted = wm::fma(a, H::kInverse, Ieee<T>::kRound);
  const T k = shifted - Ieee<T>::kRound;
  const T exact = wm::fma(k, -H::kHigh, a);
  const T product = k * H::kMiddle, product_low = wm::fma(k, H::kMiddle, -product);
  // Either may be the larger one: near a multiple of pi/2 they cancel.
  const T high = exact - product, back = high - exact;
  const T error = (exact - (high - back)) - (product + back);
  const T low = wm::fma(k, -H::kLow, error - product_low);
  return {static_cast<std::uint32_t>(to_bits(shifted)) & 3U, high, low};
}

/// (sin(r) - r) / r^3 in z = r^2.
WM_MATH float sin_tail(float z) {
  return polynomial(z, 0x1.6cd5f4p-19F, -0x1.a00f94p-13F, 0x1.111108p-7F, -0x1.555556p-3F);
}
WM_MATH double sin_tail(double z) {
  return polynomial(z, 0x1.5d915bc9eee74p-33, -0x1.ae5e60bd7fd12p-26, 0x1.71de3570f63b3p-19,
                    -0x1.a01a019c0a249p-13, 0x1.111111110f842p-7, -0x1.5555555555549p-3);
}
/// (cos(r) - 1 + r^2 / 2) / r^4 in z = r^2.
WM_MATH float cos_tail(float z) {
  return polynomial(z, 0x1.99e85ap-16F, -0x1.6c0c28p-10F, 0x1.55554ap-5F);
}
WM_MATH double cos_tail(double z) {
  return polynomial(z, -0x1.8fa29324367e7p-37, 0x1.1ee9d3e180facp-29, -0x1.27e4f7e5469d4p-22,
                    0x1.a01a019c7ce6dp-16, -0x1.6c16c16c14f48p-10, 0x1.555555555554bp-5);
}

/// sin of quadrant pi/2 + high + low.
template <class T>
WM_MATH T sin_of(const Angle<T>& angle, std::uint32_t quadrant) {
  const T r = angle.high, z = r * r;
  const T sine = r + wm::fma(r * z, sin_tail(z), angle.low);
  const T half = T(0.5) * z, rest = T(1) - half;
  const T cosine = rest + (((T(1) - rest) - half) + wm::fma(z * z, cos_tail(z), -r * angle.low));
  const T value = (quadrant & 1U) != 0 ? cosine : sine;
  return (quadrant & 2U) != 0 ? -value : value;
}

}  // namespace detail

/// Sine of x in radians, of any size. Error: kSinUlp; odd, NaN for infinities.
template <class T>
WM_MATH T sin(T x) {
  const T a = abs(x);
  const detail::Angle<T> angle = detail::reduce_angle(a);
  const T value = detail::sin_of(angle, angle.quadrant);
  const T odd = from_bits(to_bits(value) ^ (to_bits(x) & detail::Ieee<T>::kSign));
  return a < infinity<T>() ? odd : nan_value<T>();
}

/// Cosine of x in radians, of any size. Error: kCosUlp; NaN for infinities.
template <class T>
WM_MATH T cos(T x) {
  const T a = abs(x);
  const detail::Angle<T> angle = detail::reduce_angle(a);
  const T value = detail::sin_of(angle, angle.quadrant + 1U);
  return a < infinity<T>() ? value : nan_value<T>();
}

}  // namespace wm

#undef WM_MATH_COLD
#undef WM_MATH_TABLE
