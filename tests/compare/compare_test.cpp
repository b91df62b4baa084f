// Every verdict on small reports, and what it means for the outcome.
#include "compare/compare.hpp"

#include <gtest/gtest.h>

#include "compare/render.hpp"
#include "core/error.hpp"
#include "reports.hpp"

namespace wm::compare {
namespace {

Comparison compare(const std::vector<json>& base, const std::vector<json>& fresh,
                   Options options = {}) {
  const Folder folder;
  return compare_reports(folder.write("base", text_of_report(base)),
                         folder.write("new", text_of_report(fresh)), std::move(options));
}

/// One case; `change` is applied to its new record.
template <class Change>
Comparison changed(const Change& change, Options options = {}) {
  json fresh = record();
  change(fresh);
  return compare({record(), record('2')}, {fresh, record('2')}, std::move(options));
}

std::string one_line(const Comparison& comparison) {
  std::string text;
  for (const Finding& each : comparison.findings) {
    text += std::string(name_of(each.verdict)) + " " + each.aspect +
            (each.tensor.empty() ? "" : "(" + each.tensor + ")") + " " + each.old_value + " " +
            each.new_value + "; ";
  }
  return text;
}

enum class Means { good, finding, regression };

void expect(const Comparison& comparison, const std::string& line, Means means) {
  EXPECT_EQ(one_line(comparison), line.empty() ? "" : line + "; ");
  EXPECT_EQ(comparison.outcome().finding, means == Means::finding);
  EXPECT_EQ(comparison.outcome().regression, means == Means::regression);
  EXPECT_FALSE(comparison.outcome().nothing_matched);
  EXPECT_FALSE(comparison.outcome().only_cross_environment);
}

TEST(Compare, IdenticalReportsHaveNoChange) {
  const Comparison same = compare({record('1'), record('2')}, {record('2'), record('1')});
  expect(same, "", Means::good);
  EXPECT_EQ(same.matched, 2);
  EXPECT_EQ(same.unchanged, 2);
  EXPECT_EQ(same.evidence, 8);  // digest, errors, tree and counters of two pairs
  EXPECT_EQ(verdict_line(same), "no change");
  EXPECT_TRUE(same.notes.empty());
}

TEST(Compare, Status) {
  const auto status = [](const char* before, const char* after) {
    json base = record(), fresh = record();
    base["status"] = before;
    fresh["status"] = after;
    return compare({base}, {fresh});
  };
  for (const char* bad : {"failed", "error", "convention", "nondeterministic", "mistrusted",
                          "inconclusive", "unsupported"}) {
    const std::string word = std::string("\"") + bad + "\"";
    expect(status("passed", bad), "worse status \"passed\" " + word, Means::finding);
    expect(status(bad, "passed"), "better status " + word + " \"passed\"", Means::good);
  }
  expect(status("passed", "skipped"), "regression coverage \"passed\" \"skipped\"",
         Means::regression);
  expect(status("failed", "skipped"), "regression coverage \"failed\" \"skipped\"",
         Means::regression);
  expect(status("unsupported", "skipped"), "info status \"unsupported\" \"skipped\"", Means::good);
  expect(status("failed", "error"), "info status \"failed\" \"error\"", Means::good);
  expect(status("passed", "exploded"), "worse status \"passed\" \"exploded\"", Means::finding);
  EXPECT_EQ(status("failed", "failed").still_red, 1);
  expect(status("failed", "failed"), "", Means::good);
}

TEST(Compare, ADigestIsAFindingUnlessClaimedNondeterministic) {
  const std::string before(64, 'd'), after(64, 'e');
  const auto digest = [&](json& fresh) { fresh["determinism"]["digests"]["d"] = after; };
  expect(changed(digest), "changed digest(d) \"" + before + "\" \"" + after + "\"", Means::finding);

  json base = record(), fresh = record();
  base["claims"]["deterministic"] = fresh["claims"]["deterministic"] = false;
  digest(fresh);
  const Comparison free = compare({base}, {fresh});
  expect(free, "info digest(d) \"" + before + "\" \"" + after + "\"", Means::good);
  EXPECT_EQ(free.findings.front().detail, "claimed nondeterministic");
}

TEST(Compare, ADigestOfAnotherKindOfDeviceIsFreeWithoutTheClaimBitTwin) {
  const Folder folder;
  json gpu = header();
  gpu["environment"]["device"] = {{"id", "cuda:0"}, {"name", "H200"}, {"emulated", false}};
  json base = record(), fresh = record();
  fresh["device"] = "cuda:0";
  fresh["determinism"]["digests"]["d"] = std::string(64, 'e');
  const auto outcome = [&] {
    return compare_reports(folder.write("base", text_of_report({base})),
                           folder.write("new", text_of_report({fresh}, gpu)), {})
        .outcome();
  };
  EXPECT_TRUE(outcome().finding);
  base["claims"]["bit_twin"] = fresh["claims"]["bit_twin"] = false;
  EXPECT_FALSE(outcome().finding);
}

TEST(Compare, Claims) {
  expect(changed([](json& fresh) { fresh["claims"]["tree_height"] = 20.0; }),
         "changed claim.tree_height 19.0 20.0", Means::finding);
  expect(changed([](json& fresh) { fresh["claims"]["error_formula"] = "online"; }),
         "changed claim.error_formula null \"online\"", Means::finding);
  expect(changed([](json& fresh) { fresh["claims"].erase("acc"); }),
         "changed claim.acc \"f32\" null", Means::finding);
  expect(changed([](json& fresh) { fresh["claims"]["batch_invariant"] = true; }),
         "info claim.batch_invariant null true", Means::good);
  expect(changed([](json& fresh) { fresh["claims"]["nondeterministic_reason"] = "x"; }),
         "info claim.nondeterministic_reason \"\" \"x\"", Means::good);
  expect(changed([](json& fresh) {
           fresh["claims"]["deterministic"] = false;
           fresh["claims"]["nondeterministic_reason"] = "atomics";
         }),
         "changed claim.deterministic true false; "
         "changed claim.nondeterministic_reason \"\" \"atomics\"",
         Means::finding);
}

TEST(Compare, TreeWorkspaceConfig) {
  expect(changed([](json& fresh) { fresh["tree"]["d"]["hash"] = "abd"; }),
         "changed tree(d) {\"height\":19,\"hash\":\"abc\"} {\"height\":19,\"hash\":\"abd\"}",
         Means::finding);
  expect(changed([](json& fresh) { fresh["workspace_bytes"] = 1025; }),
         "regression workspace_bytes 1024 1025", Means::regression);
  expect(changed([](json& fresh) { fresh["workspace_bytes"] = 0; }),
         "better workspace_bytes 1024 0", Means::good);
  expect(changed([](json& fresh) { fresh["config"] = "tile=16"; }),
         "info config \"tile=8\" \"tile=16\"", Means::good);
}

TEST(Compare, ErrorsDriftBeyondBothLimits) {
  const auto ulp = [](json value) {
    return changed([&](json& fresh) { fresh["accuracy"]["d"]["max_ulp"] = value; });
  };
  expect(ulp(2.5), "", Means::good);  // the default allows 0.5 ulp
  expect(ulp(2.6), "regression error.max_ulp(d) 2 2.6", Means::regression);
  expect(ulp("Infinity"), "regression error.max_ulp(d) 2 \"Infinity\"", Means::regression);
  expect(ulp("NaN"), "regression error.max_ulp(d) 2 \"NaN\"", Means::regression);
  expect(ulp(1.0), "better error.max_ulp(d) 2 1", Means::good);
  const auto used = [](double value) {
    return changed([&](json& fresh) { fresh["accuracy"]["d"]["bound_utilisation"] = value; });
  };
  expect(used(0.274), "", Means::good);  // 10 % of 0.25 is 0.025
  expect(used(0.28), "regression error.bound_utilisation(d) 0.25 0.28", Means::regression);
  Options strict;
  strict.thresholds = Thresholds::parse("t", R"({"schema": "warpmark.thresholds/1", "defaults":
      {"max_ulp_rise_ulp": 0, "max_ulp_rise_percent": 0}})");
  expect(changed([](json& fresh) { fresh["accuracy"]["d"]["max_ulp"] = 2.25; }, strict),
         "regression error.max_ulp(d) 2 2.25", Means::regression);
}

TEST(Compare, AnyRiseOfACounterIsARegression) {
  const auto counter = [](const char* name, json value, Options options = {}) {
    return changed([&](json& fresh) { fresh["counters"][name] = value; }, std::move(options));
  };
  expect(counter("atomics", 11), "regression counter.atomics 10 11", Means::regression);
  expect(counter("atomics", 9), "better counter.atomics 10 9", Means::good);
  expect(counter("global_load_lanes", 65), "info counter.global_load_lanes 64 65", Means::good);
  Options loose;
  loose.thresholds = Thresholds::parse("t", R"({"schema": "warpmark.thresholds/1",
      "overrides": [{"variant": "matmul/naive/*", "counter_rise_percent": 10}]})");
  expect(counter("atomics", 11, loose), "", Means::good);
  expect(counter("atomics", 12, loose), "regression counter.atomics 10 12", Means::regression);
}

