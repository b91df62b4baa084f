#pragma once
// Element types: names, sizes and the floating-point parameters every bound is derived from.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wm {

enum class DType : std::uint8_t { f64, f32, f16, bf16, e4m3, e5m2, s8, u8, s32, s64, b1 };

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  unsigned bytes;  ///< bytes an element occupies in memory (b1 packs 8 to a byte; 1 here)
  bool floating;
  int precision;     ///< significand bits including the hidden one; value bits for integers
  int min_exponent;  ///< smallest normal number is 2^min_exponent (0 for integers)
  double max_finite;
};

const DTypeInfo& info(DType dtype);
std::string_view name_of(DType dtype);
std::optional<DType> parse_dtype(std::string_view name);
std::vector<std::string> dtype_names();

/// Half an ulp of 1: the largest relative error of rounding to nearest, 2^-precision; 0 for
/// integers, whose error is absolute.
double unit_roundoff(DType dtype);
/// Distance between subnormals, 2^(min_exponent - precision + 1); half of it is the underflow term.
/// 1 for integers.
double subnormal_spacing(DType dtype);

}  // namespace wm
