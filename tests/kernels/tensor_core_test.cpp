// matmul/tensor_core: every storage direction, tails, the arithmetic models, the element-by-element
// copies.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/mma_model.hpp"
#include "kernels/kernel_harness.hpp"

namespace wm::test {
namespace {

const std::vector<std::string> kTransposes{"", " transpose_a=1", " transpose_b=1",
                                           " transpose_a=1 transpose_b=1"};

KernelCase tensor_core(const std::string& keys, const std::string& type = "f16") {
  return {.op = "matmul", .algorithm = "tensor_core", .keys = keys + " dtype=" + type};
}

void expect_right(const KernelCase& kernel_case) {
  bool ran = false;
  EXPECT_EQ(check_kernel(kernel_case, &ran), "") << kernel_case.text();
  EXPECT_TRUE(ran) << kernel_case.text();
}

/// 16-byte copies need sizes that are multiples of 8; others are copied element by element.
TEST(TensorCore, TailsInEveryDirection) {
  for (const char* size :
       {"m=64 n=64 k=32", "m=72 n=136 k=40", "m=8 n=8 k=8", "m=128 n=64 k=104", "m=65 n=63 k=33",
        "m=1 n=1 k=1", "m=7 n=130 k=95", "m=40 n=24 k=17", "m=24 n=41 k=16"}) {
    for (const std::string& transposes : kTransposes) {
      for (const char* recipe : {"exact", "normal"}) {
        KernelCase c = tensor_core(size + transposes, recipe[0] == 'e' ? "f16" : "bf16");
        c.recipe = recipe;
        expect_right(c);
      }
    }
  }
}

TEST(TensorCore, BatchesBlendsAndEpilogues) {
  for (const char* keys :
       {"batch=3 epilogue=bias_relu", "batch=2 alpha=0.5 beta=2", "epilogue=bias_gelu beta=1"}) {
    for (const char* type : {"f16", "bf16"}) {
      KernelCase c = tensor_core("m=40 n=70 k=48 " + std::string(keys), type);
      c.recipe = "normal";
      expect_right(c);
    }
  }
}

TEST(TensorCore, EdgesOfBuffersAndGaps) {
  for (const std::string& transposes : kTransposes) {
    for (const Guard guard : {Guard::front, Guard::back}) {
      KernelCase c = tensor_core("m=72 n=40 k=56" + transposes);
      c.guard = guard;
      expect_right(c);
    }
    KernelCase c = tensor_core("m=40 n=24 k=48 batch=2" + transposes, "bf16");
    c.padded = true;
    expect_right(c);
  }
}

/// A missing barrier or wait would show in one of these orders.
TEST(TensorCore, SameBitsInEveryOrder) {
  for (const std::string& transposes : kTransposes) {
    KernelCase c = tensor_core("m=72 n=70 k=200" + transposes);
    c.recipe = "normal";
    const auto expected = run_kernel(c).output;
    for (const char* schedule : {"reverse", "random:1", "random:2", "random:3"}) {
      c.schedule = Schedule::parse(schedule);
      EXPECT_EQ(run_kernel(c).output, expected) << c.text();
    }
  }
}

/// The model "ieee" is one chain of fused multiply-adds, as in the SIMT algorithms.
TEST(TensorCore, IeeeModelGivesTheBitsOfTheSimtKernels) {
  for (const char* type : {"f16", "bf16"}) {
    KernelCase c = tensor_core("m=50 n=45 k=77", type);
    c.recipe = "normal";
    c.mma_model = "ieee";
    const auto bits = run_kernel(c).output;
    c.algorithm = "naive";
    EXPECT_EQ(run_kernel(c).output, bits) << type;
  }
}

TEST(TensorCore, EveryModelWithinItsOwnBound) {
  for (const char* model : {"ieee", "a100", "ada", "h100", "b200"}) {
    for (const char* type : {"f16", "bf16"}) {
      for (const char* recipe : {"exact", "normal", "uniform"}) {
        KernelCase c = tensor_core("m=33 n=40 k=1000", type);
        c.recipe = recipe;
        c.mma_model = model;
        expect_right(c);
      }
    }
  }
}

TEST(TensorCore, ModelsDiffer) {
  KernelCase c = tensor_core("m=64 n=64 k=2048 alpha=0.0078125");
  c.recipe = "normal";
  std::vector<std::vector<std::byte>> outputs;
  for (const char* model : {"ieee", "a100", "h100"}) {
    c.mma_model = model;
    outputs.push_back(run_kernel(c).output);
  }
  EXPECT_NE(outputs[0], outputs[1]);
  EXPECT_NE(outputs[0], outputs[2]);
  EXPECT_NE(outputs[1], outputs[2]);
  c.mma_model = "b200";  // f16 as on H100
  EXPECT_EQ(run_kernel(c).output, outputs[2]);
}

TEST(TensorCore, ClaimsNameTheDevicesModel) {
  KernelCase c = tensor_core("m=8 n=8 k=8", "bf16");
  c.mma_model = "a100";
  const Claims claims = run_kernel(c).claims;
  EXPECT_EQ(claims.tensor_core, "a100");
  EXPECT_EQ(claims.tensor_core_operand, MmaOperand::bf16);
  EXPECT_FALSE(claims.bit_twin);
}

}  // namespace
}  // namespace wm::test