TEST(Compare, CountersOfAnotherCompilerAreCrossEnvironment) {
  const Comparison other = changed([](json& fresh) {
    fresh["counters"]["compiler"] = "clang 14";
    fresh["counters"]["atomics"] = 99;
  });
  expect(other, "", Means::good);
  ASSERT_EQ(other.uncompared.size(), 2u);  // and the times
  const auto& [kind, aspect, reason] = other.uncompared.begin()->first;
  EXPECT_EQ(kind, Uncompared::cross_environment);
  EXPECT_EQ(aspect, "counters");
  EXPECT_TRUE(has(reason, "gcc 12")) << reason;
  EXPECT_TRUE(has(reason, "clang 14")) << reason;
}

TEST(Compare, NothingButCrossEnvironment) {
  json base = record(), fresh = record();
  for (json* each : {&base, &fresh}) {
    for (const char* part : {"accuracy", "determinism", "tree"}) each->erase(part);
  }
  fresh["counters"]["flags"] = "-O3";
  const Outcome outcome = compare({base}, {fresh}).outcome();
  EXPECT_TRUE(outcome.only_cross_environment);
  EXPECT_FALSE(outcome.finding || outcome.regression || outcome.nothing_matched);
}

TEST(Compare, AnotherRecipeVersionHasOtherInputs) {
  const Comparison other = changed([](json& fresh) {
    fresh["recipe"] = "normal/2";
    fresh["determinism"]["digests"]["d"] = std::string(64, 'e');
    fresh["accuracy"]["d"]["max_ulp"] = 99.0;
  });
  expect(other, "", Means::good);
  EXPECT_TRUE(other.uncompared.contains(
      {Uncompared::cross_environment, "digest, error, tree", "recipe normal/1 / normal/2"}));
}

