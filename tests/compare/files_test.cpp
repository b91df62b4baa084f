// The reviewed files: thresholds, quarantine, accepted changes.
#include <gtest/gtest.h>

#include "compare/accepted.hpp"
#include "compare/quarantine.hpp"
#include "compare/thresholds.hpp"
#include "core/error.hpp"
#include "reports.hpp"

namespace wm::compare {
namespace {

template <class Read>
std::string error_of(const Read& read) {
  try {
    read();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

std::string thresholds_error(const std::string& text) {
  return error_of([&] { (void)Thresholds::parse("t", text); });
}

TEST(Thresholds, LaterOverridesWin) {
  const Thresholds thresholds = Thresholds::parse("t", R"({
    "schema": "warpmark.thresholds/1",
    "defaults": {"counter_rise_percent": 1, "max_ulp_rise_ulp": 2},
    "overrides": [
      {"variant": "matmul/*", "counter_rise_percent": 5, "reason": "x"},
      {"variant": "matmul/split_*", "counter_rise_percent": 7, "workspace_rise_bytes": 64}]})");
  EXPECT_EQ(thresholds.of("softmax_fwd/online/f32.f32").counter_rise_percent, 1);
  EXPECT_EQ(thresholds.of("matmul/naive/f32.f32.f32").counter_rise_percent, 5);
  const Limits split = thresholds.of("matmul/split_k_atomic/f32.f32.f32");
  EXPECT_EQ(split.counter_rise_percent, 7);
  EXPECT_EQ(split.workspace_rise_bytes, 64);
  EXPECT_EQ(split.max_ulp_rise_ulp, 2);
  EXPECT_EQ(split.bound_utilisation_rise_percent, Limits{}.bound_utilisation_rise_percent);
}

TEST(Thresholds, WrongFilesNameThePlaceAndTheNearestKey) {
  EXPECT_TRUE(has(thresholds_error("{}"), "t:1:1: /: key 'schema' is missing"));
  EXPECT_TRUE(has(thresholds_error(R"({"schema": "warpmark.thresholds/2"})"),
                  "t:1:12: /schema: 'schema': expected \"warpmark.thresholds/1\""));
  const std::string start = "{\"schema\": \"warpmark.thresholds/1\",\n";
  EXPECT_TRUE(has(thresholds_error(start + "\"default\": {}}"),
                  "t:2:1: /default: unknown key of warpmark.thresholds/1 'default'; did you mean "
                  "'defaults'?"));
  EXPECT_TRUE(has(thresholds_error(start + "\"defaults\": {\"counter_rise_percnt\": 1}}"),
                  "t:2:14: /defaults/counter_rise_percnt: unknown key of defaults "
                  "'counter_rise_percnt'; did you mean 'counter_rise_percent'?"));
  EXPECT_TRUE(has(thresholds_error(start + "\"defaults\": {\"max_ulp_rise\": 1}}"),
                  "t:2:14: /defaults/max_ulp_rise: key 'max_ulp_rise' has no unit; write "
                  "max_ulp_rise_ulp or max_ulp_rise_percent"));
  EXPECT_TRUE(has(thresholds_error(start + "\"defaults\": {\"counter_rise_percent\": -1}}"),
                  "expected a number of at least 0, got the number -1"));
  EXPECT_TRUE(has(thresholds_error(start + "\"defaults\": {\"counter_rise_percent\": \"1%\"}}"),
                  "expected a number of at least 0, got the string \"1%\""));
  EXPECT_TRUE(has(thresholds_error(start + "\"overrides\": [{\"counter_rise_percent\": 1}]}"),
                  "/overrides/0: key 'variant' is missing"));
  EXPECT_TRUE(has(thresholds_error(start + "\"overrides\": {}}"), "expected an array"));
  EXPECT_TRUE(has(error_of([] { (void)Thresholds::read("/nowhere"); }), "/nowhere"));
}

std::string quarantine_text(const std::string& pattern, const std::string& expires,
                            const std::string& expected) {
  return json{{"schema", "warpmark.quarantine/1"},
              {"cases",
               {{{"pattern", pattern},
                 {"owner", "kernels"},
                 {"reason", "being fixed"},
                 {"expires", expires},
                 {"expected", expected}}}}}
      .dump();
}

TEST(Quarantine, JudgesARecord) {
  using Kind = QuarantineVerdict::Kind;
  const Quarantine quarantine = Quarantine::parse(
      "q", quarantine_text("matmul/naive/*", "2027-03-31", "failed"), "2027-03-31");
  const auto judge = [&](const char* variant, const char* status) {
    return quarantine.judge(variant, "1000000000000000", status).kind;
  };
  EXPECT_EQ(judge("matmul/naive/f32.f32.f32", "failed"), Kind::excused);
  EXPECT_EQ(judge("matmul/naive/f32.f32.f32", "passed"), Kind::passes);
  EXPECT_EQ(judge("matmul/naive/f32.f32.f32", "error"), Kind::none);
  EXPECT_EQ(judge("matmul/naive/f32.f32.f32", "unsupported"), Kind::none);
  EXPECT_EQ(judge("matmul/tiled/f32.f32.f32", "failed"), Kind::none);
  ASSERT_EQ(quarantine.notes({}).size(), 1u);
  EXPECT_TRUE(has(quarantine.notes({})[0], "without effect"));
  EXPECT_TRUE(quarantine.notes({0}).empty());
  const Quarantine by_case =
      Quarantine::parse("q", quarantine_text("10000000*", "2027-03-31", "failed"), "2027-01-01");
  EXPECT_EQ(by_case.judge("x", "1000000000000000", "failed").kind, Kind::excused);
}

TEST(Quarantine, ExpiredEntriesAreIgnoredAndReported) {
  const Quarantine quarantine =
      Quarantine::parse("q", quarantine_text("*", "2027-03-31", "failed"), "2027-04-01");
  EXPECT_EQ(quarantine.judge("x", "1", "failed").kind, QuarantineVerdict::Kind::none);
  ASSERT_EQ(quarantine.notes({}).size(), 1u);
  EXPECT_TRUE(has(quarantine.notes({})[0], "expired on 2027-03-31"));
  EXPECT_TRUE(has(quarantine.notes({})[0], "owner kernels"));
}

TEST(Quarantine, TalliesARun) {
  QuarantineTally tally(Quarantine::parse(
      "q", quarantine_text("matmul/naive/*", "2027-03-31", "failed"), "2027-01-01"));
  tally.record("matmul/tiled/f32", "1", "failed", "warpmark run 1");
  EXPECT_TRUE(tally.excused().empty());
  EXPECT_EQ(tally.notes().size(), 1u);
  tally.record("matmul/naive/f32", "2", "failed", "warpmark run 2");
  tally.record("matmul/naive/f32", "3", "error", "warpmark run 3");
  EXPECT_TRUE(tally.passing().empty());
  tally.record("matmul/naive/f32", "4", "passed", "warpmark run 4");
  EXPECT_EQ(tally.excused(), (std::map<std::string, std::int64_t>{{"failed", 1}}));
  ASSERT_EQ(tally.passing().size(), 1u);
  EXPECT_TRUE(tally.passing()[0].starts_with("matmul/naive/f32, case 4: passes although"));
  EXPECT_TRUE(tally.passing()[0].ends_with(": warpmark run 4"));
  EXPECT_TRUE(tally.notes().empty());
}

TEST(Quarantine, WrongFilesNameThePlace) {
  const auto wrong = [](const std::string& text) {
    return error_of([&] { (void)Quarantine::parse("q", text, "2027-01-01"); });
  };
  EXPECT_TRUE(has(wrong(quarantine_text("*", "soon", "failed")),
                  "/cases/0/expires: 'expires': expected a date such as 2027-03-31, got \"soon\""));
  EXPECT_TRUE(has(wrong(quarantine_text("*", "2027-02-29", "failed")), "expected a date"));
  EXPECT_TRUE(has(wrong(quarantine_text("*", "2027-02-28", "faild")), "did you mean 'failed'"));
  EXPECT_TRUE(has(wrong(quarantine_text("*", "2027-02-28", "passed")), "unknown expected status"));
  EXPECT_TRUE(has(wrong(quarantine_text("", "2027-02-28", "failed")), "'pattern' is empty"));
  EXPECT_TRUE(has(wrong(R"({"schema": "warpmark.quarantine/1", "cases": [{"patern": "x"}]})"),
                  "did you mean 'pattern'"));
  EXPECT_TRUE(has(wrong(R"({"schema": "warpmark.quarantine/1"})"), "key 'cases' is missing"));
}

Finding digest_change() {
  Finding finding;
  finding.verdict = Verdict::changed;
  finding.aspect = "digest";
  finding.case_id = "1000000000000000";
  finding.variant = "matmul/naive/f32.f32.f32";
  finding.tensor = "d";
  finding.old_value = "\"aa\"";
  finding.new_value = "\"bb\"";
  return finding;
}

TEST(Accepted, MatchesOldAndNewOnly) {
  Accepted accepted;
  accepted.add(digest_change(), "new summation order", "warpmark 0.1.0");
  Accepted again = Accepted::parse("a", accepted.to_text());
  EXPECT_EQ(again.stale_notes().size(), 1u);
  Finding other = digest_change();
  other.new_value = "\"cc\"";
  EXPECT_EQ(again.match(other), nullptr);
  other = digest_change();
  other.old_value = "null";
  EXPECT_EQ(again.match(other), nullptr);
  other = digest_change();
  other.tensor = "e";
  EXPECT_EQ(again.match(other), nullptr);
  const AcceptedChange* change = again.match(digest_change());
  ASSERT_NE(change, nullptr);
  EXPECT_EQ(change->reason, "new summation order");
  EXPECT_TRUE(again.stale_notes().empty());
}

TEST(Accepted, EveryKindOfValueSurvivesTheFile) {
  for (const char* value : {"null", "true", "19.0", "1e-05", "12", "18446744073709551615",
                            "\"a\\n\\\"b\"", "{\"height\":19,\"hash\":\"abc\"}", "\"Infinity\""}) {
    Accepted accepted;
    Finding finding = digest_change();
    finding.old_value = value;
    accepted.add(finding, "r", "t");
    Accepted again = Accepted::parse("a", accepted.to_text());
    EXPECT_NE(again.match(finding), nullptr) << value << "\n" << accepted.to_text();
    EXPECT_EQ(again.to_text(), accepted.to_text());
  }
}

TEST(Accepted, IsSortedAndReplacesItsEntries) {
  Accepted accepted;
  Finding second = digest_change();
  second.case_id = "2000000000000000";
  accepted.add(second, "second", "t");
  accepted.add(digest_change(), "first", "t");
  accepted.add(digest_change(), "first again", "t");
  EXPECT_EQ(accepted.size(), 2u);
  const std::string text = accepted.to_text();
  EXPECT_LT(text.find("first again"), text.find("second"));
  EXPECT_FALSE(has(text, "\"first\""));
}

TEST(Accepted, WritesAtomicallyAndReportsWhereItCannot) {
  const Folder folder;
  Accepted accepted;
  accepted.add(digest_change(), "r", "t");
  accepted.write(folder.path("a.json"));
  EXPECT_EQ(Accepted::read(folder.path("a.json")).to_text(), accepted.to_text());
  EXPECT_THROW(accepted.write(folder.path("no/such/a.json")), EnvironmentError);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path("")), {}), 1);
}

