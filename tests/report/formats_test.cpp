// Every format of a report full of hostile texts (hostile.jsonl) against golden files;
// UPDATE_GOLDEN=1 rewrites them. Then what goldens cannot show: limits, long reports.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "core/error.hpp"
#include "report/render.hpp"
#include "report/renderer.hpp"
#include "report/text.hpp"

namespace wm::report {
namespace {

using json = nlohmann::ordered_json;

const std::string kFolder = std::string(WM_SOURCE_DIR) + "/tests/report/";

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

template <class Lines>
void read_text(const std::string& text, Lines& lines) {
  std::istringstream stream(text);
  read_report(
      stream, "r", [&](const json& header) { lines.header(header); },
      [&](const json& record) { lines.record(record); },
      [&](const json& summary) { lines.summary(summary); });
}

std::string rendered(const std::string& format, const std::string& report) {
  std::ostringstream target;
  const auto renderer = make_renderer(format, target);
  read_text(report, *renderer);
  renderer->end();
  return target.str();
}

std::string hostile() { return contents(kFolder + "hostile.jsonl"); }

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = kFolder + "golden/" + name;
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(text, contents(path));
}

/// `text` with what stands between each `from` and the next `to` left out.
std::string without(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1)) {
    const std::size_t start = at + from.size(), end = text.find(to, start);
    if (end == std::string::npos) break;
    text.erase(start, end - start);
  }
  return text;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The hostile header, `count` failed records of the given status and reason, and no summary.
std::string report_of(std::size_t count, const std::string& status, const std::string& reason) {
  const std::vector<std::string> lines = lines_of(hostile());
  json record = json::parse(lines[1]);
  record["status"] = status;
  record["reason"] = reason;
  std::string text = lines[0] + "\n";
  for (std::size_t i = 0; i < count; ++i) text += record.dump() + "\n";
  return text;
}

TEST(Golden, Csv) { expect_golden("hostile.csv", rendered("csv", hostile())); }
TEST(Golden, Table) { expect_golden("hostile.txt", rendered("table", hostile())); }
TEST(Golden, Markdown) { expect_golden("hostile.md", rendered("md", hostile())); }
TEST(Golden, Junit) { expect_golden("hostile.junit.xml", rendered("junit", hostile())); }
TEST(Golden, Gbench) { expect_golden("hostile.gbench.json", rendered("gbench", hostile())); }
TEST(Golden, Github) { expect_golden("hostile.github.txt", rendered("github", hostile())); }

TEST(Golden, GithubSummary) {
  Rollup rollup;
  read_text(hostile(), rollup);
  expect_golden("hostile.summary.md", github_summary(rollup, 1 << 20));
}

TEST(Golden, HtmlButForItsStyleAndScript) {
  std::string page = rendered("html", hostile());
  page = without(page, "<style>", "</style>");
  page = without(page, "<script>", "</script>");
  page = without(page, "'sha256-", "'");
  expect_golden("hostile.html", page);
}