TEST(Compare, TimesAreNotCompared) {
  const auto reason = [](const char* method, const char* other, const char* driver) {
    const Folder folder;
    json base = record(), fresh = record(), head = header();
    base["timing"]["method"] = method;
    fresh["timing"]["method"] = other;
    for (json* each : {&base, &fresh}) (*each)["throughput"]["emulated"] = false;
    head["environment"]["driver"] = driver;
    const Comparison comparison =
        compare_reports(folder.write("b", text_of_report({base})),
                        folder.write("n", text_of_report({fresh}, head)), {});
    EXPECT_EQ(comparison.uncompared.size(), 1u);
    const auto& [kind, aspect, why] = comparison.uncompared.begin()->first;
    return std::string(name_of(kind)) + ": " + why;
  };
  EXPECT_EQ(reason("emulated", "emulated", "1"), "not compared: emulated times are never compared");
  EXPECT_EQ(reason("events", "events", "580"), "cross-environment: driver (not given / \"580\")");
  EXPECT_EQ(reason("events", "graph", "580"),
            "cross-environment: driver (not given / \"580\"), timing method (events / graph)");
}

TEST(Compare, CoverageOfCasesVariantsAndAlgorithms) {
  const std::vector<json> base{record('1'), record('2'), record('3', "tiled"),
                               record('4', "tiled")};
  expect(compare(base, {base[0], base[2], base[3]}), "regression coverage \"passed\" null",
         Means::regression);
  const Comparison gone = compare(base, {base[0], base[1]});
  expect(gone, "regression coverage {\"cases\":2} null", Means::regression);
  EXPECT_EQ(gone.findings.front().variant, "matmul/tiled/*");
  EXPECT_EQ(gone.findings.front().repro, base[2]["repro"]);
  EXPECT_EQ(gone.vanished, 2);

  json other_types = record('3', "tiled");
  other_types["variant"] = "matmul/tiled/f16.f16.f16";
  const Comparison variant = compare({base[0], base[2], other_types}, {base[0], base[2]});
  // The same case id under another variant is another record.
  expect(variant, "regression coverage {\"cases\":1} null", Means::regression);
  EXPECT_EQ(variant.findings.front().detail, "the variant vanished");

  json unsupported = record('5');
  unsupported["status"] = "unsupported";
  expect(compare({base[0], unsupported}, {base[0]}), "", Means::good);
}

