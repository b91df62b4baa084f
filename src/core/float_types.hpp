#pragma once
// Host representations of the 16-bit and 8-bit floating-point types: plain bit containers with
// round-to-nearest-even conversions. Bit-compatible with __half, __nv_bfloat16, __nv_fp8_e4m3 and
// __nv_fp8_e5m2; a test compares every conversion with NVIDIA's headers where a toolkit is present.
//
// Everything is inline and free of branches, so that loops over these functions vectorise.
#include <bit>
#include <cstdint>

#include "core/dtype.hpp"

namespace wm {

namespace detail {

inline constexpr std::uint32_t kF32Sign = 0x80000000U;
inline constexpr std::uint32_t kF32Infinity = 0x7f800000U;

/// `magnitude` (bits of a non-negative finite float) rounded to a format with an exponent bias of
/// kBias and kMantissa stored significand bits, exponents past the largest included: the result is
/// meaningful up to the first power of two the format cannot hold.
template <std::uint32_t kMantissa, std::uint32_t kBias>
constexpr std::uint32_t narrow(std::uint32_t magnitude) {
  constexpr std::uint32_t kShift = 23 - kMantissa;
  constexpr std::uint32_t kRebias = (127 - kBias) << 23;
  constexpr std::uint32_t kSmallestNormal = (128 - kBias) << 23;
  // Adding the power of two whose ulp is the format's subnormal spacing rounds there.
  constexpr std::uint32_t kMagic = (127 + 24 - kBias - kMantissa) << 23;
  const float shifted = std::bit_cast<float>(magnitude) + std::bit_cast<float>(kMagic);
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(shifted) - kMagic;
  const std::uint32_t odd = (magnitude >> kShift) & 1U;
  const std::uint32_t half_less_one = (1U << (kShift - 1)) - 1U;
  const std::uint32_t normal = (magnitude - kRebias + half_less_one + odd) >> kShift;
  return magnitude < kSmallestNormal ? subnormal : normal;
}

/// The value of non-special bits of such a format without their sign.
template <std::uint32_t kMantissa, std::uint32_t kBias>
constexpr std::uint32_t widen(std::uint32_t magnitude) {
  constexpr float kSpacing = std::bit_cast<float>((127U + 1U - kBias - kMantissa) << 23);
  const float subnormal = static_cast<float>(static_cast<std::int32_t>(magnitude)) * kSpacing;
  const std::uint32_t normal = (magnitude << (23 - kMantissa)) + ((127 - kBias) << 23);
  return magnitude < (1U << kMantissa) ? std::bit_cast<std::uint32_t>(subnormal) : normal;
}

}  // namespace detail

/// `value` rounded to a float toward the neighbour with an odd significand where inexact. A second
/// rounding to any format of at most 22 bits then gives what one rounding of `value` would.
inline float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
  const double back = static_cast<double>(nearest);
  const bool away = value < 0 ? back < value : back > value;
  bits -= away ? 1U : 0U;
  bits |= back != value ? 1U : 0U;
  return std::bit_cast<float>(bits);
}

/// Bit patterns of a float rounded to the type (nearest even; NaN becomes the positive canonical
/// 0x7fff / 0x7fff / 0x7f / 0x7f as NVIDIA's converters give; fp8 saturates to max finite, infinity
/// too, as cvt.satfinite does). From double there is one rounding, not one through float.
constexpr std::uint16_t f16_bits(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & ~detail::kF32Sign;
  std::uint32_t result = detail::narrow<10, 15>(magnitude);
  result = magnitude >= 0x47800000U ? 0x7c00U : result;
  result |= (bits & detail::kF32Sign) >> 16;
  return static_cast<std::uint16_t>(magnitude > detail::kF32Infinity ? 0x7fffU : result);
}
constexpr std::uint16_t bf16_bits(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
  const bool nan = (bits & ~detail::kF32Sign) > detail::kF32Infinity;
  return static_cast<std::uint16_t>(nan ? 0x7fffU : rounded);
}
constexpr std::uint8_t e4m3_bits(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & ~detail::kF32Sign;
  std::uint32_t result = detail::narrow<3, 7>(magnitude);
  result = magnitude >= 0x43e00000U ? 0x7eU : result;
  result |= (bits & detail::kF32Sign) >> 24;
  return static_cast<std::uint8_t>(magnitude > detail::kF32Infinity ? 0x7fU : result);
}
constexpr std::uint8_t e5m2_bits(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & ~detail::kF32Sign;
  std::uint32_t result = detail::narrow<2, 15>(magnitude);
  result = magnitude >= 0x47600000U ? 0x7bU : result;
  result |= (bits & detail::kF32Sign) >> 24;
  return static_cast<std::uint8_t>(magnitude > detail::kF32Infinity ? 0x7fU : result);
}
inline std::uint16_t f16_bits(double value) { return f16_bits(round_to_odd(value)); }
inline std::uint16_t bf16_bits(double value) { return bf16_bits(round_to_odd(value)); }
inline std::uint8_t e4m3_bits(double value) { return e4m3_bits(round_to_odd(value)); }
inline std::uint8_t e5m2_bits(double value) { return e5m2_bits(round_to_odd(value)); }

/// The exact value of a bit pattern. A NaN comes out as NVIDIA's converters give it: positive
/// 0x7fffffff, except that bf16 keeps its sign and payload.
constexpr float f16_value(std::uint16_t bits) {
  const std::uint32_t magnitude = bits & 0x7fffU;
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
  std::uint32_t result = detail::widen<10, 15>(magnitude);
  result = magnitude == 0x7c00U ? detail::kF32Infinity : result;
  return std::bit_cast<float>(magnitude > 0x7c00U ? 0x7fffffffU : result | sign);
}
constexpr float bf16_value(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}
constexpr float e4m3_value(std::uint8_t bits) {
  const std::uint32_t magnitude = bits & 0x7fU;
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x80U) << 24;
  const std::uint32_t result = detail::widen<3, 7>(magnitude) | sign;
  return std::bit_cast<float>(magnitude == 0x7fU ? 0x7fffffffU : result);
}
constexpr float e5m2_value(std::uint8_t bits) {
  const std::uint32_t magnitude = bits & 0x7fU;
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x80U) << 24;
  std::uint32_t result = detail::widen<2, 15>(magnitude);
  result = magnitude == 0x7cU ? detail::kF32Infinity : result;
  return std::bit_cast<float>(magnitude > 0x7cU ? 0x7fffffffU : result | sign);
}

// Under nvcc gpu/types.hpp gives these two names to CUDA's own types.
#if !defined(__CUDACC__)
struct f16 {
  std::uint16_t bits;
};
struct bf16 {
  std::uint16_t bits;
};
#endif
struct e4m3 {
  std::uint8_t bits;
};
struct e5m2 {
  std::uint8_t bits;
};

}  // namespace wm
