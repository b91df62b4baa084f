#include "cli/exit_code.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace wm {
namespace {

using Counts = std::map<std::string, std::int64_t>;

int code(Counts counts, std::vector<std::string> fail_on = default_fail_on()) {
  return exit_code_of({std::move(counts), false, false, false}, fail_on);
}

TEST(ExitCode, EachStatusAlone) {
  const std::map<std::string, int> table{
      {"passed", 0},           {"failed", 1},       {"convention", 1},
      {"nondeterministic", 1}, {"error", 1},        {"mistrusted", 4},
      {"skipped", 77},         {"unsupported", 77}, {"inconclusive", 4}};
  for (const auto& [status, expected] : table) EXPECT_EQ(code({{status, 3}}), expected) << status;
  EXPECT_EQ(code({}), 6);
}

TEST(ExitCode, PrecedenceIs1Then4Then3Then6Then77) {
  RunOutcome outcome{{{"failed", 1}, {"mistrusted", 1}, {"passed", 9}}, false, true, false};
  EXPECT_EQ(exit_code_of(outcome, default_fail_on()), 1);
  outcome.by_status.erase("failed");
  EXPECT_EQ(exit_code_of(outcome, default_fail_on()), 4);
  outcome.by_status.erase("mistrusted");
  EXPECT_EQ(exit_code_of(outcome, default_fail_on()), 3);
  outcome.below_coverage = false;
  EXPECT_EQ(exit_code_of(outcome, default_fail_on()), 0);
  outcome.mistrusted_variants = true;
  EXPECT_EQ(exit_code_of(outcome, default_fail_on()), 4);
  outcome.interrupted = true;
  EXPECT_EQ(exit_code_of(outcome, default_fail_on()), 130);
  outcome = {{{"skipped", 2}, {"unsupported", 1}}, false, true, false};
  EXPECT_EQ(exit_code_of(outcome, default_fail_on()), 3);
}

TEST(ExitCode, SkippedBesidePassedIsGood) {
  EXPECT_EQ(code({{"passed", 1}, {"skipped", 5}, {"unsupported", 2}}), 0);
}

TEST(ExitCode, FailOnNarrowsAndWidens) {
  EXPECT_EQ(code({{"failed", 1}, {"passed", 1}}, {"error"}), 0);
  EXPECT_EQ(code({{"error", 1}, {"passed", 1}}, {"error"}), 1);
  EXPECT_EQ(code({{"mistrusted", 1}, {"passed", 1}}, {"error"}), 0);
  EXPECT_EQ(code({{"inconclusive", 1}, {"passed", 1}}), 0);
  EXPECT_EQ(code({{"inconclusive", 1}, {"passed", 1}}, {"inconclusive"}), 4);
}

TEST(ExitCode, QuarantinedRecordsDoNotCountUntilTheyPass) {
  RunOutcome outcome;
  outcome.by_status = {{"passed", 3}, {"failed", 2}};
  outcome.excused = {{"failed", 2}};
  EXPECT_EQ(exit_code_of(outcome, default_fail_on()), 0);
  outcome.by_status["failed"] = 3;
  EXPECT_EQ(exit_code_of(outcome, default_fail_on()), 1);
  outcome.by_status["failed"] = 2;
  outcome.quarantined_pass = true;
  EXPECT_EQ(exit_code_of(outcome, default_fail_on()), 1);
}

TEST(ExitCode, OfAComparison) {
  compare::Outcome outcome;
  EXPECT_EQ(exit_code_of(outcome), 0);
  outcome.nothing_matched = true;
  EXPECT_EQ(exit_code_of(outcome), 6);
  outcome.regression = true;
  EXPECT_EQ(exit_code_of(outcome), 3);
  outcome.only_cross_environment = true;
  EXPECT_EQ(exit_code_of(outcome), 4);
  outcome.finding = true;
  EXPECT_EQ(exit_code_of(outcome), 1);
}

TEST(ExitCode, OfTwoOutcomesIsTheGraver) {
  const std::vector<int> precedence{130, 2, 5, 1, 4, 3, 6, 77, 0};
  for (std::size_t i = 0; i < precedence.size(); ++i) {
    for (std::size_t j = i; j < precedence.size(); ++j) {
      EXPECT_EQ(combined_exit_code(precedence[i], precedence[j]), precedence[i]);
      EXPECT_EQ(combined_exit_code(precedence[j], precedence[i]), precedence[i]);
    }
  }
}

TEST(ExitCode, DefaultFailOnIsKnown) {
  for (const std::string& word : default_fail_on()) {
    EXPECT_NE(std::find(fail_on_words().begin(), fail_on_words().end(), word),
              fail_on_words().end());
  }
}

}  // namespace
}  // namespace wm