TEST(Compare, NewCases) {
  const Comparison more =
      compare({record()}, {record(), record('2'), record('3', "tiled"), record('4', "tiled")});
  expect(more, "info coverage null \"passed\"", Means::good);  // once a new variant
  EXPECT_EQ(more.added, 3);
  json red = record('2');
  red["status"] = "failed";
  expect(compare({record()}, {record(), red}), "worse status null \"failed\"", Means::finding);
}

TEST(Compare, LostPartsOfRecordsAreCoverage) {
  const auto without = [](const char* part) {
    return changed([&](json& fresh) { fresh.erase(part); });
  };
  expect(without("accuracy"), "regression coverage(accuracy) {\"records\":1} null",
         Means::regression);
  expect(without("counters"), "regression coverage(counters) {\"records\":1} null",
         Means::regression);
  expect(without("tree"), "regression coverage(tree) {\"records\":1} null", Means::regression);
  expect(without("determinism"),
         "regression coverage(digests) {\"records\":1} null; "
         "regression coverage(probe rerun) {\"records\":1} null",
         Means::regression);
  expect(without("timing"), "", Means::good);
  expect(changed([](json& fresh) { fresh["counters"].erase("atomics"); }),
         "regression coverage(counter atomics) {\"records\":1} null", Means::regression);
  expect(changed([](json& fresh) {
           fresh["determinism"]["probes"]["rerun"]["d"] = {{"verdict", "not_run"}, {"reason", "x"}};
         }),
         "regression coverage(probe rerun) {\"records\":1} null", Means::regression);
}

TEST(Compare, NothingMatched) {
  const Folder folder;
  const std::string base = folder.write("b", text_of_report({record('1')}));
  const auto with = [&](const std::vector<json>& records, const char* plan) {
    return compare_reports(base, folder.write("n", text_of_report(records, header(plan))), {});
  };
  EXPECT_TRUE(with({record('2')}, "b").outcome().nothing_matched);
  EXPECT_EQ(verdict_line(with({record('2')}, "b")), "nothing matched");
  EXPECT_FALSE(with({record('1')}, "b").outcome().nothing_matched);
  // The same plan without its case: lost coverage, not another plan.
  const Outcome same_plan = with({}, "a").outcome();
  EXPECT_TRUE(same_plan.regression);
  EXPECT_FALSE(same_plan.nothing_matched);
}

TEST(Compare, DevicesMatchFirstThenAnyDevice) {
  json race = record();
  race["device"] = "emu-race";
  race["counters"]["atomics"] = 12;
  // With a record on its own device, each is compared with that one.
  expect(compare({record(), race}, {race, record()}), "", Means::good);
  const Comparison lost = compare({record(), race}, {record()});
  expect(lost, "regression coverage \"passed\" null", Means::regression);
  expect(compare({record()}, {race}), "regression counter.atomics 10 12", Means::regression);
}

TEST(Compare, RepeatedRecordsAreStatedAndNoneIsHidden) {
  json wrong = record();
  wrong["status"] = "failed";
  const Comparison twice = compare({record(), record()}, {record(), wrong});
  expect(twice, "worse status \"passed\" \"failed\"", Means::finding);
  EXPECT_EQ(twice.base.repeated, 1);
  EXPECT_EQ(twice.fresh.repeated, 1);
  ASSERT_EQ(twice.notes.size(), 2u);
  EXPECT_TRUE(has(twice.notes[0], "BASE has 1 repeated records")) << twice.notes[0];
}

TEST(Compare, ShardsDoNotVanish) {
  const Folder folder;
  json head = header();
  head["shard"] = {{"index", 1}, {"count", 2}};
  const Comparison shard =
      compare_reports(folder.write("b", text_of_report({record('1'), record('2')})),
                      folder.write("n", text_of_report({record('1')}, head)), {});
  expect(shard, "", Means::good);
  ASSERT_EQ(shard.notes.size(), 1u);
  EXPECT_TRUE(has(shard.notes[0], "NEW is a shard")) << shard.notes[0];
}

