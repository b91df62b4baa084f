#include <gtest/gtest.h>

#include "import/import_util.hpp"

namespace wm::importing {
namespace {

const std::string kResnet =
    "./bin/MIOpenDriver conv -n 32 -c 64 -H 56 -W 55 -k 128 -y 3 -x 2 -p 1 -q 0 -u 2 -v 1 -l 1 -j "
    "2 -m conv -g 1 -F 1 -t 1 -V 0\n";

TEST(Miopen, EveryFlagOfAForwardConvolution) {
  const Imported imported = read_text("miopen", kResnet);
  EXPECT_EQ(shown(imported),
            Lines{"conv_fwd c=64 dil=1x2 dtype=f32 h=56 k=128 layout=nchw n=32 pad=1x0 r=3 s=2 "
                  "stride=2x1 w=55"});
  EXPECT_TRUE(imported.unread.empty());
}

TEST(Miopen, DirectionsAreABitMask) {
  const std::string tail = " -n 1 -c 4 -H 8 -W 8 -k 4 -y 3 -x 3 -F ";
  const auto ops = [&](const std::string& mask) {
    Lines names;
    for (const ImportedCase& item :
         read_text("miopen", "MIOpenDriver conv" + tail + mask + "\n").cases) {
      names.push_back(item.op->name);
    }
    return names;
  };
  EXPECT_EQ(ops("1"), Lines{"conv_fwd"});
  EXPECT_EQ(ops("2"), Lines{"conv_bwd_data"});
  EXPECT_EQ(ops("4"), Lines{"conv_bwd_filter"});
  EXPECT_EQ(ops("6"), (Lines{"conv_bwd_data", "conv_bwd_filter"}));
  EXPECT_EQ(ops("0"), (Lines{"conv_fwd", "conv_bwd_data", "conv_bwd_filter"}));
  EXPECT_EQ(ops("8"), Lines{});
}

TEST(Miopen, TypesLayoutsGroupsAndDepth) {
  EXPECT_EQ(shown(read_text("miopen",
                            "MIOpenDriver convfp16 --batchsize 2 --in_channels 8 --in_h 5 --in_w 6 "
                            "--out_channels 8 --fil_h 1 --fil_w 1 --group_count 8 --in_layout NHWC "
                            "--fil_layout NHWC --out_layout NHWC --forw 1\n")),
            Lines{"conv_fwd c=8 dtype=f16 groups=8 h=5 k=8 layout=nhwc n=2 r=1 s=1 w=6"});
  EXPECT_EQ(shown(read_text("miopen",
                            "MIOpenDriver convbfp16 -_ 3 -n 1 -c 2 -! 4 -H 5 -W 6 -k 3 -@ 2 -y 3 "
                            "-x 1 -# 2 -u 1 -v 1 -$ 1 -p 1 -q 0 -^ 1 -l 1 -j 1 -F 4\n")),
            Lines{"conv_bwd_filter c=2 d=4 dtype=bf16 h=5 k=3 layout=nchw n=1 pad=1x1x0 r=3 s=1 "
                  "stride=2x1x1 t=2 w=6"});
}

TEST(Miopen, DefaultsAreTheDrivers) {
  EXPECT_EQ(shown(read_text("miopen", "MIOpenDriver conv -F 1\n")),
            Lines{"conv_fwd c=3 dtype=f32 h=32 k=32 layout=nchw n=100 r=3 s=3 w=32"});
}

TEST(Miopen, PadModes) {
  EXPECT_EQ(shown(read_text("miopen", "MIOpenDriver conv -F 1 -z same -u 2 -y 5 -p 9\n")),
            Lines{"conv_fwd c=3 dtype=f32 h=32 k=32 layout=nchw n=100 pad=1 r=5 s=3 stride=2x1 "
                  "w=32"});
  EXPECT_EQ(shown(read_text("miopen", "MIOpenDriver conv -F 1 -z valid -p 9 -q 9\n")),
            Lines{"conv_fwd c=3 dtype=f32 h=32 k=32 layout=nchw n=100 r=3 s=3 w=32"});
}

TEST(Miopen, GemmColumnMajorIsTheProductOfTheTransposes) {
  const std::string sizes = " -m 3 -n 5 -k 7 -u 1 -b 2 -A 0.5 -B 2\n";
  EXPECT_EQ(shown(read_text("miopen", "MIOpenDriver gemm" + sizes)),
            Lines{"matmul alpha=0.5 batch=2 beta=2 dtype=f32 k=7 m=3 n=5 transpose_a=1"});
  EXPECT_EQ(shown(read_text("miopen", "MIOpenDriver gemmfp16 -C 1" + sizes)),
            Lines{"matmul alpha=0.5 batch=2 beta=2 dtype=f16 k=7 m=5 n=3 transpose_b=1"});
}

TEST(Miopen, SoftmaxAndActivation) {
  EXPECT_EQ(shown(read_text("miopen", "MIOpenDriver softmax -n 2 -c 9 -H 1 -W 1 -a 2 -F 0\n")),
            (Lines{"softmax_fwd c=9 dtype=f32 kind=log layout=nchw n=2",
                   "softmax_bwd c=9 dtype=f32 kind=log layout=nchw n=2"}));
  EXPECT_EQ(
      shown(read_text("miopen", "MIOpenDriver activfp16 -n 2 -c 9 -m 8 -A 0.1 -F 1\n")),
      Lines{"activation_fwd alpha=0.1 beta=0 c=9 dtype=f16 fn=leaky_relu h=32 layout=nchw n=2 "
            "w=32"});
}

TEST(Miopen, EqualCommandsBecomeACount) {
  const Imported imported = read_text("miopen", kResnet + kResnet + "# comment\n\n" + kResnet);
  ASSERT_EQ(imported.cases.size(), 1u);
  EXPECT_EQ(imported.cases[0].count, 3);
  EXPECT_EQ(imported.problems, 3);
}

TEST(Miopen, WhatIsNotReadIsListed) {
  const Imported imported = read_text("miopen",
                                      "MIOpenDriver pool -n 1\n"
                                      "MIOpenDriver conv -Q 1\n"
                                      "MIOpenDriver conv -n\n"
                                      "MIOpenDriver conv -n two\n"
                                      "MIOpenDriver conv -m trans\n"
                                      "echo hello\n"
                                      "MIOpenDriver convfp8 -F 1\n"
                                      "MIOpenDriver conv -H 2 -W 2 -y 9 -x 1 -F 1\n"
                                      "MIOpenDriver\n" +
                                          kResnet);
  EXPECT_EQ(imported.cases.size(), 1u);
  ASSERT_EQ(imported.unread.size(), 9u);
  const Lines why = reasons(imported.unread);
  EXPECT_EQ(why[0], "1: op pool not in this library");
  EXPECT_EQ(why[1], "2: unknown option -Q");
  EXPECT_EQ(why[2], "3: option -n has no value");
  EXPECT_EQ(why[3], "4: --batchsize two: expected an integer from 0");
  EXPECT_EQ(why[4], "5: convolution mode trans not in this library");
  EXPECT_EQ(why[5], "6: no MIOpenDriver command");
  EXPECT_NE(why[7].find("output size below 1 in h"), std::string::npos) << why[7];
  EXPECT_EQ(imported.unread[5].text, "echo hello");
  EXPECT_EQ(imported.unread[5].file, "list.txt");
}

TEST(Miopen, BiasGradientIsNoted) {
  const Imported imported = read_text("miopen", "MIOpenDriver conv -b 1 -F 5\n");
  EXPECT_EQ(imported.cases.size(), 2u);
  EXPECT_EQ(reasons(imported.notes), Lines{"1: the gradient of the bias is left out"});
}

}  // namespace
}  // namespace wm::importing
