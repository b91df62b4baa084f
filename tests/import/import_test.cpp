// What holds for every format: nothing throws, the sweep reads back, text is made safe.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "config/plan.hpp"
#include "import/import_util.hpp"

namespace wm::importing {
namespace {

const std::vector<std::pair<std::string, std::string>>& seeds() {
  static const std::vector<std::pair<std::string, std::string>> texts{
      {"miopen",
       "MIOpenDriver conv -n 2 -c 4 -H 8 -W 8 -k 4 -y 3 -x 3 -p 1 -q 1 -u 1 -v 1 -F 0\n"
       "MIOpenDriver gemm -m 3 -n 4 -k 5 -C 1\nMIOpenDriver activ -m 7 -A 6 -n 1\n"},
      {"benchdnn",
       "--conv --dir=FWD_B,BWD_D --dt=f16:f16:f32 g2mb1ic4ih9_oc6oh5_kh3sh2ph1dh0n\"x*3\"\n"
       "--matmul --stag=ba 2x3x4:2x4x5\n--softmax --axis=0 3x4\n--eltwise --alg=clip --beta=6 "
       "2x3\n"},
      {"cudnn-log",
       "I! CuDNN (v8005) function cudnnSoftmaxForward() called:\n"
       "i!     algo: type=cudnnSoftmaxAlgorithm_t; val=CUDNN_SOFTMAX_LOG (2);\n"
       "i!     mode: type=cudnnSoftmaxMode_t; val=CUDNN_SOFTMAX_MODE_INSTANCE (0);\n"
       "i!     xDesc: type=cudnnTensorDescriptor_t:\n"
       "i!         dataType: type=cudnnDataType_t; val=CUDNN_DATA_FLOAT (0);\n"
       "i!         nbDims: type=int; val=4;\ni!         dimA: type=int; val=[2,10,1,1];\n"
       "i!         strideA: type=int; val=[10,1,1,1];\n"},
      {"csv", "op,label,m,n,k,x.strides\nmatmul,\"a\"\"\",1,2,3,\nsoftmax_fwd,b,,1,,\n"}};
  return texts;
}

/// Reads back through the sweep reader; returns the number of cases.
std::int64_t read_back(const Imported& imported) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("warpmark-import-" + std::to_string(::getpid()) + ".json");
  std::ofstream(file) << to_sweep(imported, "imported \"x\"", "from <script>");
  std::int64_t cases = 0;
  Plan::from_files({file.string()}).for_each([&](const Case&) { return ++cases, true; });
  std::filesystem::remove(file);
  return cases;
}

TEST(Import, TheSweepReadsBackAsTheProblems) {
  for (const auto& [format, text] : seeds()) {
    const Imported imported = read_text(format, text);
    EXPECT_FALSE(imported.cases.empty()) << format;
    EXPECT_EQ(read_back(imported), 2 * static_cast<std::int64_t>(imported.cases.size())) << format;
  }
}

TEST(Import, LabelsAndCountsReachTheSweep) {
  const Imported imported =
      read_text("benchdnn", "--conv mb1ic1ih3oc1kh1n\"a\\b<\xFF>*3\" mb1ic1ih3oc1kh1n\"c\"\n");
  const std::string sweep = to_sweep(imported, "x", "y");
  EXPECT_NE(sweep.find("\"count\":4"), std::string::npos) << sweep;
  EXPECT_NE(sweep.find("a\\\\b<\xEF\xBF\xBD>, c"), std::string::npos) << sweep;
  EXPECT_EQ(read_back(imported), 2);
}

TEST(Import, RemarksAreOnePrintableLine) {
  const Imported imported = read_text("miopen", "\x1b[31m::error\x01\xFF " + std::string(500, 'a'));
  ASSERT_EQ(imported.unread.size(), 1u);
  const std::string& text = imported.unread[0].text;
  EXPECT_EQ(text.substr(0, 26), "\\x1b[31m::error\\x01\\xff aa");
  EXPECT_LE(text.size(), 210u);
}

TEST(Import, UnknownFormatAndMissingFile) {
  EXPECT_THROW(read_text("miopn", ""), UsageError);
  EXPECT_THROW(import_file("csv", "/nowhere/x.csv"), UsageError);
  EXPECT_THROW(import_file("csv", "/tmp"), UsageError);
}

/// One random edit: a byte, a cut, a repetition, a large number, a piece of another seed.
void mutate(std::string& text, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  const std::size_t at = below(text.size() + 1);
  static const std::vector<std::string> pieces{"9223372036854775807",
                                               "-1",
                                               "0",
                                               "1099511627776",
                                               "\n",
                                               "x",
                                               ":",
                                               "=",
                                               ",",
                                               "\"",
                                               "[",
                                               "]",
                                               "--",
                                               "n",
                                               "--dt=f16,f32",
                                               "--reset",
                                               "\xFF\xFE",
                                               "1e999"};
  switch (below(5)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(random() & 255u);
      break;
    case 1:
      text.erase(at, below(12));
      break;
    case 2:
      text.insert(at, text.substr(below(text.size() + 1), below(30)));
      break;
    case 3:
      text.insert(at, pieces[below(pieces.size())]);
      break;
    default:
      text.insert(at, seeds()[below(seeds().size())].second.substr(0, below(60)));
  }
}

TEST(Import, NoTextMakesAReaderThrow) {
  std::mt19937 random(1);
  std::int64_t read = 0, unread = 0;
  for (int round = 0; round < 1500; ++round) {
    const auto& [format, seed] = seeds()[static_cast<std::size_t>(round) % seeds().size()];
    std::string text = seed;
    for (unsigned edits = 1 + random() % 8; edits > 0; --edits) mutate(text, random);
    Imported imported;
    ASSERT_NO_THROW(imported = read_text(format, text)) << format << "\n" << text;
    read += imported.problems;
    unread += static_cast<std::int64_t>(imported.unread.size());
    if (round % 25 != 0 || imported.cases.empty()) continue;
    ASSERT_NO_THROW(read_back(imported)) << text;
  }
  EXPECT_GT(read, 300);
  EXPECT_GT(unread, 300);
}

}  // namespace
}  // namespace wm::importing
