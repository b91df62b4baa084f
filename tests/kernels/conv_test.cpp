// Convolution kernels on the emulator: every algorithm, direction, type and layout against a naive
// loop on integer data, bit for bit; determinism against the claim.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.hpp"
#include "kernels/conv_harness.hpp"
#include "ops/conv.hpp"

namespace wm::test {
namespace {

const std::vector<std::string> kOps{"conv_fwd", "conv_bwd_data", "conv_bwd_filter"};
const std::vector<std::string> kTypes{"f32", "f64", "f16", "bf16"};
const std::vector<std::string> kLayouts{"nchw", "nhwc"};

/// The corners of convolution: each has broken a library before.
const std::vector<std::string> kShapes{
    "n=2 c=5 k=7 h=6 w=9 r=3 s=3 pad=1",  // plain, odd sizes
    "n=1 c=3 k=4 h=7 w=7 r=3 s=3 pad_begin_h=2 pad_end_h=4 pad_begin_w=2 pad_end_w=4",
    "n=2 c=4 k=4 h=16 w=16 r=3 s=3 pad=1x0",                        // pads differ by axis
    "n=1 c=3 k=2 h=2 w=2 r=1 s=1 stride=3",                         // one output, x left over
    "n=2 c=2 k=3 h=7 w=5 r=11 s=3 stride=2 pad_h=5 pad_w=1",        // filter larger than x
    "n=2 c=3 k=3 h=1 w=1 r=5 s=5 pad=4 stride=5",                   // one real tap
    "n=1 c=2 k=3 h=3 w=1 r=1 s=3 pad_w=20",                         // nearly all padding
    "n=1 c=1 k=2 h=55 w=3 r=12 s=1 stride=3x1 pad_h=11 dil=3x1",    // padding below reach
    "n=1 c=3 k=3 h=1 w=1 r=3 s=3 pad=1 stride=2",                   // x smaller than stride
    "n=1 c=2 k=2 h=3 w=80 r=1 s=31 pad_w=15",                       // wide filter
    "n=2 c=7 k=7 h=9 w=8 r=3 s=3 pad=1 groups=7",                   // depthwise
    "n=1 c=13 k=26 h=5 w=5 r=3 s=3 groups=13 stride=2",             // depthwise, multiplier 2
    "n=1 c=19 k=33 h=13 w=13 r=3 s=3 pad=1",                        // channel tails
    "n=2 c=6 k=16 h=4 w=5 r=1 s=1 groups=2",                        // grouped 1x1
    "n=2 c=29 k=65 h=5 w=3 r=1 s=1",                                // 1x1
    "n=1 c=4 k=5 h=6 w=6 r=1 s=1 pad=2 stride=2",                   // 1x1 with padding
    "n=1 c=3 k=8 h=23 w=21 r=5 s=5 stride=2 pad=1 dil=2",           // dilated and strided
    "n=1 c=2 k=3 h=21 w=21 r=5 s=5 stride=2x1 dil=4x2",             // both differ by axis
    "n=2 c=3 k=2 h=9 w=9 r=2 s=2 stride=4",                         // stride beyond filter
    "n=3 c=4 k=6 h=8 w=7 r=3 s=2 pad=1 groups=2 mode=convolution",  // true convolution
    "n=2 c=3 k=5 w=17 s=4 pad=2 stride=3",                          // 1D
    "n=0 c=3 k=4 h=5 w=5 r=3 s=3 pad=1",                            // no samples
};

void expect_right(const ConvCase& conv_case) {
  const ConvOutcome outcome = run_conv(conv_case);
  EXPECT_EQ(outcome.unsupported, "") << conv_case.text();
  EXPECT_EQ(outcome.problem, "") << conv_case.text() << " ran with " << outcome.config;
}

template <class Fn>
void for_each_algorithm(Fn&& fn) {
  for (const std::string& op : kOps)
    for (const std::string& algorithm : algorithms_of(op)) fn(op, algorithm);
}

TEST(Conv, AlgorithmsExist) {
  EXPECT_EQ(algorithms_of("conv_fwd"), (std::vector<std::string>{"direct", "implicit_gemm"}));
  EXPECT_EQ(algorithms_of("conv_bwd_data"),
            (std::vector<std::string>{"direct", "implicit_gemm", "scatter_atomic"}));
  EXPECT_EQ(algorithms_of("conv_bwd_filter"),
            (std::vector<std::string>{"direct", "implicit_gemm", "split_atomic"}));
}

TEST(Conv, CornerShapesInEveryLayout) {
  for_each_algorithm([](const std::string& op, const std::string& algorithm) {
    for (const std::string& layout : kLayouts) {
      for (const std::string& keys : kShapes) {
        ConvCase conv_case = make_case(op, algorithm, keys);
        conv_case.layout = layout;
        expect_right(conv_case);
      }
    }
  });
}

TEST(Conv, EveryType) {
  for_each_algorithm([](const std::string& op, const std::string& algorithm) {
    for (const std::string& type : kTypes) {
      for (const std::size_t shape : {0U, 10U, 12U, 16U, 21U}) {
        ConvCase conv_case = make_case(op, algorithm, kShapes[shape]);
        conv_case.dtype = type;
        conv_case.layout = kLayouts[shape % 2];
        expect_right(conv_case);
      }
    }
  });
}

TEST(Conv, PaddedStridesAndOffsets) {
  for_each_algorithm([](const std::string& op, const std::string& algorithm) {
    for (const std::string& layout : kLayouts) {
      for (const char* type : {"f32", "f16"}) {
        ConvCase conv_case = make_case(op, algorithm, kShapes[19] + " alpha=0.5 beta=2");
        conv_case.layout = layout;
        conv_case.dtype = type;
        conv_case.padded = true;
        expect_right(conv_case);
      }
    }
  });
}

TEST(Conv, GuardsAndPoison) {
  for_each_algorithm([](const std::string& op, const std::string& algorithm) {
    for (const Guard guard : {Guard::back, Guard::front}) {
      for (const std::string& layout : kLayouts) {
        for (const char* type : {"f32", "bf16"}) {
          ConvCase conv_case = make_case(op, algorithm, kShapes[0]);
          conv_case.guard = guard;
          conv_case.layout = layout;
          conv_case.dtype = type;
          conv_case.poison = guard == Guard::back ? Poison::finite : Poison::nan;
          expect_right(conv_case);
        }
      }
    }
  });
}

TEST(Conv, AlphaAndBeta) {
  for_each_algorithm([](const std::string& op, const std::string& algorithm) {
    for (const std::string& type : kTypes) {
      for (const char* blend : {" alpha=0.5", " beta=-2", " alpha=-1 beta=0.5"}) {
        ConvCase conv_case = make_case(op, algorithm, kShapes[0] + blend);
        conv_case.dtype = type;
        expect_right(conv_case);
      }
    }
  });
}

TEST(Conv, FusedEpilogue) {
  for (const std::string& algorithm : algorithms_of("conv_fwd")) {
    for (const std::string& layout : kLayouts) {
      for (const char* fused : {" bias=1", " residual=0.5", " act=relu",
                                " bias=1 act=relu residual=-1 alpha=2 beta=0.5"}) {
        ConvCase conv_case = make_case("conv_fwd", algorithm, kShapes[12] + fused);
        conv_case.layout = layout;
        expect_right(conv_case);
      }
    }
  }
}

/// A shape large enough for several tiles of the largest configuration in each direction.
TEST(Conv, EveryConfig) {
  const std::string keys = "n=1 c=20 k=140 h=13 w=12 r=3 s=3 pad=1";
  const std::vector<std::string> gemm{"tile=128x128x8", "tile=64x64x8", "tile=32x32x16"};
  const std::vector<std::string> gather{"tile=8x4", "tile=4x2", "tile=1x4"};
  const auto run = [&](const char* op, const char* algorithm, const std::vector<std::string>& all) {
    for (const std::string& config : all) {
      for (const std::string& layout : kLayouts) {
        ConvCase conv_case = make_case(op, algorithm, keys);
        conv_case.config = config;
        conv_case.layout = layout;
        expect_right(conv_case);
      }
    }
  };
  run("conv_fwd", "direct", gather);
  run("conv_bwd_data", "direct", gather);
  run("conv_bwd_filter", "direct",
      {"tile=8x4,lanes=1", "tile=8x4,lanes=32", "tile=1x1,lanes=1", "tile=1x1,lanes=32"});
  for (const std::string& op : kOps) run(op.c_str(), "implicit_gemm", gemm);
  run("conv_bwd_data", "scatter_atomic", gemm);
  run("conv_bwd_filter", "split_atomic",
      {"tile=128x128x8,splits=1", "tile=64x64x8,splits=3", "tile=32x32x16,splits=10"});
}

TEST(Conv, DoubleTiles) {
  for_each_algorithm([](const std::string& op, const std::string& algorithm) {
    if (algorithm == "direct") return;
    for (const char* tile : {"tile=64x64x8", "tile=32x32x16"}) {
      ConvCase conv_case = make_case(op, algorithm, "n=1 c=9 k=70 h=9 w=9 r=3 s=3 pad=1");
      conv_case.dtype = "f64";
      conv_case.config = tile;
      if (algorithm == "split_atomic") conv_case.config += ",splits=4";
      expect_right(conv_case);
    }
  });
}

TEST(Conv, WrongConfigIsRefused) {
  const auto refuse = [](const char* op, const char* algorithm, const char* dtype,
                         const char* config) {
    ConvCase conv_case = make_case(op, algorithm, kShapes[0]);
    conv_case.dtype = dtype;
    conv_case.config = config;
    EXPECT_THROW(run_conv(conv_case), UsageError) << config;
  };
  refuse("conv_fwd", "direct", "f32", "tile=64x64x8");
  refuse("conv_fwd", "implicit_gemm", "f64", "tile=128x128x8");
  refuse("conv_fwd", "implicit_gemm", "f32", "tile=64x64x8,splits=2");
  refuse("conv_bwd_filter", "split_atomic", "f32", "tile=64x64x8,splits=0");
  refuse("conv_bwd_filter", "split_atomic", "f32", "tile=64x64x8,splits=15");  // 14 steps of 8
  refuse("conv_bwd_filter", "direct", "f32", "tile=8x4,lanes=16");
}

Support support_of(const std::string& op, const std::string& algorithm, const std::string& keys) {
  const ConvCase conv_case = make_case(op, algorithm, keys);
  const Problem problem = resolve_case(conv_case);
  return variant_of(conv_case, problem).supports(problem, DeviceProps{});
}

TEST(Conv, UnsupportedWithReason) {
  for_each_algorithm([](const std::string& op, const std::string& algorithm) {
    EXPECT_EQ(support_of(op, algorithm, "n=1 c=1 k=1 d=3 h=3 w=3 t=3 r=3 s=3").reason,
              "3 spatial dimensions: only 1 and 2");
    EXPECT_EQ(support_of(op, algorithm, "n=1 c=4294967311 k=1 h=1 w=1 r=1 s=1").reason,
              "c/groups*r*s = 4294967311: at most 2147418112");
    EXPECT_EQ(support_of(op, algorithm, "n=1 c=1 k=1 h=1 w=1200000000 r=1 s=1").reason,
              "largest padded coordinate = 2400000000: at most 1073741823");
  });
}

ConvOutcome run_scheduled(ConvCase conv_case, const Schedule& schedule) {
  conv_case.normal = true;
  conv_case.schedule = schedule;
  ConvOutcome outcome = run_conv(conv_case);
  EXPECT_EQ(outcome.problem, "");
  return outcome;
}

/// Bits under several schedules, against the claim: deterministic variants never differ, the others
/// do on this problem.
TEST(Conv, DeterminismAsClaimed) {
  const std::string keys = "n=2 c=9 k=12 h=24 w=24 r=3 s=3 pad=1";
  for_each_algorithm([&](const std::string& op, const std::string& algorithm) {
    ConvCase conv_case = make_case(op, algorithm, keys);
    const ConvOutcome first = run_scheduled(conv_case, {});
    bool differs = false;
    for (const char* text : {"reverse", "random:1", "random:2"})
      differs = differs || run_scheduled(conv_case, Schedule::parse(text)).bytes != first.bytes;
    EXPECT_EQ(differs, !first.claims.deterministic()) << conv_case.text() << first.config;
    const bool atomic = algorithm == "scatter_atomic" || algorithm == "split_atomic";
    EXPECT_EQ(first.claims.deterministic(), !atomic) << conv_case.text();
  });
}

}  // namespace
}  // namespace wm::test