TEST(Accepted, WrongFilesNameThePlace) {
  const auto wrong = [](const std::string& entry) {
    return error_of([&] {
      (void)Accepted::parse("a",
                            "{\"schema\": \"warpmark.accepted/1\", \"changes\": [" + entry + "]}");
    });
  };
  const std::string whole =
      R"({"case_id": "1", "variant": "v", "aspect": "digest", "old": 1, "new": 2, "reason": "r",
          "tool": "t"})";
  EXPECT_EQ(wrong(whole), "no error");
  EXPECT_TRUE(has(wrong(whole + "," + whole), "/changes/1: a second entry"));
  EXPECT_TRUE(has(wrong(R"({"case_id": "1", "variant": "v", "aspect": "digest", "old": 1, "new": 2,
                            "tool": "t"})"),
                  "key 'reason' is missing"));
  EXPECT_TRUE(has(wrong(R"({"case_ids": "1"})"), "did you mean 'case_id'"));
  EXPECT_TRUE(has(wrong(R"({"case_id": "1", "variant": "v", "aspect": "digest", "old": [1],
                            "new": 2, "reason": "r", "tool": "t"})"),
                  "/changes/0/old: expected a single value or an object, got an array"));
  EXPECT_TRUE(has(error_of([] { (void)Accepted::read("/nowhere"); }), "cannot read /nowhere"));
}

}  // namespace
}  // namespace wm::compare
