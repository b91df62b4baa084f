// The host types against the host side of NVIDIA's own headers, where a toolkit is installed.
#include <gtest/gtest.h>

#include "core/float_types.hpp"

#if __has_include(<cuda_fp8.h>)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/rng.hpp"

namespace wm {
namespace {

/// Floats of every exponent, and around every value of the 16-bit types and every middle of two.
std::vector<float> samples() {
  std::vector<float> values;
  for (std::uint32_t high = 0; high < 0x10000; ++high) {
    for (const std::uint32_t low : {0x0U, 0x1U, 0xfffU, 0x1000U, 0x1001U, 0x7fffU, 0x8000U, 0x8001U,
                                    0xefffU, 0xf000U, 0xffffU}) {
      values.push_back(std::bit_cast<float>((high << 16) | low));
    }
  }
  return values;
}

template <class Ours, class Theirs>
void expect_equal(const char* name, Ours ours, Theirs theirs) {
  std::size_t wrong = 0;
  for (const float x : samples()) {
    if (std::isnan(x)) continue;
    const unsigned a = ours(x);
    const unsigned b = theirs(x);
    if (a != b && ++wrong < 5) ADD_FAILURE() << name << " of " << x << ": " << a << ", " << b;
  }
  EXPECT_EQ(wrong, 0U) << name;
}

TEST(NvidiaHeaders, FloatsRoundAlike) {
  const auto half = [](float x) { return __half_raw(__float2half_rn(x)).x; };
  const auto bfloat = [](float x) { return __nv_bfloat16_raw(__float2bfloat16_rn(x)).x; };
  const auto e4m3_nv = [](float x) { return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3); };
  const auto e5m2_nv = [](float x) { return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2); };
  expect_equal(
      "f16", [](float x) { return f16_bits(x); }, half);
  expect_equal(
      "bf16", [](float x) { return bf16_bits(x); }, bfloat);
  expect_equal(
      "e4m3", [](float x) { return e4m3_bits(x); }, e4m3_nv);
  expect_equal(
      "e5m2", [](float x) { return e5m2_bits(x); }, e5m2_nv);
}

TEST(NvidiaHeaders, DoublesRoundAlike) {
  const Random random(4, 4);
  for (std::uint64_t i = 0; i < 100000; ++i) {
    // Just off a middle of two f16 or bf16 values, where rounding through float would go wrong.
    const auto middle = static_cast<double>(std::bit_cast<float>(
        (random.bits(2 * i) & 0x7fffe000U) | ((random.bits(2 * i) & 1) != 0 ? 0x1000U : 0x8000U)));
    const double x = middle * (1 + std::ldexp(random.uniform(2 * i + 1) - 0.5, -40));
    if (!std::isfinite(x)) continue;
    ASSERT_EQ(f16_bits(x), __half_raw(__double2half(x)).x) << x;
    ASSERT_EQ(bf16_bits(x), __nv_bfloat16_raw(__double2bfloat16(x)).x) << x;
  }
}

TEST(NvidiaHeaders, NaNsAreCanonical) {
  for (const float nan : {std::bit_cast<float>(0x7fc00000U), std::bit_cast<float>(0xff800001U)}) {
    EXPECT_EQ(f16_bits(nan), __half_raw(__float2half_rn(nan)).x);
    EXPECT_EQ(bf16_bits(nan), __nv_bfloat16_raw(__float2bfloat16_rn(nan)).x);
  }
}

TEST(NvidiaHeaders, SmallTypesWidenAlike) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    __half_raw half;
    half.x = static_cast<std::uint16_t>(bits);
    const float f16_ours = f16_value(half.x);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(f16_ours),
              std::bit_cast<std::uint32_t>(__half2float(__half(half))));
    __nv_bfloat16_raw bfloat;
    bfloat.x = half.x;
    if (!std::isnan(bf16_value(bfloat.x))) {
      EXPECT_EQ(bf16_value(bfloat.x), __bfloat162float(__nv_bfloat16(bfloat)));
    }
  }
  for (unsigned bits = 0; bits < 0x100; ++bits) {
    const auto byte = static_cast<std::uint8_t>(bits);
    const float e4m3_nv = __half2float(__half(__nv_cvt_fp8_to_halfraw(byte, __NV_E4M3)));
    const float e5m2_nv = __half2float(__half(__nv_cvt_fp8_to_halfraw(byte, __NV_E5M2)));
    EXPECT_TRUE(e4m3_value(byte) == e4m3_nv ||
                (std::isnan(e4m3_value(byte)) && std::isnan(e4m3_nv)));
    EXPECT_TRUE(e5m2_value(byte) == e5m2_nv ||
                (std::isnan(e5m2_value(byte)) && std::isnan(e5m2_nv)));
  }
}

}  // namespace
}  // namespace wm

#else

TEST(NvidiaHeaders, FloatsRoundAlike) { GTEST_SKIP() << "no CUDA Toolkit headers"; }

#endif
