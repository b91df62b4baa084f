#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "core/error.hpp"
#include "report/escape.hpp"
#include "report/render.hpp"
#include "report/text.hpp"

namespace wm::report {
namespace {

using json = nlohmann::ordered_json;

json header() {
  return {{"schema", "warpmark.header/1"},
          {"name", "a|b"},
          {"plan_hash", std::string(64, 'a')},
          {"planned", 3},
          {"stages", {"verify"}},
          {"command", {"warpmark", "run", "it's.json"}},
          {"environment", {{"device", {{"id", "emu"}, {"name", "H200"}, {"emulated", true}}}}}};
}

json record(const std::string& algorithm, const std::string& status, const std::string& label = "",
            double median_ns = 0, std::int64_t count = 1) {
  json out{{"schema", "warpmark.record/1"},
           {"case", "matmul m=2 n=3 k=4 batch=1 dtype=f16 acc=f32 math=ieee algo=" + algorithm +
                        " recipe=normal seed=1"},
           {"case_id", "0123456789abcdef"},
           {"label", label},
           {"count", count},
           {"op", "matmul"},
           {"algorithm", algorithm},
           {"provider", "warpmark"},
           {"variant", "matmul/" + algorithm + "/f16.f16.f16"},
           {"config", "tile=8,splits=2"},
           {"device", "emu"},
           {"problem",
            {{"m", 2},
             {"n", 3},
             {"k", 4},
             {"batch", 1},
             {"dtype", "f16"},
             {"acc", "f32"},
             {"math", "ieee"}}},
           {"recipe", "normal/1"},
           {"seed", 1},
           {"status", status},
           {"reason", status == "passed" ? "" : "because *x* < y"},
           {"accuracy", {{"d", {{"bound_utilisation", status == "failed" ? 3.5 : 0.25}}}}},
           {"determinism", {{"claimed", true}, {"observed", status != "nondeterministic"}}},
           {"repro", "warpmark run --case 'matmul " + algorithm + "'"}};
  if (median_ns > 0) {
    out["timing"] = {{"method", "emulated"}, {"median_ns", median_ns}};
    out["throughput"] = {{"gflops", 2.5}, {"gbytes_s", 0.5}, {"emulated", true}};
  }
  return out;
}

json summary() {
  return {{"schema", "warpmark.summary/1"},
          {"records", 3},
          {"counts", {{"passed", 2}, {"failed", 1}}},
          {"coverage",
           {{"variants", 2},
            {"variants_passed", 1},
            {"min_passed_per_variant", 1},
            {"below_min", {{{"variant", "matmul/b/f16"}, {"passed", 0}}}}}},
          {"mistrusted", {{"count", 0}, {"listed", json::array()}}},
          {"nondeterminism_not_observed", {"matmul/split"}},
          {"interrupted", false},
          {"wall_s", 1.5}};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ReportText, EscapesMarkup) {
  EXPECT_EQ(md_escape("a|b*c\n<d> `e` [f](g)"), "a\\|b\\*c &lt;d\\> \\`e\\` \\[f\\]\\(g\\)");
  EXPECT_EQ(md_code_block("a ``` b"), "````\na ``` b\n````\n");
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a,\"b\"\n"), "\"a,\"\"b\"\"\n\"");
}

TEST(ReportText, WritesUnits) {
  EXPECT_EQ(duration(12), "12 ns");
  EXPECT_EQ(duration(1234), "1.23 us");
  EXPECT_EQ(duration(12.3e6), "12.3 ms");
  EXPECT_EQ(duration(3.4e9), "3.40 s");
  EXPECT_EQ(short_number(number_of({{"x", "-Infinity"}}, "x")), "-Infinity");
  EXPECT_EQ(short_number(number_of({{"x", "NaN"}}, "x")), "NaN");
  EXPECT_EQ(number_of(json::object(), "x", 7), 7);
}

TEST(ReportText, ShortProblemKeepsTheOrderAndDropsWhatIsUsual) {
  EXPECT_EQ(short_problem(record("naive", "passed")), "m=2 n=3 k=4");
}

