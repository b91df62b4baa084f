// Acceptance and quarantine inside a comparison; the renderings.
#include <gtest/gtest.h>

#include <sstream>

#include "compare/compare.hpp"
#include "compare/render.hpp"
#include "reports.hpp"

namespace wm::compare {
namespace {

/// A report with a changed digest, a risen counter and a vanished case.
struct Reports {
  Folder folder;
  std::string base, fresh;

  Reports() {
    json other = record();
    other["determinism"]["digests"]["d"] = std::string(64, 'e');
    other["counters"]["atomics"] = 11;
    base = folder.write("b", text_of_report({record(), record('2')}));
    fresh = folder.write("n", text_of_report({other}));
  }
  Comparison compare(Options options = {}) const {
    return compare_reports(base, fresh, std::move(options));
  }
};

TEST(Gate, AcceptedChangesDoNotCountUntilTheyChangeAgain) {
  const Reports reports;
  Comparison first = reports.compare();
  EXPECT_TRUE(first.outcome().finding);
  EXPECT_TRUE(first.outcome().regression);
  Accepted accepted;
  EXPECT_EQ(accept_changes(first, accepted, "new order of sums", "warpmark 0.1.0"), 3u);
  EXPECT_FALSE(first.outcome().finding || first.outcome().regression);

  Options options;
  options.accepted = Accepted::parse("a", accepted.to_text());
  const Comparison second = reports.compare(options);
  EXPECT_FALSE(second.outcome().finding || second.outcome().regression);
  EXPECT_EQ(second.excused(), 3);
  EXPECT_EQ(second.findings.front().excuse, "accepted: new order of sums");
  EXPECT_TRUE(second.notes.empty()) << second.notes.front();

  // The same entries against equal reports are stale.
  const Comparison third = compare_reports(reports.base, reports.base, options);
  EXPECT_EQ(third.notes.size(), 3u);
  EXPECT_TRUE(has(third.notes.front(), "stale accepted change"));
  EXPECT_EQ(verdict_line(third), "no change");
}

TEST(Gate, AWorseStatusIsNotAccepted) {
  const Folder folder;
  json red = record();
  red["status"] = "failed";
  Comparison comparison = compare_reports(folder.write("b", text_of_report({record()})),
                                          folder.write("n", text_of_report({red})), {});
  Accepted accepted;
  EXPECT_EQ(accept_changes(comparison, accepted, "r", "t"), 0u);
  EXPECT_TRUE(comparison.outcome().finding);
}

Options quarantined(const std::string& pattern) {
  Options options;
  options.quarantine = Quarantine::parse(
      "q",
      R"({"schema": "warpmark.quarantine/1", "cases": [{"pattern": ")" + pattern +
          R"(", "owner": "kernels", "reason": "being fixed", "expires": "2027-03-31",
              "expected": "failed"}]})",
      "2027-01-01");
  return options;
}

TEST(Gate, AQuarantinedCaseIsExcusedUntilItPasses) {
  const Folder folder;
  json red = record();
  red["status"] = "failed";
  red["determinism"]["digests"]["d"] = std::string(64, 'e');
  const std::string base = folder.write("b", text_of_report({record()}));
  const Comparison excused = compare_reports(base, folder.write("n", text_of_report({red})),
                                             quarantined("matmul/naive/*"));
  EXPECT_FALSE(excused.outcome().finding);
  EXPECT_EQ(excused.excused(), 2);  // status and digest

  const Comparison passes = compare_reports(base, base, quarantined("matmul/naive/*"));
  EXPECT_TRUE(passes.outcome().finding);
  ASSERT_EQ(passes.findings.size(), 1u);
  EXPECT_EQ(passes.findings[0].aspect, "quarantine");
  EXPECT_EQ(passes.findings[0].case_id, "1000000000000000");
  EXPECT_TRUE(has(passes.findings[0].detail, "owner kernels"));

  const Comparison unused = compare_reports(base, base, quarantined("conv_*"));
  EXPECT_FALSE(unused.outcome().finding);
  ASSERT_EQ(unused.notes.size(), 1u);
  EXPECT_TRUE(has(unused.notes[0], "quarantine entry without effect: conv_*"));
}

