#include "core/dtype.hpp"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>

#include "core/tensor.hpp"

namespace wm {
namespace {

TEST(DTypes, NamesReadBackAndAreInEnumOrder) {
  const std::vector<std::string> names = dtype_names();
  ASSERT_EQ(names.size(), 11U);
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(parse_dtype(names[i]), static_cast<DType>(i)) << names[i];
    EXPECT_EQ(name_of(static_cast<DType>(i)), names[i]);
    EXPECT_EQ(info(static_cast<DType>(i)).dtype, static_cast<DType>(i));
  }
  EXPECT_EQ(parse_dtype("float"), std::nullopt);
  EXPECT_EQ(parse_dtype(""), std::nullopt);
}

TEST(DTypes, ParametersAreThoseOfTheNativeTypes) {
  EXPECT_EQ(info(DType::f32).max_finite, static_cast<double>(FLT_MAX));
  EXPECT_EQ(info(DType::f64).max_finite, DBL_MAX);
  EXPECT_EQ(unit_roundoff(DType::f32), static_cast<double>(FLT_EPSILON) / 2);
  EXPECT_EQ(unit_roundoff(DType::f64), DBL_EPSILON / 2);
  EXPECT_EQ(subnormal_spacing(DType::f32), 0x1p-149);
  EXPECT_EQ(subnormal_spacing(DType::f64), 0x1p-1074);
  EXPECT_EQ(subnormal_spacing(DType::f16), 0x1p-24);
  EXPECT_EQ(unit_roundoff(DType::bf16), 0x1p-8);
}

/// The table agrees with the conversions: what it calls largest, smallest and half an ulp is.
TEST(DTypes, ParametersAgreeWithTheConversions) {
  for (const std::string& name : dtype_names()) {
    const DType type = *parse_dtype(name);
    if (!info(type).floating) continue;
    const double largest = info(type).max_finite;
    EXPECT_EQ(round_to(type, largest), largest) << name;
    EXPECT_EQ(round_to(type, largest * (1 - unit_roundoff(type) / 4)), largest) << name;
    const double smallest = subnormal_spacing(type);
    EXPECT_EQ(round_to(type, smallest), smallest) << name;
    EXPECT_EQ(round_to(type, smallest / 2), 0) << name;
    const double normal = std::ldexp(1.0, info(type).min_exponent);
    EXPECT_EQ(round_to(type, normal + smallest), normal + smallest) << name;
    EXPECT_EQ(round_to(type, 1 + unit_roundoff(type)), 1) << name;
    EXPECT_EQ(round_to(type, 1 + 2 * unit_roundoff(type)), 1 + 2 * unit_roundoff(type)) << name;
  }
}

}  // namespace
}  // namespace wm
