#include "ops/conv.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ops/op_test_util.hpp"

namespace wm {
namespace {

using Triple = std::array<std::int64_t, 3>;

const ConvProblem& detail(const Problem& problem) { return problem.as<ConvProblem>(); }
const ConvProblem& detail(Problem&&) = delete;  // it would dangle

Triple output(std::string_view text) { return resolve(text).as<ConvProblem>().out; }

TEST(Conv, OutputSizeIsFloor) {
  EXPECT_EQ(output("conv_fwd n=1 c=64 h=56 w=56 k=128 r=3 s=3 pad=1 stride=2"),
            (Triple{1, 28, 28}));
  EXPECT_EQ(output("conv_fwd n=1 c=3 h=224 w=224 k=64 r=7 s=7 pad=3 stride=2"),
            (Triple{1, 112, 112}));
  EXPECT_EQ(output("conv_fwd n=16 c=1 h=161 w=700 k=32 r=20 s=5 stride=2"), (Triple{1, 71, 348}));
}

// Shapes on which other libraries failed: large or one-sided padding, filters larger than the
// image, strides larger than the image, dilation.
TEST(Conv, CornerOutputSizes) {
  EXPECT_EQ(output("conv_fwd n=1 c=1 h=7 w=7 k=1 r=3 s=3 pad_begin_h=2 pad_end_h=4 "
                   "pad_begin_w=2 pad_end_w=4"),
            (Triple{1, 11, 11}));
  EXPECT_EQ(output("conv_fwd n=1 c=1 h=16 w=16 k=1 r=3 s=3 pad_begin_h=1 pad_end_w=1"),
            (Triple{1, 15, 15}));
  // A "negative end padding" elsewhere: the floor gives the same output without one.
  EXPECT_EQ(output("conv_bwd_data n=1 c=1 h=2 w=2 k=1 r=1 s=1 stride=3"), (Triple{1, 1, 1}));
  EXPECT_EQ(output("conv_bwd_filter n=1 c=1 h=7 w=7 k=1 r=11 s=11 stride=2 pad_begin_h=5 "
                   "pad_begin_w=5"),
            (Triple{1, 1, 1}));
  EXPECT_EQ(output("conv_fwd n=1 c=1 h=1 w=1 k=1 r=5 s=5 pad_begin_h=4 pad_begin_w=4"),
            (Triple{1, 1, 1}));
  EXPECT_EQ(output("conv_fwd n=1 c=1 w=1 k=1 s=3 pad_begin_w=100 pad_end_w=1"),
            (Triple{1, 1, 100}));
  EXPECT_EQ(output("conv_fwd n=1 c=1 w=55 k=1 s=30 stride=3 dil=3 pad_begin_w=29 pad_end_w=55"),
            (Triple{1, 1, 18}));
  EXPECT_EQ(output("conv_fwd n=1 c=1 h=1 w=1 k=1 r=3 s=3 stride=2 pad=1"), (Triple{1, 1, 1}));
  EXPECT_EQ(output("conv_fwd n=1 c=1 w=80 k=1 s=31 pad=15"), (Triple{1, 1, 80}));
  EXPECT_EQ(output("conv_bwd_filter n=1 c=1 d=2 h=1 w=1 k=1 t=3 r=1 s=1 pad_begin_d=2"),
            (Triple{2, 1, 1}));
  EXPECT_EQ(output("conv_fwd n=1 c=1 h=227 w=227 k=1 r=5 s=5 stride=2 dil=2 pad=1"),
            (Triple{1, 111, 111}));
  EXPECT_EQ(output("conv_fwd n=1 c=1 h=21 w=21 k=1 r=5 s=5 stride=2x1 dil=4x2"),
            (Triple{1, 3, 13}));
  for (const char* channels : {"7", "13", "111", "127", "129", "257", "1000"}) {
    const std::string c(channels);
    const Problem problem =
        resolve("conv_fwd n=1 c=" + c + " h=5 w=5 k=" + c + " r=3 s=3 pad=1 groups=" + c);
    EXPECT_EQ(problem.tensor("w").dims[1], 1);
    EXPECT_EQ(problem.op->depth(problem), 9);
  }
}

TEST(Conv, SizesPastFourBillion) {
  EXPECT_EQ(resolve("conv_fwd n=1 c=4294967311 h=1 w=1 k=1 r=1 s=1").tensor("x").elements(),
            4294967311);
  EXPECT_EQ(output("conv_fwd n=1 c=32 w=134217732 k=1 s=3"), (Triple{1, 1, 134217730}));
  EXPECT_EQ(resolve("conv_fwd n=1 c=640 d=100 h=320 w=320 k=1 t=1 r=1 s=1 dtype=s8")
                .tensor("x")
                .elements(),
            6553600000);
}

TEST(Conv, FlopsAreTheSameInAllDirections) {
  // 2 N K P Q (C/G) R S = 2 * 2 * 6 * 2 * 3 * 2 * 3 * 2
  for (const char* op : {"conv_fwd", "conv_bwd_data", "conv_bwd_filter"}) {
    const Problem problem = resolve(std::string(op) + " n=2 c=4 h=4 w=4 k=6 r=3 s=2 groups=2");
    EXPECT_EQ(problem.op->flops(problem), 1728) << op;
  }
}

TEST(Conv, BytesCountEachTensorOnce) {
  // x 2*4*4*4 = 128, w 6*2*3*2 = 72, y 2*6*2*3 = 72 elements.
  const std::string sizes = " n=2 c=4 h=4 w=4 k=6 r=3 s=2 groups=2";
  const auto bytes = [](const std::string& text) {
    const Problem problem = resolve(text);
    return problem.op->bytes(problem);
  };
  EXPECT_EQ(bytes("conv_fwd" + sizes), 4 * (128 + 72 + 72));
  EXPECT_EQ(bytes("conv_fwd" + sizes + " beta=1 bias=1 residual=1 dtype=f16"),
            2 * (128 + 72 + 72 + 72 + 72 + 6));
  EXPECT_EQ(bytes("conv_fwd" + sizes + " dtype=s8.s8.f32"), 128 + 72 + 4 * 72);
  EXPECT_EQ(bytes("conv_bwd_data" + sizes + " beta=1"), 4 * (128 + 72 + 72 + 128));
  EXPECT_EQ(bytes("conv_bwd_filter" + sizes + " beta=1"), 4 * (128 + 72 + 72 + 72));
}

TEST(Conv, DepthFollowsTheDirection) {
  const std::string sizes = " n=5 c=4 h=4 w=4 k=6 r=3 s=2 groups=2";
  const auto depth = [](const std::string& text) {
    const Problem problem = resolve(text);
    return problem.op->depth(problem);
  };
  EXPECT_EQ(depth("conv_fwd" + sizes), 2 * 3 * 2);
  EXPECT_EQ(depth("conv_bwd_data" + sizes), 3 * 3 * 2);
  EXPECT_EQ(depth("conv_bwd_filter" + sizes), 5 * 2 * 3);
}

std::string tensor_list(const Problem& problem) {
  std::string text;
  for (const TensorDesc& desc : problem.tensors) {
    text += desc.name + ":" + std::string(name_of(desc.dtype)) +
            (desc.role == Role::output ? "! " : " ");
  }
  return text;
}

TEST(Conv, TensorsAndTypesByDirection) {
  const std::string sizes = " n=1 c=2 h=4 w=4 k=2 r=3 s=3 dtype=f16.bf16.f32";
  EXPECT_EQ(tensor_list(resolve("conv_fwd" + sizes)), "x:f16 w:bf16 y:f32! ");
  EXPECT_EQ(tensor_list(resolve("conv_fwd" + sizes + " bias=1 residual=0.5 beta=2")),
            "x:f16 w:bf16 bias:bf16 z:f32 y_in:f32 y:f32! ");
  EXPECT_EQ(tensor_list(resolve("conv_bwd_data" + sizes)), "w:bf16 dy:f32 dx:f16! ");
  EXPECT_EQ(tensor_list(resolve("conv_bwd_data" + sizes + " beta=1")),
            "w:bf16 dy:f32 dx_in:f16 dx:f16! ");
  EXPECT_EQ(tensor_list(resolve("conv_bwd_filter" + sizes + " beta=1")),
            "x:f16 dy:f32 dw_in:bf16 dw:bf16! ");
}

TEST(Conv, ChannelsLastHoldsForWeightsToo) {
  const Problem problem = resolve("conv_fwd n=2 c=3 h=4 w=5 k=6 r=2 s=3 layout=nhwc");
  EXPECT_EQ(problem.tensor("x").strides, (Dims{60, 1, 15, 3}));
  EXPECT_EQ(problem.tensor("w").strides, (Dims{18, 1, 9, 3}));
  const Problem line = resolve("conv_fwd n=2 c=3 w=5 k=6 s=3 layout=nhwc");
  EXPECT_EQ(line.tensor("x").strides, (Dims{15, 1, 3}));
}

TEST(Conv, MoreSpecificKeysWin) {
  const Problem problem = resolve(
      "conv_fwd n=1 c=1 h=9 w=9 k=1 r=3 s=3 pad=2 pad_h=1 pad_end_h=0 stride=3 stride_w=2 dil=1x2 "
      "dil_h=3");
  const ConvProblem& conv = detail(problem);
  EXPECT_EQ(conv.pad_begin, (Triple{0, 1, 2}));
  EXPECT_EQ(conv.pad_end, (Triple{0, 0, 2}));
  EXPECT_EQ(conv.stride, (Triple{1, 3, 2}));
  EXPECT_EQ(conv.dilation, (Triple{1, 3, 2}));
}

TEST(Conv, CanonicalPadding) {
  const std::string sizes = "conv_fwd n=1 c=1 h=9 w=9 k=1 r=3 s=3 ";
  const auto canonical = [&](const std::string& more) { return keys_text(resolve(sizes + more)); };
  EXPECT_EQ(canonical("pad=2,2 stride=2x2"),
            "n=1 c=1 h=9 w=9 k=1 r=3 s=3 pad=2 stride=2 dil=1 groups=1 mode=cross_correlation "
            "bias=0 act=none residual=0 alpha=1 beta=0 dtype=f32 acc=f32 math=ieee layout=nchw");
  EXPECT_NE(canonical("pad_h=1 pad_w=3 dil=1,2").find(" pad=1x3 stride=1 dil=1x2 "),
            std::string::npos);
  EXPECT_NE(canonical("pad=1 pad_end_w=2")
                .find(" pad_begin_h=1 pad_end_h=1 pad_begin_w=1 pad_end_w=2 stride=1 "),
            std::string::npos);
  EXPECT_NE(
      canonical("act=identity alpha=0.50 beta=-0").find(" act=none residual=0 alpha=0.5 beta=0 "),
      std::string::npos);
}

TEST(Conv, ShapeErrors) {
  EXPECT_EQ(
      resolve_error("conv_fwd n=1 c=3 h=2 w=9 k=1 r=5 s=3 pad_h=1 dil=1"),
      "conv_fwd: output size below 1 in h: the filter spans 5 (r=5 dil=1) but the padded image "
      "only 4 (h=2 pad=1+1)");
  EXPECT_EQ(resolve_error("conv_fwd n=1 c=3 h=9 w=9 k=4 r=3 s=3 groups=2"),
            "conv_fwd: c=3 is not divisible by groups=2");
  EXPECT_EQ(resolve_error("conv_fwd n=1 c=4 h=9 w=9 k=3 r=3 s=3 groups=2"),
            "conv_fwd: k=3 is not divisible by groups=2");
  EXPECT_EQ(
      resolve_error("conv_fwd n=1 c=3 h=9 w=9 k=1 s=3"),
      "conv_fwd: missing key \"r\": it goes with \"h\" (1D is w and s, 2D adds h and r, 3D adds "
      "d and t)");
  EXPECT_EQ(resolve_error("conv_fwd n=1 c=3 d=2 w=9 k=1 t=1 s=3"),
            "conv_fwd: missing keys \"h\" and \"r\": a 3D convolution has them beside d and t");
  EXPECT_EQ(
      resolve_error("conv_fwd n=1 c=3 h=9 w=9 k=1 r=3 s=3 pad=1x2x3"),
      "conv_fwd: pad=1x2x3: 3 values for 2 dimensions; expected one, or one each in the order "
      "d, h, w");
  EXPECT_EQ(resolve_error("conv_fwd n=1 c=3 h=9 w=9 k=1 r=3 s=3 pad_d=1"),
            "conv_fwd: key 'pad_d': this convolution is 2D and has no d");
  EXPECT_EQ(resolve_error("conv_fwd n=1099511627776 c=1099511627776 w=1 k=1 s=1"),
            "conv_fwd: tensor [1099511627776, 1099511627776, 1] has more than 2^62 elements");
}

TEST(Conv, FusedKeysExistForwardOnly) {
  const std::string message = resolve_error("conv_bwd_data n=1 c=3 h=9 w=9 k=1 r=3 s=3 residual=1");
  EXPECT_TRUE(message.starts_with("conv_bwd_data: unknown key 'residual'; ")) << message;
  EXPECT_TRUE(message.ends_with("(bias, act and residual exist only in conv_fwd)")) << message;
}

}  // namespace
}  // namespace wm