TEST(Compare, WhatAFilterLeavesOutDoesNotVanish) {
  const Folder folder;
  json head = header();
  head["settings"]["filter"] = "matmul/naive/*";
  const std::string base =
      folder.write("b", text_of_report({record('1'), record('2'), record('3', "tiled")}));
  const Comparison one_gone =
      compare_reports(base, folder.write("n", text_of_report({record('1')}, head)), {});
  expect(one_gone, "regression coverage \"passed\" null", Means::regression);
  EXPECT_EQ(one_gone.findings.front().case_id.front(), '2');
  ASSERT_EQ(one_gone.notes.size(), 1u);
  EXPECT_EQ(one_gone.notes[0],
            "NEW is filtered by matmul/naive/*: 1 records of BASE outside of it are not judged");
}

TEST(Compare, CutAndInterruptedReportsAreStated) {
  const Folder folder;
  const std::string base = folder.write("b", text_of_report({record('1'), record('2')}));
  const std::string whole = text_of_report({record('1'), record('2')});
  // Cut in the middle of the second record.
  const std::size_t second = whole.find(record('2').dump());
  const Comparison cut = compare_reports(base, folder.write("n", whole.substr(0, second + 40)), {});
  expect(cut, "regression coverage \"passed\" null", Means::regression);
  ASSERT_EQ(cut.notes.size(), 1u);
  EXPECT_EQ(cut.notes[0], "NEW has no summary: its run was cut short after 1 records of 2 planned");
  const Comparison stopped =
      compare_reports(folder.write("b2", text_of_report({record('1')}, header(), summary(true))),
                      folder.write("n2", text_of_report({record('1')})), {});
  expect(stopped, "", Means::good);
  ASSERT_EQ(stopped.notes.size(), 1u);
  EXPECT_EQ(stopped.notes[0], "BASE was interrupted after 1 records of 2 planned");
}

std::string error_of(const std::string& text) {
  const Folder folder;
  const std::string good = folder.write("good", text_of_report({record()}));
  for (const bool as_base : {true, false}) {
    const std::string bad = folder.write("bad", text);
    try {
      compare_reports(as_base ? bad : good, as_base ? good : bad, {});
    } catch (const UsageError& error) {
      if (!as_base) return std::string(error.what()).substr(bad.size() - 3);
    }
  }
  return "no error";
}

TEST(Compare, BrokenReportsAreRefused) {
  const std::string head = header().dump() + "\n", end = summary().dump() + "\n";
  EXPECT_TRUE(has(error_of(""), "bad: empty"));
  EXPECT_TRUE(has(error_of("hello\n"), "bad:1: not a JSON object"));
  EXPECT_TRUE(has(error_of(head + "{cut\n" + end), "bad:2: not a JSON object"));
  const auto with = [&](const char* key, json value) {
    json bad = record();
    bad[key] = value;
    return error_of(head + record('2').dump() + "\n" + bad.dump() + "\n" + end);
  };
  EXPECT_EQ(with("case_id", 7), "bad:3: key 'case_id' is missing, empty or not a string");
  EXPECT_EQ(with("variant", ""), "bad:3: key 'variant' is missing, empty or not a string");
  EXPECT_EQ(with("status", nullptr), "bad:3: key 'status' is missing, empty or not a string");
  EXPECT_EQ(with("claims", {{"acc", json::array({1})}}),
            "bad:3: key 'claims.acc' is array, expected a single value");
  // Parts of another type are as good as absent; deep nesting is cut.
  EXPECT_EQ(with("claims", 3), "no error");
  EXPECT_EQ(with("counters", json::array()), "no error");
  std::string deep(20000, '[');
  deep += std::string(20000, ']');
  EXPECT_EQ(error_of(head +
                     "{\"schema\":\"warpmark.record/1\",\"case_id\":\"1\",\"variant\":\"v\","
                     "\"status\":\"passed\",\"tree\":{\"d\":" +
                     deep + "}}\n" + end),
            "no error");
  EXPECT_THROW(compare_reports("/nowhere", "/nowhere", {}), UsageError);
}

TEST(Compare, AFolderStandsForItsRecords) {
  const Folder folder;
  folder.write("run/records.jsonl", text_of_report({record()}));
  expect(compare_reports(folder.path("run"), folder.path("run"), {}), "", Means::good);
}

}  // namespace
}  // namespace wm::compare