TEST(Html, HoldsTwoScriptsAndReachesForNothing) {
  const std::string page = rendered("html", hostile());
  EXPECT_EQ(occurrences(page, "<script"), 2u);  // data and program
  EXPECT_EQ(occurrences(page, "</script"), 2u);
  EXPECT_EQ(occurrences(page, "<img"), 0u);
  EXPECT_EQ(occurrences(page, " src="), 1u);  // inside the data, as text of a label
  EXPECT_EQ(occurrences(page, "<link"), 0u);
  EXPECT_EQ(occurrences(page, "url("), 0u);
  EXPECT_EQ(occurrences(page, "@import"), 0u);
  EXPECT_EQ(occurrences(page, "fetch("), 0u);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(Html, EveryRecordIsALineOfJson) {
  const std::string page = rendered("html", hostile());
  const std::size_t start = page.find("id=\"data\">") + 10, end = page.find("</script>", start);
  std::size_t records = 0;
  for (const std::string& line : lines_of(page.substr(start, end - start))) {
    if (line.empty()) continue;
    const json record = json::parse(line);
    EXPECT_TRUE(record.contains("repro"));
    ++records;
  }
  EXPECT_EQ(records, 13u);
}

TEST(Html, LongReportsKeepTheirFindings) {
  const std::vector<std::string> lines = lines_of(hostile());
  std::string text = lines[0] + "\n";
  for (int i = 0; i < 20010; ++i) text += lines[1] + "\n";  // passed
  text += lines[3] + "\n";                                  // failed
  const std::string page = rendered("html", text);
  EXPECT_EQ(occurrences(page, "\n{\"case_id\""), 20001u);
  EXPECT_NE(page.find("The table holds 20001 of 20011 records"), std::string::npos);
}

TEST(Github, NoLineOfUserTextStartsACommand) {
  for (const std::string& line : lines_of(rendered("github", hostile()))) {
    EXPECT_TRUE(line.starts_with("::error title=") || line.starts_with("::warning title=") ||
                line.starts_with("::notice title="))
        << line;
    const std::string title = line.substr(0, line.find("::", 2));
    EXPECT_EQ(title.find_first_of(":,", 2), std::string::npos) << line;
  }
}

TEST(Github, AtMostTenAnnotationsAKindAndTheRestCounted) {
  std::string text = report_of(23, "failed", "why");
  for (const std::string& line : lines_of(report_of(12, "mistrusted", "why"))) {
    if (line.find("warpmark.header/1") == std::string::npos) text += line + "\n";
  }
  const std::string annotations = rendered("github", text);
  EXPECT_EQ(occurrences(annotations, "::error "), 10u);
  EXPECT_EQ(occurrences(annotations, "::warning "), 10u);
  EXPECT_EQ(occurrences(annotations, "::notice "), 1u);
  EXPECT_NE(annotations.find("13 more errors than the 10 annotated"), std::string::npos);
  EXPECT_NE(annotations.find("2 more warnings than the 10 annotated"), std::string::npos);
  EXPECT_NE(annotations.find("cut short"), std::string::npos);
}

TEST(Github, TheGravestStatusIsAnnotatedFirst) {
  std::string text = report_of(10, "convention", "why");
  for (const std::string& line : lines_of(report_of(1, "error", "crash"))) {
    if (line.find("warpmark.header/1") == std::string::npos) text += line + "\n";
  }
  EXPECT_TRUE(rendered("github", text).starts_with("::error title=error%3A matmul/naive"));
}

TEST(Github, SummaryStaysBelowItsLimitAndSaysWhatIsLeftOut) {
  Rollup rollup;
  std::string text = report_of(700, "failed", std::string(3000, 'f'));
  for (const std::string& line : lines_of(report_of(2, "error", "the crash"))) {
    if (line.find("warpmark.header/1") == std::string::npos) text += line + "\n";
  }
  read_text(text, rollup);
  for (const std::size_t limit : {std::size_t{1} << 20, std::size_t{100000}, std::size_t{20000}}) {
    const std::string summary = github_summary(rollup, limit);
    EXPECT_LE(summary.size(), limit);
    EXPECT_NE(summary.find("the crash"), std::string::npos) << limit;
    EXPECT_NE(summary.find("## Algorithms"), std::string::npos) << limit;
    EXPECT_NE(summary.find("## Environment"), std::string::npos) << limit;
  }
  EXPECT_NE(github_summary(rollup, 20000).find("left out here"), std::string::npos);
  EXPECT_NE(github_summary(rollup, 20000).find("2 error, 700 failed"), std::string::npos);
  EXPECT_NE(github_summary(rollup, 1 << 20).find("and 200 more in records.jsonl"),
            std::string::npos);
  EXPECT_EQ(github_summary(rollup, 20), "");
}

TEST(Gbench, NamesAreUniqueAndUntimedPassesAreLeftOut) {
  const json report = json::parse(rendered("gbench", hostile()));
  std::set<std::string> names;
  for (const json& run : report["benchmarks"]) {
    EXPECT_TRUE(names.insert(run["name"]).second) << run["name"];
    EXPECT_EQ(run["time_unit"], "ns");
    EXPECT_EQ(run.contains("error_occurred"), run.contains("error_message"));
  }
  EXPECT_EQ(report["benchmarks"][0]["label"], "emulated");
  EXPECT_EQ(report["benchmarks"][0]["bytes_per_second"], 96e6);
  EXPECT_EQ(report["benchmarks"][0]["items_per_second"], 48e6);
  const json untimed = json::parse(rendered("gbench", report_of(0, "passed", "")));
  EXPECT_TRUE(untimed["benchmarks"].empty());
}

TEST(Junit, EachRecordIsOnceAndCounted) {
  const std::string xml = rendered("junit", hostile());
  EXPECT_EQ(occurrences(xml, "<testcase "), 13u);
  EXPECT_EQ(occurrences(xml, "<failure "), 4u);
  EXPECT_EQ(occurrences(xml, "<error "), 1u);
  EXPECT_EQ(occurrences(xml, "<skipped "), 3u);
  EXPECT_NE(xml.find("tests=\"13\" failures=\"4\" errors=\"1\" time="), std::string::npos);
}

TEST(Renderer, UnknownFormatIsAUsageError) {
  std::ostringstream target;
  EXPECT_THROW(make_renderer("htm", target), UsageError);
}

TEST(Renderer, EveryFormatTakesAReportOfNothingAndOneOfOddTypes) {
  const std::string head = lines_of(hostile())[0] + "\n";
  const std::string odd =
      "{\"schema\":\"warpmark.header/1\",\"name\":1,\"command\":3,\"environment\":[]}\n"
      "{\"schema\":\"warpmark.record/1\",\"case\":1,\"op\":[],\"accuracy\":{\"d\":3},\"timing\":"
      "{\"median_ns\":\"NaN\"},\"determinism\":{\"observed\":3,\"probes\":{\"rerun\":1}},"
      "\"throughput\":{\"emulated\":\"yes\"},\"count\":{}}\n"
      "{\"schema\":\"warpmark.summary/1\",\"coverage\":3,\"mistrusted\":[],\"interrupted\":0}\n";
  for (const std::string& format : format_names()) {
    EXPECT_FALSE(rendered(format, head).empty()) << format;
    EXPECT_FALSE(rendered(format, odd).empty()) << format;
  }
}

}  // namespace
}  // namespace wm::report
