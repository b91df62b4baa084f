#include "cli/exit_code.hpp"

#include <algorithm>
#include <array>

namespace wm {
namespace {

bool contains(const std::vector<std::string>& words, const char* word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

const std::vector<std::string>& fail_on_words() {
  static const std::vector<std::string> words{"failed",           "convention", "error",
                                              "nondeterministic", "mistrusted", "inconclusive",
                                              "regression"};
  return words;
}

std::vector<std::string> default_fail_on() {
  return {"failed", "convention", "error", "nondeterministic", "mistrusted", "regression"};
}

int exit_code_of(const RunOutcome& outcome, const std::vector<std::string>& fail_on) {
  const auto number_in = [](const std::map<std::string, std::int64_t>& counts, const char* status) {
    const auto found = counts.find(status);
    return found == counts.end() ? std::int64_t{0} : found->second;
  };
  const auto count = [&](const char* status) {
    return number_in(outcome.by_status, status) - number_in(outcome.excused, status);
  };
  const auto counts = [&](const char* status) {
    return contains(fail_on, status) && count(status) > 0;
  };
  std::int64_t records = 0;
  for (const auto& [status, number] : outcome.by_status) records += number;

  if (outcome.interrupted) return kInterrupted;
  if (outcome.quarantined_pass) return kFinding;
  for (const char* status : {"failed", "convention", "nondeterministic", "error"}) {
    if (counts(status)) return kFinding;
  }
  if (counts("mistrusted") || counts("inconclusive")) return kUntrustworthy;
  if (outcome.mistrusted_variants && contains(fail_on, "mistrusted")) return kUntrustworthy;
  if (count("inconclusive") > 0 && count("passed") == 0) return kUntrustworthy;
  if (outcome.below_coverage && contains(fail_on, "regression")) return kRegression;
  if (records == 0) return kNothingMatched;
  if (count("skipped") + count("unsupported") == records) return kNothingRan;
  return kGood;
}

int exit_code_of(const compare::Outcome& outcome) {
  if (outcome.finding) return kFinding;
  if (outcome.only_cross_environment) return kUntrustworthy;
  if (outcome.regression) return kRegression;
  return outcome.nothing_matched ? kNothingMatched : kGood;
}

int combined_exit_code(int one, int other) {
  constexpr std::array<int, 8> kPrecedence{kInterrupted,    kUsage,         kEnvironment,
                                           kFinding,        kUntrustworthy, kRegression,
                                           kNothingMatched, kNothingRan};
  for (const int code : kPrecedence) {
    if (one == code || other == code) return code;
  }
  return kGood;
}

}  // namespace wm
