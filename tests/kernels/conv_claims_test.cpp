// What convolution variants say before they run: claims, workspace, heuristics.
#include <gtest/gtest.h>

#include <string>

#include "kernels/conv_harness.hpp"
#include "ops/conv.hpp"

namespace wm::test {
namespace {

Claims claims_of(const std::string& op, const std::string& algorithm, const std::string& keys,
                 const std::string& config, const std::string& dtype = "f32") {
  ConvCase conv_case = make_case(op, algorithm, keys);
  conv_case.dtype = dtype;
  const Problem problem = resolve_case(conv_case);
  return variant_of(conv_case, problem).claims(problem, Config::parse(config));
}

TEST(ConvClaims, ClaimsCountEveryRounding) {
  const auto height = [](const char* op, const char* algorithm, const char* keys,
                         const char* config) {
    return claims_of(op, algorithm, keys, config).tree_height;
  };
  const char* plain = "n=2 c=5 k=7 h=8 w=8 r=3 s=3 pad=1";
  EXPECT_EQ(height("conv_fwd", "direct", plain, "tile=4x2"), 5 * 9);
  EXPECT_EQ(height("conv_fwd", "implicit_gemm", plain, "tile=32x32x16"), 5 * 9);
  EXPECT_EQ(height("conv_bwd_data", "direct", plain, "tile=4x2"), 7 * 9);
  // stride 2: at most two taps of three reach an input row
  EXPECT_EQ(height("conv_bwd_data", "implicit_gemm", "n=2 c=5 k=7 h=8 w=8 r=3 s=3 pad=1 stride=2",
                   "tile=32x32x16"),
            7 * 4);
  // nine taps of seven products each, eight additions after the first
  EXPECT_EQ(height("conv_bwd_data", "scatter_atomic", plain, "tile=32x32x16"), 7 + 8);
  EXPECT_EQ(height("conv_bwd_filter", "implicit_gemm", plain, "tile=32x32x16"), 2 * 64);
  EXPECT_EQ(height("conv_bwd_filter", "direct", plain, "tile=8x4,lanes=32"), 128 / 32 + 5);
  // 128 positions in splits of 48: 48 products, three partial sums
  EXPECT_EQ(height("conv_bwd_filter", "split_atomic", plain, "tile=32x32x16,splits=3"), 48 + 2);
  EXPECT_EQ(height("conv_fwd", "direct", "n=1 c=3 k=3 h=1 w=1 r=5 s=5 pad=4 stride=5", "tile=4x2"),
            3);
}

TEST(ConvClaims, TwoPartialSumsCommute) {
  const char* keys = "n=1 c=4 k=4 h=16 w=16 r=3 s=3 pad=1";
  const auto claim = [&](const std::string& extra, const char* config, const char* dtype = "f32") {
    return claims_of("conv_bwd_filter", "split_atomic", keys + extra, config, dtype);
  };
  EXPECT_TRUE(claim("", "tile=32x32x16,splits=2").deterministic());
  EXPECT_EQ(claim("", "tile=32x32x16,splits=3").nondeterministic,
            "atomicAdd of 3 partial sums an element");
  EXPECT_EQ(claim(" beta=1", "tile=32x32x16,splits=2").nondeterministic,
            "atomicAdd of 2 partial sums an element onto beta prior");
  EXPECT_TRUE(claim(" beta=1", "tile=32x32x16,splits=2", "f16").deterministic());
  // 2x2 filter at stride 2: one tap an element
  EXPECT_TRUE(claims_of("conv_bwd_data", "scatter_atomic", "n=1 c=4 k=4 h=8 w=8 r=2 s=2 stride=2",
                        "tile=32x32x16")
                  .deterministic());
  EXPECT_FALSE(claims_of("conv_bwd_data", "scatter_atomic", keys, "tile=32x32x16").deterministic());
}

TEST(ConvClaims, WorkspaceOnlyForNarrowAtomics) {
  const auto bytes = [](const char* op, const char* algorithm, const char* dtype) {
    ConvCase conv_case = make_case(op, algorithm, "n=2 c=5 k=7 h=6 w=9 r=3 s=3 pad=1");
    conv_case.dtype = dtype;
    const Problem problem = resolve_case(conv_case);
    const Variant& variant = variant_of(conv_case, problem);
    return variant.workspace_bytes(problem, variant.configure(problem, DeviceProps{}));
  };
  EXPECT_EQ(bytes("conv_bwd_data", "scatter_atomic", "f16"), 2U * 5 * 6 * 9 * 4);
  EXPECT_EQ(bytes("conv_bwd_data", "scatter_atomic", "f64"), 0U);
  EXPECT_EQ(bytes("conv_bwd_filter", "split_atomic", "bf16"), 7U * 5 * 9 * 4);
  EXPECT_EQ(bytes("conv_bwd_filter", "implicit_gemm", "bf16"), 0U);
}

/// The heuristics are pure functions of problem and device.
TEST(ConvClaims, Heuristics) {
  const auto config = [](const char* op, const char* algorithm, const char* keys,
                         const char* dtype = "f32") {
    ConvCase conv_case = make_case(op, algorithm, keys);
    conv_case.dtype = dtype;
    const Problem problem = resolve_case(conv_case);
    return variant_of(conv_case, problem).configure(problem, DeviceProps{}).to_string();
  };
  const char* large = "n=64 c=256 k=256 h=28 w=28 r=3 s=3 pad=1";
  const char* single = "n=1 c=64 k=64 h=56 w=56 r=3 s=3 pad=1";
  const char* depthwise = "n=8 c=128 k=128 h=56 w=56 r=3 s=3 pad=1 groups=128";
  EXPECT_EQ(config("conv_fwd", "implicit_gemm", large), "tile=128x128x8");
  EXPECT_EQ(config("conv_fwd", "implicit_gemm", large, "f64"), "tile=64x64x8");
  EXPECT_EQ(config("conv_fwd", "implicit_gemm", single), "tile=32x32x16");
  EXPECT_EQ(config("conv_fwd", "direct", large), "tile=8x4");
  EXPECT_EQ(config("conv_fwd", "direct", depthwise), "tile=1x4");
  EXPECT_EQ(config("conv_bwd_filter", "direct", depthwise), "tile=1x1,lanes=32");
  EXPECT_EQ(config("conv_bwd_filter", "split_atomic", single), "tile=32x32x16,splits=8");
}

}  // namespace
}  // namespace wm::test
