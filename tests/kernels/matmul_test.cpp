// Every matmul algorithm against the reference: exact data bit for bit, normal data within the
// bound of its claims.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "kernels/kernel_harness.hpp"

namespace wm::test {
namespace {

const std::vector<std::string> kTypes{"f32", "f64", "f16", "bf16"};

KernelCase matmul(const std::string& keys) { return {.op = "matmul", .keys = keys}; }

TEST(Matmul, SizesAndTransposes) {
  for (const char* size : {"m=1 n=1 k=1", "m=3 n=5 k=7", "m=33 n=17 k=40", "m=64 n=68 k=32",
                           "m=70 n=130 k=9", "m=1 n=40 k=70", "m=35 n=1 k=5"}) {
    for (const char* transposes :
         {"", " transpose_a=1", " transpose_b=1", " transpose_a=1 transpose_b=1"})
      expect_all_pass(matmul(std::string(size) + transposes + " dtype=f32"));
  }
}

TEST(Matmul, EveryType) {
  for (const std::string& type : kTypes) {
    for (const char* recipe : {"exact", "normal"}) {
      KernelCase c = matmul("m=37 n=48 k=50 transpose_b=1 dtype=" + type);
      c.recipe = recipe;
      expect_all_pass(c);
    }
  }
}

TEST(Matmul, ZeroSizes) {
  for (const char* size : {"m=0 n=4 k=3", "m=4 n=0 k=3", "m=2 n=2 k=2 batch=0", "m=5 n=6 k=0",
                           "m=5 n=6 k=0 beta=2 epilogue=bias_relu"}) {
    for (const std::string& type : kTypes)
      expect_all_pass(matmul(std::string(size) + " dtype=" + type));
  }
}

TEST(Matmul, BatchBlendAndEpilogues) {
  for (const char* epilogue : {"none", "bias", "relu", "gelu", "bias_relu", "bias_gelu"}) {
    for (const char* blend : {"", " alpha=2 beta=0.5", " alpha=-1 beta=1"}) {
      KernelCase c =
          matmul("m=19 n=35 k=24 batch=3 epilogue=" + std::string(epilogue) + blend + " dtype=f32");
      c.recipe = "normal";
      expect_all_pass(c);
      if (c.keys.find("gelu") != std::string::npos) continue;  // no exact points
      c.recipe = "exact";
      expect_all_pass(c);
    }
  }
  for (const char* type : {"f64", "f16", "bf16"}) {
    KernelCase c = matmul("m=19 n=35 k=24 batch=2 alpha=2 beta=0.5 epilogue=bias_gelu dtype=" +
                          std::string(type));
    c.recipe = "normal";
    expect_all_pass(c);
  }
}

TEST(Matmul, PlacementsAndStrides) {
  for (const std::string& type : kTypes) {
    for (const Guard guard : {Guard::front, Guard::back}) {
      KernelCase c = matmul("m=40 n=36 k=33 beta=1 epilogue=bias dtype=" + type);
      c.guard = guard;
      expect_all_pass(c);
    }
    KernelCase c = matmul("m=21 n=36 k=33 batch=2 beta=1 transpose_a=1 dtype=" + type);
    c.padded = true;
    expect_all_pass(c);
  }
}

TEST(Matmul, ForcedTiles) {
  const auto check = [](const char* algorithm, const std::string& config, const std::string& type) {
    KernelCase c = matmul("m=150 n=70 k=45 dtype=" + type);
    c.algorithm = algorithm;
    c.config = config;
    EXPECT_EQ(check_kernel(c), "") << c.text();
  };
  for (const char* tile : {"128x128x8", "64x64x8", "32x32x8"})
    check("register_tiled", std::string("tile=") + tile, "f32");
  for (const char* tile : {"128x64x8", "64x64x8", "32x32x8"})
    check("register_tiled", std::string("tile=") + tile, "f64");
  for (const char* type : {"f16", "bf16"}) {
    for (const char* tile : {"128x128x16", "64x64x16", "32x32x16"})
      check("register_tiled", std::string("tile=") + tile, type);
  }
  for (const char* algorithm : {"split_k_atomic", "split_k_ordered"}) {
    for (const char* splits : {"1", "2", "3", "7", "256"}) {
      check(algorithm, std::string("tile=64x64x8,splits=") + splits, "f32");
      check(algorithm, std::string("tile=32x32x16,splits=") + splits, "f16");
    }
  }
}

TEST(Matmul, RejectsConfigs) {
  const auto reject = [](const char* algorithm, const char* config) {
    KernelCase c = matmul("m=8 n=8 k=8 dtype=f32");
    c.algorithm = algorithm;
    c.config = config;
    EXPECT_THROW((void)check_kernel(c), UsageError) << c.text();
  };
  reject("naive", "tile=8x8");
  reject("register_tiled", "tile=128x128x16");
  reject("register_tiled", "splits=2");
  reject("split_k_ordered", "tile=64x64x8");
  reject("split_k_ordered", "tile=64x64x8,splits=0");
  reject("split_k_atomic", "tile=64x64x8,splits=257");
}

std::vector<std::vector<std::byte>> under_schedules(KernelCase c) {
  std::vector<std::vector<std::byte>> outputs;
  for (const char* schedule : {"in_order", "reverse", "random:1", "random:2", "random:3"}) {
    c.schedule = Schedule::parse(schedule);
    outputs.push_back(run_kernel(c).output);
  }
  return outputs;
}

/// Enough outputs that rounding to f16 does not hide every difference.
TEST(Matmul, OnlyAtomicsFollowTheSchedule) {
  for (const std::string& algorithm : all_algorithms("matmul")) {
    for (const char* type : {"f32", "f16"}) {
      if (algorithm == "tensor_core" && std::string(type) == "f32") continue;
      KernelCase c = matmul("m=70 n=90 k=150 dtype=" + std::string(type));
      c.algorithm = algorithm;
      c.recipe = "normal";
      if (algorithm.starts_with("split_k"))
        c.config =
            std::string("tile=32x32x") + (std::string(type) == "f32" ? "8" : "16") + ",splits=8";
      const auto outputs = under_schedules(c);
      const bool same = std::all_of(outputs.begin(), outputs.end(),
                                    [&](const auto& output) { return output == outputs[0]; });
      const bool claimed = run_kernel(c).claims.deterministic();
      EXPECT_EQ(same, claimed) << c.text();
      EXPECT_EQ(claimed, algorithm != "split_k_atomic") << c.text();
    }
  }
}

TEST(Matmul, TwoPartialSumsAreDeterministic) {
  KernelCase c = matmul("m=20 n=33 k=150 dtype=f32");
  c.algorithm = "split_k_atomic";
  c.recipe = "normal";
  c.config = "tile=32x32x8,splits=2";
  EXPECT_TRUE(run_kernel(c).claims.deterministic());
  const auto outputs = under_schedules(c);
  for (const auto& output : outputs) EXPECT_EQ(output, outputs[0]);
  c.config = "tile=32x32x8,splits=3";
  EXPECT_EQ(run_kernel(c).claims.nondeterministic, "atomicAdd of 3 partial sums an output");
}

TEST(Matmul, ClaimedHeights) {
  const auto height = [](const char* algorithm, const char* config) {
    KernelCase c = matmul("m=9 n=9 k=100 dtype=f32");
    c.algorithm = algorithm;
    c.config = config;
    return run_kernel(c).claims.tree_height;
  };
  EXPECT_EQ(height("naive", ""), 100);
  EXPECT_EQ(height("register_tiled", "tile=64x64x8"), 100);
  // 13 steps of 8 in 3 ranges: 5, 5 and 3 steps; 40 products, then two additions.
  EXPECT_EQ(height("split_k_ordered", "tile=64x64x8,splits=3"), 42);
  EXPECT_EQ(height("split_k_atomic", "tile=64x64x8,splits=3"), 42);
  // 100 ranges asked for, 13 steps there are.
  EXPECT_EQ(height("split_k_ordered", "tile=64x64x8,splits=100"), 20);
}

/// Chain length changes no bits: one chain of ascending k in every unsplit algorithm.
TEST(Matmul, UnsplitAlgorithmsAgreeBitForBit) {
  KernelCase c = matmul("m=50 n=45 k=77 dtype=f32");
  c.recipe = "normal";
  c.algorithm = "naive";
  const auto expected = run_kernel(c).output;
  c.algorithm = "tiled_smem";
  EXPECT_EQ(run_kernel(c).output, expected);
  c.algorithm = "register_tiled";
  for (const char* tile : {"128x128x8", "64x64x8", "32x32x8"}) {
    c.config = std::string("tile=") + tile;
    EXPECT_EQ(run_kernel(c).output, expected) << tile;
  }
}

}  // namespace
}  // namespace wm::test
