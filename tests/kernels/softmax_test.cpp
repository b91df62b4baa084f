// Every softmax algorithm against the reference, forward and backward, in every layout and mode.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "kernels/kernel_harness.hpp"
#include "ops/softmax.hpp"

namespace wm::test {
namespace {

const std::vector<std::string> kOps{"softmax_fwd", "softmax_bwd"};
const std::vector<std::string> kTypes{"f32", "f64", "f16", "bf16"};

TEST(Softmax, ShapesModesLayoutsKinds) {
  for (const std::string& op : kOps) {
    for (const char* shape :
         {"n=3 c=1", "n=5 c=7", "n=2 c=33 h=3 w=5", "n=1 c=5 h=40 w=1", "n=2 c=130 h=2 w=9"}) {
      for (const char* mode : {"channel", "instance"}) {
        for (const char* layout : {"nchw", "nhwc"}) {
          for (const char* kind : {"fast", "accurate", "log"})
            expect_all_pass({.op = op,
                             .keys = std::string(shape) + " mode=" + mode + " layout=" + layout +
                                     " kind=" + kind + " dtype=f32",
                             .recipe = "normal"});
        }
      }
    }
  }
}

TEST(Softmax, EveryTypeAndLength) {
  for (const std::string& op : kOps) {
    for (const std::string& type : kTypes) {
      for (const char* length : {"1", "8", "31", "257", "500", "1024", "1500", "5000"})
        expect_all_pass(
            {.op = op,
             .keys = "n=3 kind=accurate c=" + std::string(length) + " layout=nchw dtype=" + type,
             .recipe = "normal"});
    }
  }
}

TEST(Softmax, ExactPoints) {
  for (const std::string& op : kOps) {
    for (const char* shape : {"n=4 c=16", "n=2 c=8 h=3 w=3", "n=2 c=64 h=2 w=1"}) {
      for (const std::string& type : kTypes)
        expect_all_pass({.op = op, .keys = std::string(shape) + " layout=nchw dtype=" + type});
    }
  }
}

TEST(Softmax, LargeOffsets) {
  for (const char* kind : {"accurate", "log"})
    expect_all_pass({.op = "softmax_fwd",
                     .keys = std::string("n=9 c=100 layout=nchw dtype=f32 kind=") + kind,
                     .recipe = "offset:1000"});
}

TEST(Softmax, PlacementsAndStrides) {
  for (const std::string& op : kOps) {
    for (const std::string& type : kTypes) {
      for (const char* shape : {"n=3 c=64", "n=2 c=9 h=4 w=4", "n=2 c=6 h=3 w=5 mode=instance"}) {
        for (const char* layout : {"nchw", "nhwc"}) {
          KernelCase c{.op = op,
                       .keys = std::string(shape) + " layout=" + layout + " dtype=" + type,
                       .recipe = "normal"};
          c.guard = Guard::back;
          expect_all_pass(c);
          c.guard = Guard::front;
          expect_all_pass(c);
          c.guard = Guard::none;
          c.padded = true;
          expect_all_pass(c);
        }
      }
    }
  }
}

/// Row r of 6 gets special values: none, one -inf, all -inf, a NaN, a +inf, -inf but for one
/// element.
void put_special_values(HostTensor& x) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::size_t length = x.values.size() / 6;
  const auto at = [&](std::size_t row, std::size_t i) -> double& {
    return x.values[row * length + i];
  };
  at(1, length / 2) = -kInf;
  for (std::size_t i = 0; i < length; ++i) {
    at(2, i) = -kInf;
    if (i != length - 1) at(5, i) = -kInf;
  }
  at(3, length - 1) = std::numeric_limits<double>::quiet_NaN();
  at(4, 1) = kInf;
}

TEST(Softmax, InfinitiesAndNaN) {
  for (const char* length : {"c=5", "c=300", "c=5 h=40 w=1 mode=instance"}) {
    for (const char* kind : {"fast", "accurate", "log"}) {
      for (const std::string& type : kTypes)
        expect_all_pass(
            {.op = "softmax_fwd",
             .keys = "n=6 layout=nchw " + std::string(length) + " kind=" + kind + " dtype=" + type,
             .recipe = "normal",
             .edit = put_special_values});
    }
  }
}

TEST(Softmax, ZeroRows) {
  for (const std::string& op : kOps)
    expect_all_pass({.op = op, .keys = "n=0 c=5 layout=nchw dtype=f16", .recipe = "normal"});
}

TEST(Softmax, ForcedLanes) {
  for (const std::string& op : kOps) {
    for (const char* shape : {"n=70 c=60", "n=3 c=60 h=5 w=5"}) {
      for (const char* lanes : {"4", "8", "16", "32"}) {
        const KernelCase c{.op = op,
                           .algorithm = "warp_row",
                           .keys = std::string(shape) + " layout=nchw dtype=f32",
                           .config = std::string("lanes=") + lanes,
                           .recipe = "normal"};
        EXPECT_EQ(check_kernel(c), "") << c.text();
      }
    }
  }
  const KernelCase too_few{.op = "softmax_fwd",
                           .algorithm = "warp_row",
                           .keys = "n=2 c=500 layout=nchw dtype=f32",
                           .config = "lanes=8",
                           .recipe = "normal"};
  EXPECT_THROW((void)check_kernel(too_few), UsageError);
}

TEST(Softmax, ForcedThreads) {
  for (const char* op : {"softmax_fwd", "softmax_bwd"}) {
    for (const char* shape : {"n=40 c=700", "n=3 c=60 h=5 w=5"}) {
      for (const char* algorithm : {"block_row", "online"}) {
        if (std::string(op) == "softmax_bwd" && std::string(algorithm) == "online") continue;
        for (const char* threads : {"32", "64", "128", "256"}) {
          const KernelCase c{.op = op,
                             .algorithm = algorithm,
                             .keys = std::string(shape) + " layout=nchw dtype=f32",
                             .config = std::string("threads=") + threads,
                             .recipe = "normal"};
          EXPECT_EQ(check_kernel(c), "") << c.text();
        }
      }
    }
  }
}

TEST(Softmax, WarpRowRefusesLongRows) {
  bool ran = true;
  const KernelCase c{.op = "softmax_fwd",
                     .algorithm = "warp_row",
                     .keys = "n=2 c=1025 layout=nchw dtype=f32",
                     .recipe = "normal"};
  EXPECT_EQ(check_kernel(c, &ran), "");
  EXPECT_FALSE(ran);
}

/// Neither the schedule nor where a buffer lies may change a bit.
TEST(Softmax, BitsRepeat) {
  for (const std::string& op : kOps) {
    for (const std::string& algorithm : all_algorithms(op)) {
      for (const char* shape : {"n=5 c=300", "n=2 c=40 h=6 w=7"}) {
        KernelCase c{.op = op,
                     .algorithm = algorithm,
                     .keys = std::string(shape) + " layout=nchw dtype=f32",
                     .recipe = "normal"};
        const auto expected = run_kernel(c).output;
        for (const Guard guard : {Guard::none, Guard::back, Guard::front}) {
          c.guard = guard;
          for (const char* schedule : {"in_order", "reverse", "random:5"}) {
            c.schedule = Schedule::parse(schedule);
            EXPECT_EQ(run_kernel(c).output, expected) << c.text();
          }
        }
      }
    }
  }
}

double claimed_height(const char* op, const char* algorithm, const std::string& keys) {
  return run_kernel({.op = op,
                     .algorithm = algorithm,
                     .keys = keys + " layout=nchw dtype=f32",
                     .recipe = "normal"})
      .claims.tree_height;
}

TEST(Softmax, ClaimedHeights) {
  // 32 lanes, two pieces of four each: 7 additions, 5 over lanes.
  EXPECT_EQ(claimed_height("softmax_fwd", "warp_row", "n=2 c=256"), 12);
  EXPECT_EQ(claimed_height("softmax_bwd", "warp_row", "n=2 c=256"), 13);
  // 4 lanes across rows, 10 elements each.
  EXPECT_EQ(claimed_height("softmax_fwd", "warp_row", "n=1 c=40 h=8 w=8"), 11);
  // 64 threads, one piece of four: 3 additions, 5 over lanes, 1 over warps.
  EXPECT_EQ(claimed_height("softmax_fwd", "block_row", "n=2 c=256"), 9);
  EXPECT_EQ(claimed_height("softmax_fwd", "online", "n=2 c=256"), 9);
  // 256 threads, two pieces: 7 additions, 5 over lanes, 7 over warps.
  EXPECT_EQ(claimed_height("softmax_fwd", "block_row", "n=2 c=2000"), 19);
  // 8 warps, a lane a row each: 5 products, then 7 over warps.
  EXPECT_EQ(claimed_height("softmax_bwd", "block_row", "n=1 c=40 h=8 w=8"), 12);
}

}  // namespace
}  // namespace wm::test
