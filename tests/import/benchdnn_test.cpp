#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "import/benchdnn.hpp"
#include "import/import_util.hpp"

namespace wm::importing {
namespace {

Lines cases_of(const std::string& text) { return shown(read_text("benchdnn", text)); }

TEST(Benchdnn, NamedConvolutionWithMultiplier) {
  EXPECT_EQ(cases_of("--conv --dir=FWD_D mb1ic3ih224oc64oh112kh7sh2ph3n\"resnet:conv1*4\"\n"),
            Lines{"conv_fwd c=3 dtype=f32 h=224 k=64 layout=nchw n=1 pad=3 r=7 s=7 stride=2 w=224 "
                  "x4 # resnet:conv1"});
}

TEST(Benchdnn, MinibatchAndDirectionDefaults) {
  EXPECT_EQ(cases_of("--conv ic4ih5oc6kh3\n"),
            Lines{"conv_fwd bias=1 c=4 dtype=f32 h=5 k=6 layout=nchw n=2 r=3 s=3 w=5"});
  EXPECT_EQ(
      cases_of("--conv --mb=7 --dir=BWD_D g2mb3_ic4ih5_oc6oh5_kh3_ph1\n"),
      Lines{"conv_bwd_data c=4 dtype=f32 groups=2 h=5 k=6 layout=nchw n=7 pad=1 r=3 s=3 w=5"});
}

TEST(Benchdnn, DilationIsZeroBased) {
  EXPECT_EQ(cases_of("--conv --dir=BWD_W mb1ic2ih9oc2kh3dh1\n"),
            Lines{"conv_bwd_filter c=2 dil=2 dtype=f32 h=9 k=2 layout=nchw n=1 r=3 s=3 w=9"});
}

TEST(Benchdnn, OutputGivesThePadding) {
  // (11-1)*1 - 7 + 3 = 6: 3 on both sides; with 2 before, 4 remain after.
  EXPECT_EQ(cases_of("--conv --dir=FWD_D mb1ic1ih7oc1oh11kh3\n"),
            Lines{"conv_fwd c=1 dtype=f32 h=7 k=1 layout=nchw n=1 pad=3 r=3 s=3 w=7"});
  EXPECT_EQ(cases_of("--conv --dir=FWD_D mb1ic1ih7oc1oh11kh3ph2\n"),
            Lines{"conv_fwd c=1 dtype=f32 h=7 k=1 layout=nchw n=1 pad_begin_h=2 pad_begin_w=2 "
                  "pad_end_h=4 pad_end_w=4 r=3 s=3 w=7"});
}

TEST(Benchdnn, NegativePaddingAtTheEnd) {
  // The last column is never read: the output is the same without it.
  EXPECT_EQ(cases_of("--conv --dir=BWD_D mb1ic1ih2oc1oh1kh1sh3ph0\n"),
            Lines{"conv_bwd_data c=1 dtype=f32 h=2 k=1 layout=nchw n=1 r=1 s=1 stride=3 w=2"});
  const Imported cut = read_text("benchdnn", "--conv mb1ic1ih9oc1oh2kh1ph0\n");
  EXPECT_TRUE(cut.cases.empty());
  ASSERT_EQ(cut.unread.size(), 1u);
  EXPECT_NE(cut.unread[0].reason.find("smaller than the input allows"), std::string::npos);
}

TEST(Benchdnn, OneAndThreeDimensions) {
  EXPECT_EQ(cases_of("--conv --dir=FWD_I mb1ic2iw9oc3kw3pw1\n"),
            Lines{"conv_fwd c=2 dtype=f32 k=3 layout=nchw n=1 pad=1 s=3 w=9"});
  EXPECT_EQ(cases_of("--conv --dir=FWD_I mb1ic2id4oc3kd3pd1ih8kh1ph0\n"),
            Lines{"conv_fwd c=2 d=4 dtype=f32 h=8 k=3 layout=nchw n=1 pad=1x0x0 r=1 s=1 t=3 w=8"});
}

TEST(Benchdnn, OptionsPersistUntilReset) {
  EXPECT_EQ(cases_of("--conv\n--dir=FWD_D --dt=f16,bf16:bf16:f32 --stag=axb --dtag=axb\n"
                     "mb1ic1ih3oc1kh1\n--reset\n# comment\nmb1ic1ih3oc1kh1\n"),
            (Lines{"conv_fwd c=1 dtype=f16 h=3 k=1 layout=nhwc n=1 r=1 s=1 w=3",
                   "conv_fwd c=1 dtype=bf16.bf16.f32 h=3 k=1 layout=nhwc n=1 r=1 s=1 w=3",
                   "conv_fwd bias=1 c=1 dtype=f32 h=3 k=1 layout=nchw n=1 r=1 s=1 w=3"}));
}

TEST(Benchdnn, ListsMultiply) {
  EXPECT_EQ(cases_of("--conv --dir=FWD_D,BWD_D,BWD_W --mb=1,2 --dt=f32,f16 ic1ih3oc1kh1\n").size(),
            12u);
}

TEST(Benchdnn, ListsGoOnOverLines) {
  const Imported imported = read_text("benchdnn",
                                      "--conv --dir=FWD_D\n"
                                      "--attr-post-ops=, \\\n"
                                      "                sum:0.5, \\\n"
                                      "                relu\n"
                                      "--dt=f32,f16 --attr-scales=,src:common:0.25\n"
                                      "mb1ic1ih3oc1kh1\n");
  EXPECT_EQ(imported.cases.size(), 4u);
  EXPECT_EQ(reasons(imported.unread),
            (Lines{"6: option --attr-scales=,src:common:0.25 not in this library (the default is "
                   "read)",
                   "6: post-op sum:0.5 of --attr-post-ops=sum:0.5 not in this library (2 "
                   "combinations of options)"}));
}

TEST(Benchdnn, PostOps) {
  EXPECT_EQ(cases_of("--conv --dir=FWD_B --attr-post-ops=sum+relu mb1ic1ih3oc1kh1\n"),
            Lines{"conv_fwd act=relu beta=1 bias=1 c=1 dtype=f32 h=3 k=1 layout=nchw n=1 r=1 s=1 "
                  "w=3"});
  EXPECT_EQ(cases_of("--matmul --bia-dt=f32 --attr-post-ops=gelu_erf 3x4:4x5\n"),
            Lines{"matmul dtype=f32 epilogue=bias_gelu k=4 m=3 n=5"});
}

TEST(Benchdnn, MatmulBatchTagsAndBroadcast) {
  EXPECT_EQ(cases_of("--matmul --dt=bf16 12x384x64:12x64x384_n\"QK:12\"\n"),
            Lines{"matmul batch=12 dtype=bf16 k=64 m=384 n=384 # QK:12"});
  EXPECT_EQ(cases_of("--matmul --stag=ba --wtag=ba 64x128:128x256\n"),
            Lines{"matmul dtype=f32 k=128 m=64 n=256 transpose_a=1 transpose_b=1"});
  EXPECT_EQ(cases_of("--matmul --wtag=acb 3x4x5:1x5x6\n"),
            Lines{"matmul dtype=f32 k=5 m=12 n=6 transpose_b=1"});
  const Imported broadcast = read_text("benchdnn", "--matmul 1x4x5:3x5x6\n--matmul 2x3:4x5\n");
  EXPECT_EQ(reasons(broadcast.unread), (Lines{"1: broadcast batch dimensions not in this library",
                                              "2: inner sizes differ: 3 and 4"}));
}

TEST(Benchdnn, SoftmaxAndEltwise) {
  EXPECT_EQ(cases_of("--softmax --dir=BWD_D --alg=LOGSOFTMAX --axis=2 2x3x4x5\n"),
            Lines{"softmax_bwd c=4 dtype=f32 h=5 kind=log layout=nchw n=6"});
  EXPECT_EQ(cases_of("--softmax --sdt=f16 --ddt=f32 --stag=axb 2x3x4x5\n"),
            Lines{"softmax_fwd c=3 dtype=f16.f32 h=4 layout=nhwc n=2 w=5"});
  EXPECT_EQ(cases_of("--eltwise --alg=relu --alpha=0,0.25 --dt=f16 2x3x4x5x6\n"),
            (Lines{"activation_fwd alpha=0 beta=0 c=3 dtype=f16 fn=relu h=4 layout=nchw n=2 w=30",
                   "activation_fwd alpha=0.25 beta=0 c=3 dtype=f16 fn=leaky_relu h=4 layout=nchw "
                   "n=2 w=30"}));
}

TEST(Benchdnn, DriverByFormOrByName) {
  EXPECT_EQ(read_text("benchdnn", "ic1ih3oc1kh1 2x3:3x4\n").cases.size(), 2u);
  EXPECT_EQ(read_text("benchdnn", "2x30\n").unread.size(), 1u);
  EXPECT_EQ(read_text("benchdnn", "2x30\n", "softmax").cases.size(), 1u);
  EXPECT_THROW(read_text("benchdnn", "", "sofmax"), UsageError);
}

TEST(Benchdnn, WhatIsNotReadIsListed) {
  const Imported imported =
      read_text("benchdnn",
                "--pool mb1ic1ih4oh2kh2sh2\n"
                "--conv --attr-scales=dst:common:0.5 mb1ic1ih3oc1kh1 --attr-scales=\n"
                "--dt=u4 mb1ic1ih3oc1kh1\n"
                "--dt=f32 --stag=aBx16b mb1ic1ih3oc1kh1\n"
                "--stag=any mb1ic1ih3oc1\n"
                "mb1xx3\n"
                "mb1ic1ih3oc1kh1\n");
  EXPECT_EQ(imported.cases.size(), 1u);
  EXPECT_EQ(
      reasons(imported.unread),
      (Lines{"1: op pool not in this library",
             "2: option --attr-scales=dst:common:0.5 not in this library",
             "3: data type u4 not in this library", "4: layout tag aBx16b not in this library",
             "5: ih and kh must both be given", "6: unknown field 'xx'"}));
  EXPECT_EQ(imported.unread[2].text, "mb1ic1ih3oc1kh1");
}

/// A folder of batch files that is removed again.
class BatchFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("warpmark-import-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(BatchFiles, NestedFilesShareTheOptions) {
  write("shapes", "mb1ic1ih3oc1kh1n\"a\"\n");
  const std::string outer =
      write("outer", "--conv --dir=FWD_D\n--batch=shapes\n--dt=f16 --batch=shapes\n--batch=gone\n");
  const Imported imported = import_file("benchdnn", outer);
  EXPECT_EQ(shown(imported),
            (Lines{"conv_fwd c=1 dtype=f32 h=3 k=1 layout=nchw n=1 r=1 s=1 w=3 # a",
                   "conv_fwd c=1 dtype=f16 h=3 k=1 layout=nchw n=1 r=1 s=1 w=3 "
                   "# a"}));
  EXPECT_EQ(reasons(imported.unread), Lines{"4: no such batch file"});
}

TEST_F(BatchFiles, CyclesEnd) {
  write("b", "--batch=a\nmb1ic1ih3oc1kh1\n");
  const Imported imported = import_file("benchdnn", write("a", "--conv --batch=b\n"));
  EXPECT_EQ(imported.cases.size(), 1u);
  EXPECT_EQ(reasons(imported.unread), Lines{"1: the batch file includes itself"});
}

}  // namespace
}  // namespace wm::importing
