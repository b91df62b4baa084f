// Planted races are found, with both lines and both threads; clean controls are not reported.
#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "race/planted.hpp"

namespace wm {
namespace {

using Files = std::vector<std::string>;
const Files kRacyFiles{"racy.cu", "racy_widths.cu", "racy_copies.cu"};
const Files kCleanFiles{"clean.cu", "clean_widths.cu", "clean_copies.cu"};

std::ifstream kernel_file(const std::string& file) {
  return std::ifstream(std::string(WM_SOURCE_DIR) + "/tests/race/kernels/" + file);
}

std::vector<std::string> names_in(const Files& files) {
  std::vector<std::string> names;
  for (const std::string& file : files) {
    std::ifstream in = kernel_file(file);
    for (std::string line; std::getline(in, line);)
      if (line.starts_with("__global__ void "))
        names.push_back(line.substr(16, line.find('(') - 16));
  }
  return names;
}

/// "racy.cu:12" for the line whose comment is "<kernel>: ... <which> ...".
std::string marked(const std::string& kernel, const std::string& which) {
  for (const std::string& file : kRacyFiles) {
    std::ifstream in = kernel_file(file);
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      const auto at = line.find("// " + kernel + ": ");
      if (at != std::string::npos && line.find(which, at) != std::string::npos)
        return file + ":" + std::to_string(number);
    }
  }
  return "no line marked";
}

std::string run(const std::string& name, const Schedule& schedule = {}) {
  return test::PlantedRun()(name, schedule);
}

const std::vector<Schedule>& schedules() {
  static const std::vector<Schedule> all{
      {}, {Schedule::Kind::reverse, 0}, {Schedule::Kind::random, 1}, {Schedule::Kind::random, 2}};
  return all;
}

class Racy : public ::testing::TestWithParam<std::string> {};

TEST_P(Racy, IsReportedWithBothLinesUnderEverySchedule) {
  const std::string first = marked(GetParam(), "first"), second = marked(GetParam(), "second");
  for (const Schedule& schedule : schedules()) {
    const std::string report = run(GetParam(), schedule);
    SCOPED_TRACE(schedule.to_string() + ": " + report);
    EXPECT_TRUE(report.starts_with("race at ")) << report;
    EXPECT_NE(report.find("in kernel " + GetParam() + ", block ("), std::string::npos);
    EXPECT_NE(report.find(first), std::string::npos) << first;
    EXPECT_NE(report.find(second), std::string::npos) << second;
  }
}
INSTANTIATE_TEST_SUITE_P(Planted, Racy, ::testing::ValuesIn(names_in(kRacyFiles)),
                         [](const auto& each) { return each.param; });

class Clean : public ::testing::TestWithParam<std::string> {};

TEST_P(Clean, IsNotReported) {
  for (const Schedule& schedule : schedules())
    EXPECT_EQ(run(GetParam(), schedule), "") << schedule.to_string();
}
INSTANTIATE_TEST_SUITE_P(Controls, Clean, ::testing::ValuesIn(names_in(kCleanFiles)),
                         [](const auto& each) { return each.param; });

TEST(Race, ReportNamesThreadsAccessesAndPlace) {
  EXPECT_EQ(run("single_pair"),
            "race at " + marked("single_pair", "second") +
                " in kernel single_pair, block (0,0,0), thread (901,0,0): 4-byte read of byte 2000 "
                "of shared array \"tile\" (4096 bytes); unordered after the 4-byte write by block "
                "(0,0,0), thread (77,0,0) at " +
                marked("single_pair", "first"));
  EXPECT_EQ(run("between_blocks"),
            "race at " + marked("between_blocks", "second") +
                " in kernel between_blocks, block (1,0,0), thread (3,0,0): 4-byte write of byte 36 "
                "of buffer \"data\" (8192 bytes); unordered after the 4-byte write by block "
                "(0,0,0), thread (3,0,0) at " +
                marked("between_blocks", "first"));
  EXPECT_NE(run("plain_beside_atomic").find("unordered after the 4-byte atomic by"),
            std::string::npos);
  EXPECT_NE(run("wide_store").find("16-byte write of byte "), std::string::npos);
}

TEST(Race, AWriteEndsWhatItsReadersHaveShown) {
  for (const auto kind : {Schedule::Kind::in_order, Schedule::Kind::reverse})
    EXPECT_TRUE(run("reader_outside_mask", {kind, 0}).starts_with("race at some_orders.cu:"));
}

/// The kernels of the page's tables: rows that begin with a name in backquotes.
std::vector<std::string> documented() {
  std::ifstream page(std::string(WM_SOURCE_DIR) + "/docs/race-detector.md");
  std::vector<std::string> names;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) inside = line == "## What is tested";
    if (inside && line.starts_with("| `")) names.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  return names;
}

TEST(Race, TheDocumentationListsThePlantedKernels) {
  std::vector<std::string> expected = names_in(kRacyFiles);
  for (const std::string& name : names_in(kCleanFiles)) expected.push_back(name);
  EXPECT_EQ(documented(), expected);
}

TEST(Race, TheDeviceWorksAfterAReport) {
  EXPECT_NE(run("missing_barrier"), "");
  EXPECT_EQ(run("double_buffered"), "");
}

}  // namespace
}  // namespace wm
