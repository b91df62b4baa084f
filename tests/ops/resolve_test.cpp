// Keys that every op shares, their errors, and the canonical form.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "ops/activation.hpp"
#include "ops/matmul.hpp"
#include "ops/op_test_util.hpp"
#include "ops/random_problems.hpp"

namespace wm {
namespace {

const std::string kConv = "conv_fwd n=1 h=9 w=9 k=1 r=3 s=3 ";

TEST(Resolve, OpsAreListedOnce) {
  EXPECT_EQ(op_names(), (std::vector<std::string>{"matmul", "conv_fwd", "conv_bwd_data",
                                                  "conv_bwd_filter", "softmax_fwd", "softmax_bwd",
                                                  "activation_fwd", "activation_bwd"}));
  EXPECT_EQ(find_op("conv"), nullptr);
  EXPECT_EQ(find_op("conv_fwd")->name, "conv_fwd");
}

TEST(Resolve, WrongValuesNameTheLimits) {
  const std::string range = ": expected an integer from 1 to 1099511627776 (input channels)";
  for (const char* value : {"6.5", "true", "99999999999999999999", "0", "-3", "", "6e0", "0x10"}) {
    EXPECT_EQ(resolve_error(kConv.substr(0, kConv.size() - 1) + " c=" + value),
              "conv_fwd: c=" + std::string(value) + range)
        << value;
  }
  EXPECT_EQ(resolve_error(kConv + "c=1 alpha=nan"),
            "conv_fwd: alpha=nan: expected a finite number (factor of the convolution)");
  EXPECT_EQ(resolve_error(kConv + "c=1 bias=2"),
            "conv_fwd: bias=2: expected 0 or 1 (adds bias[k])");
  EXPECT_EQ(resolve_error(kConv + "c=1 mode=correlation"),
            "conv_fwd: unknown mode 'correlation'; allowed: cross_correlation, convolution");
  EXPECT_EQ(
      resolve_error(kConv + "c=1 pad=-1"),
      "conv_fwd: pad=-1: expected an integer from 0 to 2147483647, or one a dimension such as "
      "2x3 or 3,0,5 (zeros around the input; pad_h beats pad, pad_begin_h both)");
  EXPECT_EQ(
      resolve_error(kConv + "c=1 pad_end_h=-1"),
      "conv_fwd: pad_end_h=-1: expected an integer from 0 to 2147483647 (padding after in h)");
  EXPECT_EQ(resolve_error(kConv + "c=1 stride=0"),
            "conv_fwd: stride=0: expected an integer from 1 to 2147483647, or one a dimension such "
            "as 2x3 or 3,0,5 (step between outputs; stride_h beats stride)");
}

TEST(Resolve, MissingUnknownAndRepeatedKeys) {
  EXPECT_EQ(resolve_error("conv_fwd n=1 c=1 h=9 w=9 r=3 s=3"),
            "conv_fwd: missing key \"k\" (number of filters)");
  EXPECT_EQ(resolve_error("matmul m=1 n=1"), "matmul: missing key \"k\" (products summed)");
  EXPECT_EQ(resolve_error("activation_fwd n=1 c=1"),
            "activation_fwd: missing key \"fn\" (the function)");
  EXPECT_EQ(
      resolve_error("matmul m=1 n=1 k=1 transposea=1"),
      "matmul: unknown key 'transposea'; did you mean 'transpose_a'? allowed: m, n, k, batch, "
      "transpose_a, transpose_b, alpha, beta, epilogue, dtype, acc, math");
  EXPECT_EQ(resolve_error("matmul m=1 n=1 k=1 m=2"), "matmul: key 'm' is given twice");
  const std::string layout = resolve_error("matmul m=1 n=1 k=1 layout=nhwc");
  EXPECT_TRUE(layout.starts_with("matmul: unknown key 'layout'; ")) << layout;
  EXPECT_TRUE(layout.ends_with("(tensors of this op have no layout)")) << layout;
  EXPECT_EQ(resolve_error("softmax_fwd n=1 c=1 layout=nchv"),
            "softmax_fwd: unknown layout 'nchv'; did you mean 'nchw'? allowed: nchw, nhwc");
}

TEST(Resolve, Types) {
  EXPECT_EQ(resolve_error("matmul m=1 n=1 k=1 dtype=fp16"),
            "matmul: unknown dtype 'fp16'; did you mean 'f16'? allowed: f64, f32, f16, bf16, e4m3, "
            "e5m2, s8, u8, s32, s64, b1");
  EXPECT_EQ(resolve_error("matmul m=1 n=1 k=1 dtype=b1"),
            "matmul: dtype=b1: this op is not defined on bits");
  EXPECT_EQ(resolve_error("matmul m=1 n=1 k=1 dtype=f16.f32"),
            "matmul: dtype=f16.f32: expected one type or 3 (in.weights.out)");
  EXPECT_EQ(resolve_error("softmax_fwd n=1 c=1 dtype=f16.f32.f32"),
            "softmax_fwd: dtype=f16.f32.f32: expected one type or 2 (in.out)");
  EXPECT_EQ(resolve_error("softmax_fwd n=1 c=1 dtype=s8"),
            "softmax_fwd: dtype=s8.s8: s8 is no floating-point type; allowed: f64, f32, f16, bf16, "
            "e4m3, e5m2");
  EXPECT_EQ(resolve_error("matmul m=1 n=1 k=1 dtype=s8.f16.f32"),
            "matmul: dtype=s8.f16.f32: in and weights must both be floating-point or both be "
            "integers");
  EXPECT_EQ(resolve_error("matmul m=1 n=1 k=1 acc=f16"),
            "matmul: acc=f16: cannot hold f32 operands; allowed: f16, f32, f64, as wide as the "
            "operands");
  EXPECT_EQ(resolve_error("matmul m=1 n=1 k=1 dtype=s8 acc=f32"),
            "matmul: acc=f32: dtype=s8.s8.s8 needs an integer type (s32, s64)");
  EXPECT_EQ(resolve_error("matmul m=1 n=1 k=1 math=tf23"),
            "matmul: unknown math 'tf23'; did you mean 'tf32'? allowed: ieee, tf32");
  EXPECT_EQ(resolve_error("matmul m=1 n=1 k=1 dtype=f16 math=tf32"),
            "matmul: math=tf32: needs dtype f32 and acc f32, not dtype=f16.f16.f16 acc=f32");
}

TEST(Resolve, AccumulationFollowsTheOperands) {
  const auto acc = [](const std::string& dtype) {
    return resolve("matmul m=1 n=1 k=1 dtype=" + dtype).acc;
  };
  EXPECT_EQ(acc("f64"), DType::f64);
  EXPECT_EQ(acc("f32"), DType::f32);
  EXPECT_EQ(acc("bf16"), DType::f32);
  EXPECT_EQ(acc("e4m3.e5m2.f16"), DType::f32);
  EXPECT_EQ(acc("s8.s8.f32"), DType::s32);
  EXPECT_EQ(acc("u8.s8.s8"), DType::s32);
  EXPECT_EQ(acc("s32"), DType::s64);
}

TEST(Resolve, ZeroSizes) {
  const Problem matmul = resolve("matmul m=0 n=0 k=0 batch=0");
  EXPECT_TRUE(matmul.empty_output());
  EXPECT_EQ(matmul.op->flops(matmul), 0);
  EXPECT_EQ(matmul.op->bytes(matmul), 0);
  EXPECT_FALSE(resolve("matmul m=2 n=2 k=0").empty_output());
  EXPECT_TRUE(resolve("softmax_fwd n=0 c=5").empty_output());
  EXPECT_TRUE(resolve("conv_fwd n=0 c=64 h=56 w=56 k=8 r=3 s=3").empty_output());
  const Problem filter = resolve("conv_bwd_filter n=0 c=64 h=56 w=56 k=8 r=3 s=3");
  EXPECT_FALSE(filter.empty_output());
  EXPECT_EQ(filter.op->depth(filter), 0);
}

TEST(Resolve, MatmulTensors) {
  const Problem plain = resolve("matmul m=2 n=3 k=4 batch=5 dtype=f16.bf16.f32");
  EXPECT_EQ(plain.tensor("a").dims, (Dims{5, 2, 4}));
  EXPECT_EQ(plain.tensor("b").dims, (Dims{5, 4, 3}));
  EXPECT_EQ(plain.tensor("d").dtype, DType::f32);
  EXPECT_EQ(plain.find_tensor("c"), nullptr);
  EXPECT_EQ(plain.op->flops(plain), 2 * 5 * 2 * 3 * 4);
  EXPECT_EQ(plain.op->bytes(plain), 2 * 5 * 2 * 4 + 2 * 5 * 4 * 3 + 4 * 5 * 2 * 3);
  const Problem full = resolve(
      "matmul m=2 n=3 k=4 transpose_a=1 transpose_b=1 beta=1 epilogue=bias_gelu "
      "dtype=f16.bf16.f32");
  EXPECT_EQ(full.tensor("a").dims, (Dims{1, 4, 2}));
  EXPECT_EQ(full.tensor("b").dims, (Dims{1, 3, 4}));
  EXPECT_EQ(full.tensor("c").dtype, DType::f32);
  EXPECT_EQ(full.tensor("bias").dims, (Dims{3}));
  EXPECT_EQ(full.tensor("bias").dtype, DType::bf16);
  EXPECT_EQ(full.as<MatmulProblem>().act, ActivationFn::gelu);
  EXPECT_TRUE(full.as<MatmulProblem>().bias);
  EXPECT_THROW(static_cast<void>(full.tensor("x")), UsageError);
}

TEST(Resolve, ActivationParametersHaveDefaultsByFunction) {
  EXPECT_EQ(
      keys_text(resolve("activation_fwd n=1 c=2 fn=clipped_relu")),
      "n=1 c=2 h=1 w=1 fn=clipped_relu alpha=6 beta=0 dtype=f32 acc=f32 math=ieee layout=nchw");
  EXPECT_EQ(resolve("activation_bwd n=1 c=2 fn=leaky_relu").as<ActivationProblem>().alpha, 0.01);
  EXPECT_EQ(resolve("activation_bwd n=1 c=2 fn=elu alpha=0").as<ActivationProblem>().alpha, 0);
  EXPECT_EQ(resolve_error("activation_fwd n=1 c=2 fn=softplus beta=0"),
            "activation_fwd: beta=0: softplus divides by beta; expected a number above 0");
  EXPECT_EQ(
      resolve_error("activation_fwd n=1 c=2 fn=clipped_relu alpha=-1"),
      "activation_fwd: alpha=-1: the ceiling of clipped_relu; expected a number of at least 0");
}

TEST(Resolve, SoftmaxAndActivationCounts) {
  const auto counts = [](const std::string& text) {
    const Problem problem = resolve(text + " n=2 c=3 h=4 w=5 dtype=f16");
    return std::pair(problem.op->flops(problem), problem.op->bytes(problem));
  };
  EXPECT_EQ(counts("softmax_fwd"), std::pair(5 * 120.0, 2 * 2 * 120.0));
  EXPECT_EQ(counts("softmax_bwd mode=instance"), std::pair(4 * 120.0, 2 * 3 * 120.0));
  EXPECT_EQ(counts("activation_fwd fn=relu"), std::pair(120.0, 2 * 2 * 120.0));
  EXPECT_EQ(counts("activation_bwd fn=relu"), std::pair(120.0, 2 * 3 * 120.0));
  const Problem channel = resolve("softmax_fwd n=2 c=3 h=4 w=5");
  EXPECT_EQ(channel.op->depth(channel), 3);
  const Problem instance = resolve("softmax_fwd n=2 c=3 h=4 w=5 mode=instance");
  EXPECT_EQ(instance.op->depth(instance), 60);
}

TEST(Resolve, GradientsHaveTheTypeOfTheirTensor) {
  const Problem softmax = resolve("softmax_bwd n=1 c=2 dtype=f16.f32");
  EXPECT_EQ(softmax.tensor("y").dtype, DType::f32);
  EXPECT_EQ(softmax.tensor("dy").dtype, DType::f32);
  EXPECT_EQ(softmax.tensor("dx").dtype, DType::f16);
  const Problem activation = resolve("activation_bwd n=1 c=2 fn=tanh dtype=f16.f32");
  EXPECT_EQ(activation.tensor("x").dtype, DType::f16);
  EXPECT_EQ(activation.tensor("dy").dtype, DType::f32);
  EXPECT_EQ(activation.tensor("dx").dtype, DType::f16);
}

TEST(Resolve, CanonicalKeysResolveToTheSameProblem) {
  RandomProblems random(7);
  for (int i = 0; i < 600; ++i) {
    const Problem problem = random.next();
    const Problem again = problem.op->resolve(problem.keys);
    ASSERT_EQ(keys_text(again), keys_text(problem));
    ASSERT_EQ(again.tensors.size(), problem.tensors.size());
    for (std::size_t t = 0; t < problem.tensors.size(); ++t) {
      EXPECT_EQ(again.tensors[t].dims, problem.tensors[t].dims);
      EXPECT_EQ(again.tensors[t].strides, problem.tensors[t].strides);
      EXPECT_EQ(again.tensors[t].dtype, problem.tensors[t].dtype);
    }
  }
}

TEST(Resolve, EveryKeyIsDocumentedAndNamedOnce) {
  for (const Op* op : all_ops()) {
    std::vector<std::string> names = op->key_names();
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end()) << op->name;
    for (const Key& key : op->keys) EXPECT_FALSE(key.doc.empty()) << op->name << " " << key.name;
    EXPECT_FALSE(op->summary.empty());
  }
}

TEST(Override, StridesAndOffset) {
  Problem problem = resolve("conv_fwd n=2 c=3 h=4 w=5 k=1 r=1 s=1");
  override_tensor(problem, "x", Dims{96, 32, 8, 1}, 3);
  EXPECT_EQ(problem.tensor("x").strides, (Dims{96, 32, 8, 1}));
  EXPECT_EQ(problem.tensor("x").offset, 3);
  override_tensor(problem, "y", std::nullopt, 1);
  EXPECT_EQ(problem.tensor("y").offset, 1);
  override_tensor(problem, "x", Dims{60, 1, 15, 3}, std::nullopt);  // channels last
  EXPECT_EQ(problem.tensor("x").offset, 3);
  override_tensor(problem, "w", Dims{1, 1, 1, 1}, std::nullopt);
}

std::string override_error(const Dims& strides, std::optional<std::int64_t> offset = {}) {
  Problem problem = resolve("conv_fwd n=2 c=3 h=4 w=5 k=1 r=1 s=1");
  try {
    override_tensor(problem, "x", strides, offset);
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

TEST(Override, Errors) {
  EXPECT_EQ(override_error({60, 20, 5}),
            "x.strides=[60, 20, 5]: 3 strides for the 4 dimensions [2, 3, 4, 5]");
  EXPECT_EQ(override_error({60, 20, 5, 0}),
            "x.strides=[60, 20, 5, 0]: stride 0 of dimension 3 is not positive");
  EXPECT_EQ(override_error({60, 20, 4, 1}),
            "x.strides=[60, 20, 4, 1]: elements overlap: stride 4 is less than the 5 elements that "
            "the dimensions inside it span");
  EXPECT_EQ(override_error({std::numeric_limits<std::int64_t>::max(), 20, 5, 1}),
            "x.strides=[9223372036854775807, 20, 5, 1]: spans more than 2^62 elements");
  EXPECT_EQ(override_error({60, 20, 5, 1}, -1), "x.offset=-1: expected 0 to 2^62 elements");
  Problem problem = resolve("matmul m=1 n=1 k=1");
  try {
    override_tensor(problem, "x", std::nullopt, 1);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "matmul: unknown tensor 'x'; did you mean 'a'? allowed: a, b, d");
  }
}

}  // namespace
}  // namespace wm
