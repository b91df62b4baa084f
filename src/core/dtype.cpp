#include "core/dtype.hpp"

#include <array>
#include <cmath>
#include <cstddef>

namespace wm {
namespace {

constexpr std::array<DTypeInfo, 11> kTypes{{
    {DType::f64, "f64", 8, true, 53, -1022, 0x1.fffffffffffffp1023},
    {DType::f32, "f32", 4, true, 24, -126, 0x1.fffffep127},
    {DType::f16, "f16", 2, true, 11, -14, 65504},
    {DType::bf16, "bf16", 2, true, 8, -126, 0x1.fep127},
    {DType::e4m3, "e4m3", 1, true, 4, -6, 448},
    {DType::e5m2, "e5m2", 1, true, 3, -14, 57344},
    {DType::s8, "s8", 1, false, 7, 0, 127},
    {DType::u8, "u8", 1, false, 8, 0, 255},
    {DType::s32, "s32", 4, false, 31, 0, 2147483647},
    {DType::s64, "s64", 8, false, 63, 0, 0x1p63},
    {DType::b1, "b1", 1, false, 1, 0, 1},
}};

}  // namespace

const DTypeInfo& info(DType dtype) { return kTypes[static_cast<std::size_t>(dtype)]; }

std::string_view name_of(DType dtype) { return info(dtype).name; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (const DTypeInfo& type : kTypes) {
    if (type.name == name) return type.dtype;
  }
  return std::nullopt;
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  names.reserve(kTypes.size());
  for (const DTypeInfo& type : kTypes) names.emplace_back(type.name);
  return names;
}

double unit_roundoff(DType dtype) {
  const DTypeInfo& type = info(dtype);
  return type.floating ? std::ldexp(1.0, -type.precision) : 0.0;
}

double subnormal_spacing(DType dtype) {
  const DTypeInfo& type = info(dtype);
  return type.floating ? std::ldexp(1.0, type.min_exponent - type.precision + 1) : 1.0;
}

}  // namespace wm
