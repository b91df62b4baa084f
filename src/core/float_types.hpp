#pragma once
// Host representations of the 16-bit and 8-bit floating-point types: plain bit containers with
// round-to-nearest-even conversions. Bit-compatible with __half, __nv_bfloat16, __nv_fp8_e4m3 and
// __nv_fp8_e5m2; a test compares every conversion with NVIDIA's headers where a toolkit is present.
#include <bit>
#include <cstdint>

#include "core/dtype.hpp"

namespace wm {

/// Bit patterns of a float rounded to the type (nearest even; NaN stays NaN, quiet and positive
/// canonical 0x7fff / 0x7fff / 0x7f / 0x7f as NVIDIA's converters give; fp8 saturates to max
/// finite as cvt.satfinite does).
std::uint16_t f16_bits(float value);
std::uint16_t f16_bits(double value);  ///< one rounding, not through float
std::uint16_t bf16_bits(float value);
std::uint16_t bf16_bits(double value);
std::uint8_t e4m3_bits(float value);
std::uint8_t e5m2_bits(float value);
float f16_value(std::uint16_t bits);
float e4m3_value(std::uint8_t bits);
float e5m2_value(std::uint8_t bits);
inline float bf16_value(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

struct f16 {
  std::uint16_t bits;
};
struct bf16 {
  std::uint16_t bits;
};
struct e4m3 {
  std::uint8_t bits;
};
struct e5m2 {
  std::uint8_t bits;
};

}  // namespace wm
