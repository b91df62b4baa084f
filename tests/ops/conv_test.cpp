#include "ops/conv.hpp"

#include <gtest/gtest.h>

#include "ops/op_test_util.hpp"

namespace wm {
namespace {

const ConvProblem& detail(const Problem& problem) { return problem.as<ConvProblem>(); }

TEST(Conv, OutputSizeIsFloor) {
  const Problem problem =
      resolve("conv_fwd n=1 c=64 h=56 w=56 k=128 r=3 s=3 pad=1 stride=2 dtype=f16");
  EXPECT_EQ(detail(problem).out, (std::array<std::int64_t, 3>{1, 28, 28}));
  EXPECT_EQ(problem.tensor("y").dims, (Dims{1, 128, 28, 28}));
  EXPECT_EQ(problem.tensor("w").dims, (Dims{128, 64, 3, 3}));
  EXPECT_EQ(keys_text(problem),
            "n=1 c=64 h=56 w=56 k=128 r=3 s=3 pad=1 stride=2 dil=1 groups=1 "
            "mode=cross_correlation bias=0 act=none residual=0 alpha=1 beta=0 dtype=f16 acc=f32 "
            "math=ieee layout=nchw");
}

}  // namespace
}  // namespace wm