TEST(Render, TextNamesTheCaseAndEndsInTheRepro) {
  const Reports reports;
  std::ostringstream out;
  write_text(out, reports.compare());
  const std::string text = out.str();
  for (const char* part :
       {"1 matched (0 without any difference), 0 new, 1 vanished, 0 red in both\n",
        "changed: digest of d: dddddddddddd -> eeeeeeeeeeee: matmul/naive/f32.f32.f32, case "
        "1000000000000000: warpmark run --case 'matmul naive 1'\n",
        "regression: counter.atomics: 10 -> 11: matmul/naive/f32.f32.f32, case 1000000000000000: "
        "warpmark run --case 'matmul naive 1'\n",
        "regression: coverage: passed -> none: matmul/naive/f32.f32.f32, case 2000000000000000: "
        "the "
        "case vanished: warpmark run --case 'matmul naive 2'\n",
        "not compared: timing of 1 pairs: emulated times are never compared\n",
        "\n1 changed, 2 regression\n"}) {
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  }
}

TEST(Render, HostileTextStaysText) {
  const Folder folder;
  json base = record(), red = record();
  base["repro"] = red["repro"] = "warpmark run --case 'x\n::error::y'";
  red["status"] = "failed";
  red["reason"] = "a\x1b[31m\r\n::error::b | <script>alert(1)</script> `c` \xe2\x80\xae";
  json head = header();
  head["name"] = "n\n# h";
  const Comparison comparison = compare_reports(folder.write("b", text_of_report({base}, head)),
                                                folder.write("n", text_of_report({red}, head)), {});
  std::ostringstream text, markdown, machine;
  write_text(text, comparison);
  EXPECT_TRUE(has(text.str(), "a\\x1b[31m\\x0d\\x0a::error::b")) << text.str();
  EXPECT_FALSE(has(text.str(), "\n::error"));
  EXPECT_FALSE(has(text.str(), "\n# h"));
  write_markdown(markdown, comparison);
  EXPECT_TRUE(has(markdown.str(), "&lt;script\\>")) << markdown.str();
  EXPECT_FALSE(has(markdown.str(), "\n# h"));
  write_json(machine, comparison, 1);
  const json parsed = json::parse(machine.str());
  EXPECT_EQ(parsed["findings"][0]["detail"], red["reason"]);
}

TEST(Render, JsonHoldsEverything) {
  const Reports reports;
  std::ostringstream out;
  write_json(out, reports.compare(), 1);
  const json parsed = json::parse(out.str());
  EXPECT_EQ(parsed["schema"], "warpmark.comparison/1");
  EXPECT_EQ(parsed["exit_code"], 1);
  EXPECT_EQ(parsed["totals"]["matched"], 1);
  EXPECT_EQ(parsed["totals"]["vanished"], 1);
  EXPECT_EQ(parsed["counts"]["changed"], 1);
  EXPECT_EQ(parsed["counts"]["regression"], 2);
  ASSERT_EQ(parsed["findings"].size(), 3u);
  const json& digest = parsed["findings"][0];
  EXPECT_EQ(digest["verdict"], "changed");
  EXPECT_EQ(digest["tensor"], "d");
  EXPECT_EQ(digest["old"], std::string(64, 'd'));
  EXPECT_EQ(digest["counts"], true);
  EXPECT_EQ(parsed["findings"][1]["old"], 10);
  EXPECT_EQ(parsed["not_compared"][0]["verdict"], "not compared");
}

TEST(Render, ShowsABoundedNumberOfLines) {
  const Folder folder;
  std::vector<json> base, fresh;
  for (int i = 0; i < 130; ++i) {
    json one = record();
    one["case_id"] = "case" + std::to_string(i);
    base.push_back(one);
    one["workspace_bytes"] = 2048;
    fresh.push_back(one);
  }
  const Comparison comparison = compare_reports(folder.write("b", text_of_report(base)),
                                                folder.write("n", text_of_report(fresh)), {});
  std::ostringstream text, markdown;
  write_text(text, comparison);
  EXPECT_TRUE(has(text.str(), "regression: and 30 more\n"));
  EXPECT_TRUE(has(text.str(), "130 regression\n"));
  write_markdown(markdown, comparison);
  EXPECT_TRUE(has(markdown.str(), "and 30 more\n"));
}

}  // namespace
}  // namespace wm::compare