TEST(Rollup, CountsAlgorithmsAndKeepsTheWorst) {
  Rollup rollup;
  rollup.record(record("naive", "passed"));
  rollup.record(record("naive", "failed"));
  rollup.record(record("split", "nondeterministic"));
  rollup.record(record("split", "unsupported"));
  const AlgorithmRow& naive = rollup.algorithm({"matmul", "naive"});
  EXPECT_EQ(naive.records, 2);
  EXPECT_EQ(naive.by_status.at("passed"), 1);
  EXPECT_EQ(naive.worst_utilisation, 3.5);
  EXPECT_EQ(naive.differed, 0);
  EXPECT_EQ(rollup.algorithm({"matmul", "split"}).differed, 1);
  EXPECT_EQ(rollup.red_count(), 2);
  EXPECT_EQ(rollup.records(), 4);
}

TEST(Rollup, KeepsABoundedNumberOfRedLines) {
  Rollup rollup;
  for (int i = 0; i < 600; ++i) rollup.record(record("naive", "error"));
  EXPECT_EQ(rollup.red_lines().size(), kMaxRedLines);
  EXPECT_TRUE(has(markdown(rollup), "and 100 more in records.jsonl"));
}

TEST(Markdown, HasEveryPartAndTheReproOfEachFinding) {
  Rollup rollup;
  rollup.header(header());
  rollup.record(record("naive", "passed"));
  rollup.record(record("split", "failed"));
  rollup.summary(summary());
  const std::string text = markdown(rollup);
  for (const char* part :
       {"# warpmark report: a\\|b", "**emulated**", "| failed | 1 |", "because \\*x\\* &lt; y",
        "```\nwarpmark run --case 'matmul split'\n```", "## Algorithms", "| matmul | naive | 1 |",
        "3.5", "same in all 1", "below the required passes: matmul/b/f16",
        "never observed to differ: matmul/split", "## Environment",
        "warpmark run 'it'\\''s.json'"}) {
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  }
  EXPECT_FALSE(has(text, "## Network totals"));
}

TEST(Markdown, SaysWhenTheRunWasCutShortOrInterrupted) {
  Rollup rollup;
  rollup.header(header());
  EXPECT_TRUE(has(markdown(rollup), "cut short"));
  json interrupted = summary();
  interrupted["interrupted"] = true;
  rollup.summary(interrupted);
  EXPECT_TRUE(has(markdown(rollup), "was interrupted"));
}

TEST(Markdown, NetworkTotalsMultiplyByCountAndNeedEveryLayer) {
  Rollup rollup;
  rollup.record(record("naive", "passed", "one", 1000, 3));
  rollup.record(record("naive", "passed", "two", 500));
  rollup.record(record("split", "passed", "one", 600, 3));
  const std::string text = markdown(rollup);
  EXPECT_TRUE(has(text, "| naive | 2 of 2 | 4 | 3.5 us |")) << text;
  EXPECT_TRUE(has(text, "| split | 1 of 2 | 3 | - (layers missing) |")) << text;
  EXPECT_TRUE(has(text, "| *best of each layer* | 2 of 2 | 4 | 2.3 us |")) << text;
  EXPECT_TRUE(has(text, "times are emulated")) << text;
}

TEST(Console, TableMarksEmulatedTimes) {
  EXPECT_EQ(table_row(record("naive", "passed", "", 1234)),
            "passed           0.25     same      ~1.23 us  normal/1  matmul/naive/f16.f16.f16: "
            "m=2 n=3 k=4\n");
  Rollup rollup;
  rollup.record(record("naive", "failed"));
  rollup.summary(summary());
  const std::string end = table_end(rollup);
  EXPECT_TRUE(has(end, "1 records: 1 failed in 1.50 s")) << end;
  EXPECT_TRUE(has(end, "warpmark run --case 'matmul naive'")) << end;
}

json counted_record() {
  json out = record("naive", "passed");
  json kernel{{"kernel", "a_kernel<float>"},
              {"global_sectors_requested", 200},
              {"global_sectors_used", 50},
              {"global_load_requests", 3},
              {"global_load_lanes", 96},
              {"shared_load_requests", 1},
              {"shared_load_lanes", 16},
              {"shared_wavefronts", 12},
              {"shared_conflicts", 5},
              {"barriers", 7},
              {"atomics", 0},
              {"mma", 9}};
  out["counters"] = kernel;
  out["counters"]["kernels"] = json::array({kernel});
  return out;
}

TEST(Counters, TableCsvAndMarkdownShowThem) {
  // (96 + 16) lanes in 3 + 1 requests.
  EXPECT_TRUE(has(table_row(counted_record()),
                  "\n  counters: 200 sectors, 25 % used; 12 wavefronts, 5 conflicts; 28 lanes a "
                  "request; 7 barriers; 0 atomics; 9 mma\n"));
  EXPECT_TRUE(has(csv_row(counted_record()), ",200,50,12,5,7,0,9,"));
  EXPECT_TRUE(has(csv_row(record("naive", "passed")), ",,,,,,,"));
  Rollup rollup;
  rollup.record(record("naive", "passed"));
  EXPECT_FALSE(has(markdown(rollup), "## Counters"));
  for (std::size_t i = 0; i < kMaxCounterRows + 2; ++i) rollup.record(counted_record());
  const std::string text = markdown(rollup);
  EXPECT_TRUE(has(text, "| 200 | 25 | 12 | 5 | 28 | 7 | 0 | 9 |")) << text;
  EXPECT_TRUE(has(text, "and 2 more in records.jsonl")) << text;
}

TEST(Counters, AReasonStandsInTheirPlace) {
  json out = record("naive", "passed");
  out["counters"] = {{"reason", "counting: too much"}};
  EXPECT_TRUE(has(table_row(out), "counters: none: counting: too much\n"));
  Rollup rollup;
  rollup.record(out);
  EXPECT_FALSE(has(markdown(rollup), "## Counters"));
}

TEST(Console, CsvHasAsManyFieldsAsItsHeading) {
  const std::string heading = csv_heading();
  const std::string row = csv_row(record("naive", "passed"));
  // The config holds the only comma inside a field.
  EXPECT_EQ(std::count(row.begin(), row.end(), ','),
            std::count(heading.begin(), heading.end(), ',') + 1);
  EXPECT_TRUE(has(row, "\"tile=8,splits=2\""));
}

struct Counted {
  int headers = 0, records = 0, summaries = 0;
};

Counted read(const std::string& text) {
  std::istringstream stream(text);
  Counted counted;
  read_report(
      stream, "r", [&](const json&) { ++counted.headers; }, [&](const json&) { ++counted.records; },
      [&](const json&) { ++counted.summaries; });
  return counted;
}

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ReadReport, ReadsWholeAndCutReports) {
  const std::string head = header().dump() + "\n", line = record("a", "passed").dump() + "\n";
  const Counted whole = read(head + line + line + summary().dump() + "\n");
  EXPECT_EQ(whole.headers, 1);
  EXPECT_EQ(whole.records, 2);
  EXPECT_EQ(whole.summaries, 1);
  const Counted cut = read(head + line + line.substr(0, 40));
  EXPECT_EQ(cut.records, 1);
  EXPECT_EQ(cut.summaries, 0);
}

TEST(ReadReport, RefusesOtherText) {
  const std::string head = header().dump() + "\n", end = summary().dump() + "\n";
  EXPECT_TRUE(has(error_of(""), "r: empty"));
  EXPECT_TRUE(has(error_of("hello\n"), "r:1: not a JSON object"));
  EXPECT_TRUE(has(error_of("{}\n"), "r:1: expected schema \"warpmark.header/1\""));
  EXPECT_TRUE(has(error_of(head + head), "r:2: a second header"));
  EXPECT_TRUE(has(error_of(head + "{\"schema\":\"other\"}\n"), "r:2: unknown schema \"other\""));
  EXPECT_TRUE(has(error_of(head + end + end), "r:3: text after the summary"));
  EXPECT_TRUE(has(error_of(head + "{cut\n" + end), "r:2: not a JSON object"));
}

}  // namespace
}  // namespace wm::report
