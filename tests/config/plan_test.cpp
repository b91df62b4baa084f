#include "config/plan.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "core/error.hpp"

namespace wm {
namespace {

namespace fs = std::filesystem;

/// A folder of config files that is gone after the test.
class PlanTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("warpmark-" + std::string(test->name()) + "-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  Plan plan(const std::string& text, const KeyValues& set = {}) const {
    return Plan::from_files({write("sweep.json", text)}, set);
  }
  std::vector<std::string> texts(const Plan& plan) const {
    std::vector<std::string> all;
    plan.for_each([&](const Case& item) {
      all.push_back(to_case_string(item));
      return true;
    });
    return all;
  }
  /// The values of one key over the plan, in order.
  std::vector<std::string> values(const Plan& plan, const std::string& key) const {
    std::vector<std::string> all;
    plan.for_each([&](const Case& item) {
      const std::string* value = find_value(item.problem.keys, key);
      all.push_back(value ? *value : "");
      return true;
    });
    return all;
  }
  std::string error_of(const std::string& text) const {
    try {
      plan(text).hash();
    } catch (const UsageError& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path folder_;
};

using Texts = std::vector<std::string>;

TEST_F(PlanTest, ExpandsArraysAsAProductWithTheLastKeyFastest) {
  const Plan sweep = plan(R"({"cases": [{"op": "matmul", "k": [5, 6], "m": [1, 2], "n": 3}]})");
  EXPECT_EQ(values(sweep, "m"), (Texts{"1", "1", "2", "2"}));
  EXPECT_EQ(values(sweep, "k"), (Texts{"5", "6", "5", "6"}));
  EXPECT_EQ(sweep.count(), 4);
}

TEST_F(PlanTest, GeneratesRangesPowersAndValues) {
  const Plan sweep = plan(R"({"cases": [{"op": "matmul", "m": {"range": [1, 8, 3]},
      "n": {"pow2": [4, 16]}, "k": {"values": [7]}}]})");
  EXPECT_EQ(sweep.count(), 9);
  const Texts m = values(sweep, "m"), n = values(sweep, "n");
  EXPECT_EQ(std::set<std::string>(m.begin(), m.end()), (std::set<std::string>{"1", "4", "7"}));
  EXPECT_EQ(std::set<std::string>(n.begin(), n.end()), (std::set<std::string>{"4", "8", "16"}));
}

TEST_F(PlanTest, ZipKeepsKeysTogether) {
  const Plan sweep = plan(R"({"cases": [{"op": "matmul", "n": 1, "seed": [1, 2],
      "zip": {"m": [2, 3], "k": [20, 30], "label": ["two", "three"], "count": [4, 5]}}]})");
  EXPECT_EQ(values(sweep, "m"), (Texts{"2", "2", "3", "3"}));
  EXPECT_EQ(values(sweep, "k"), (Texts{"20", "20", "30", "30"}));
  std::vector<std::string> labels;
  std::int64_t count = 0;
  sweep.for_each([&](const Case& item) {
    labels.push_back(item.label);
    count += item.count;
    return true;
  });
  EXPECT_EQ(labels, (Texts{"two", "two", "three", "three"}));
  EXPECT_EQ(count, 18);
}

TEST_F(PlanTest, DefaultsGoToOpsThatHaveThem) {
  const Plan sweep = plan(R"({"defaults": {"layout": ["nchw", "nhwc"], "dtype": "f16", "m": 9},
      "cases": [{"op": "matmul", "m": 1, "n": 2, "k": 3}, {"op": "softmax_fwd", "n": 1, "c": 4}]})");
  EXPECT_EQ(values(sweep, "layout"), (Texts{"", "nchw", "nhwc"}));
  EXPECT_EQ(values(sweep, "m"), (Texts{"1", "", ""}));
  EXPECT_EQ(values(sweep, "dtype"), (Texts{"f16", "f16", "f16"}));
}

TEST_F(PlanTest, RunGivesRecipesSeedAndStages) {
  const Plan sweep = plan(R"({"run": {"stages": ["verify"], "recipes": ["exact", "normal"],
      "seed": 7, "repeats": 4}, "cases": [{"op": "matmul", "m": 1, "n": 1, "k": 1},
      {"op": "matmul", "m": 2, "n": 1, "k": 1, "run": {"recipes": ["uniform"], "stages":
      ["throughput"], "repeats": 9}}, {"op": "matmul", "m": 3, "n": 1, "k": 1, "recipe":
      "offset:10", "seed": 8}]})");
  Texts seen;
  sweep.for_each([&](const Case& item) {
    seen.push_back(item.recipe + " " + std::to_string(item.seed) + " " +
                   (item.stages.empty() ? "-" : item.stages.front()) + " " +
                   std::to_string(item.repeats.value_or(0)));
    return true;
  });
  EXPECT_EQ(seen,
            (Texts{"exact 7 - 0", "normal 7 - 0", "uniform 7 throughput 9", "offset:10 8 - 0"}));
  EXPECT_EQ(sweep.run().stages, (Texts{"verify"}));
  EXPECT_EQ(sweep.run().repeats, 4);
}

TEST_F(PlanTest, ExcludeSeesDefaultsAndSpellings) {
  const Plan sweep = plan(R"({"cases": [{"op": ["softmax_fwd", "matmul"], "dtype": ["f32", "f16"]},
      {"op": "softmax_bwd", "n": 1, "c": 2, "layout": ["nchw", "nhwc"]}],
      "exclude": [{"op": "matmul"}, {"op": "softmax_fwd"}, {"layout": "nhwc", "dtype":
      "f32.f32"}]})");
  // Excluded combinations need not even be valid (neither op of the first case has its sizes).
  EXPECT_EQ(values(sweep, "layout"), (Texts{"nchw"}));
  EXPECT_EQ(sweep.count(), 1);
}

TEST_F(PlanTest, CountAgreesWithTheExpansionUnderExcludes) {
  const Plan sweep = plan(R"({"defaults": {"dtype": ["f32", "f16", "bf16"]}, "cases": [{"op":
      ["matmul"], "m": [1, 2, 3], "n": [1, 2], "k": [1, 2, 3, 4], "algo": ["naive", "*"]}],
      "exclude": [{"m": [1, 2], "dtype": "f16"}, {"k": 4, "algo": "na*"}]})");
  EXPECT_EQ(sweep.count(), static_cast<std::int64_t>(texts(sweep).size()));
  EXPECT_EQ(sweep.count(), 3 * 2 * 4 * 2 * 3 - 2 * 2 * 4 * 2 - (3 * 3 - 2) * 2);
}

TEST_F(PlanTest, ExcludedAlgorithmsOfAWildcardAreLeftToTheExpansion) {
  const Plan sweep = plan(R"({"cases": [{"op": "matmul", "m": 1, "n": 1, "k": [1, 2]}],
      "exclude": [{"k": 2, "algo": "naive"}]})");
  std::vector<Texts> seen;
  sweep.for_each([&](const Case& item) {
    seen.push_back(item.excluded_algorithms);
    return true;
  });
  EXPECT_EQ(seen, (std::vector<Texts>{{}, {"naive"}}));
}

TEST_F(PlanTest, SetReplacesKeys) {
  const std::string text = R"({"defaults": {"dtype": ["f32", "f16"]}, "cases": [{"op": "matmul",
      "n": 1, "zip": {"m": [1, 2], "k": [3, 4]}}, {"op": "softmax_fwd", "n": 1, "c": 1}]})";
  const Plan sweep = plan(text, {{"dtype", "bf16"}, {"m", "[8,9]"}});
  EXPECT_EQ(values(sweep, "m"), (Texts{"8", "8", "9", "9", ""}));
  EXPECT_EQ(values(sweep, "k"), (Texts{"3", "4", "3", "4", ""}));
  EXPECT_EQ(values(sweep, "dtype"), (Texts(5, "bf16")));
  EXPECT_THROW(plan(text, {{"dtyp", "f16"}}), UsageError);
}

TEST_F(PlanTest, IncludesReadOtherFilesUnderTheDefaultsOfTheIncluder) {
  fs::create_directories(folder_ / "sub");
  write("sub/shapes.json",
        R"({"defaults": {"n": 5}, "cases": [{"op": "matmul", "m": 1, "k": 1}]})");
  const Plan sweep = plan(R"({"include": "sub/shapes.json", "defaults": {"n": 6, "dtype":
      ["f32", "f16"]}, "cases": [{"op": "matmul", "m": 2, "k": 1}], "exclude": [{"m": 1, "dtype":
      "f16"}]})");
  EXPECT_EQ(values(sweep, "m"), (Texts{"1", "2", "2"}));
  EXPECT_EQ(values(sweep, "n"), (Texts{"5", "6", "6"}));
  EXPECT_EQ(sweep.name(), "sweep");
}

TEST_F(PlanTest, IncludeCyclesAreErrors) {
  write("a.json", R"({"include": "b.json"})");
  write("b.json", R"({"include": ["a.json"]})");
  try {
    Plan::from_files({(folder_ / "a.json").string()});
    FAIL() << "a cycle was accepted";
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("b.json:1:14: /include/0"), std::string::npos) << message;
    EXPECT_NE(message.find("cycle"), std::string::npos) << message;
  }
}

TEST_F(PlanTest, HashIgnoresTheOrderOfKeysAndTheNameOfTheFile) {
  const Plan first = plan(R"({"name": "x", "run": {"recipes": ["exact", "normal"]}, "cases":
      [{"op": "matmul", "m": [1, 2], "n": 3, "k": [4, 5], "algo": "*"}]})");
  const Plan second = Plan::from_files({write("other.json", R"({"cases": [{"algo": "*", "k":
      [4, 5], "n": 3, "op": "matmul", "m": {"range": [1, 2]}}], "run": {"recipes":
      ["exact", "normal"]}})")});
  EXPECT_EQ(first.hash(), second.hash());
  EXPECT_EQ(texts(first), texts(second));
  EXPECT_EQ(first.hash().size(), 64U);
  const Plan third = plan(R"({"run": {"recipes": ["exact", "normal"]}, "cases": [{"op":
      "matmul", "m": [1, 2], "n": 3, "k": [4, 5], "algo": "naive"}]})");
  EXPECT_NE(first.hash(), third.hash());
}

TEST_F(PlanTest, HugePlansAreCountedWithoutExpansion) {
  const Plan sweep = plan(R"({"cases": [{"op": "matmul", "m": {"range": [1, 900000]}, "n":
      {"range": [1, 1000000]}, "k": 1}]})");
  EXPECT_EQ(sweep.count(), 900'000'000'000);
  int visited = 0;
  sweep.for_each([&](const Case&) { return ++visited < 3; });
  EXPECT_EQ(visited, 3);
}

TEST_F(PlanTest, TensorsHaveValuesFilesAndFills) {
  std::ofstream(folder_ / "x.npy") << "content is read later";
  const Plan sweep = plan(R"({"cases": [
      {"op": "softmax_fwd", "n": 1, "c": 3, "inputs": {"x": {"values": [1, "NaN", -2.5]}},
       "expect": {"y": {"values": [0, 0, 1]}, "atol": 0.25}},
      {"op": "softmax_fwd", "n": 1, "c": 3, "inputs": {"x": {"npy": "x.npy"}}},
      {"op": "softmax_fwd", "n": 1, "c": 3, "inputs": {"x": {"fill": 2}}}]})");
  Texts inputs;
  sweep.for_each([&](const Case& item) {
    inputs.push_back(item.inputs.front().second.to_string());
    return true;
  });
  EXPECT_EQ(inputs, (Texts{"[1,NaN,-2.5]", "@" + (folder_ / "x.npy").string(), "fill:2"}));
}

TEST_F(PlanTest, ListsAreOneValueInsideAnArray) {
  const Plan sweep = plan(R"({"cases": [{"op": "softmax_fwd", "n": 1, "c": 2, "x.strides":
      [[4, 2, 1, 1], [8, 4, 1, 1]]}, {"op": "conv_fwd", "n": 1, "c": 1, "h": 4, "w": 4, "k": 1,
      "r": 2, "s": 2, "pad": ["0x1", [1, 0], 2]}]})");
  EXPECT_EQ(sweep.count(), 5);
  std::vector<Dims> strides;
  sweep.for_each([&](const Case& item) {
    strides.push_back(item.problem.tensor("x").strides);
    return strides.size() < 2;
  });
  EXPECT_EQ(strides, (std::vector<Dims>{{4, 2, 1, 1}, {8, 4, 1, 1}}));
}

TEST_F(PlanTest, AlgorithmNamesAreCheckedWithTheirPlace) {
  const auto known = [](const std::string&) { return Texts{"naive", "split_k"}; };
  const std::string good = R"({"cases": [{"op": "matmul", "m": 1, "n": 1, "k": 1, "algo":
      ["naive", "*"]}]})";
  EXPECT_NO_THROW(plan(good).check_algorithms(known));
  try {
    plan(
        "{\"cases\": [{\"op\": \"matmul\", \"m\": 1, \"n\": 1, \"k\": 1,\n  \"algo\": [\"*\", "
        "\"splitk\"]}]}")
        .check_algorithms(known);
    FAIL();
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("sweep.json:2:17: /cases/0/algo/1: "), std::string::npos) << message;
    EXPECT_NE(message.find("did you mean 'split_k'"), std::string::npos) << message;
  }
  const std::string misspelt = R"({"cases": [{"op": "matmul", "m": 1, "n": 1, "k": 1}],
      "exclude": [{"algo": "naiv"}]})";
  EXPECT_THROW(plan(misspelt).check_algorithms(known), ConfigError);
}

struct BadSweep {
  const char* text;
  std::vector<const char*> parts;
};

TEST_F(PlanTest, ErrorsNameFileLinePointerKeyAndHint) {
  const std::vector<BadSweep> sweeps{
      {"", {"sweep.json:1:1: /: not valid JSON"}},
      {"{\"cases\": [}", {"sweep.json:1:12: /cases: not valid JSON"}},
      {"{\n // no\n}", {"sweep.json:2:2: /: not valid JSON"}},
      {"[]", {"sweep.json:1:1: /: expected an object (a sweep), got an array"}},
      {"{}", {"needs the key 'cases'"}},
      {"{\"nmae\": \"x\"}", {"sweep.json:1:2: /nmae", "did you mean 'name'"}},
      {"{\"name\": 3}", {"sweep.json:1:10: /name: expected a string, got the number 3"}},
      {"{\"name\": \"a\",\n \"name\": \"b\"}",
       {"sweep.json:2:2: /name", "'name' appears twice", "line 1"}},
      {"{\"cases\": {}}", {"/cases: expected an array of cases, got an object"}},
      {"{\"cases\": [3]}", {"/cases/0: expected an object (a case), got the number 3"}},
      {"{\"cases\": [{\"m\": 3}]}", {"sweep.json:1:12: /cases/0: a case needs the key 'op'"}},
      {"{\"cases\": [{\"op\": \"conv_fwdd\"}]}",
       {"sweep.json:1:19: /cases/0/op: unknown op 'conv_fwdd'", "did you mean 'conv_fwd'"}},
      {"{\"cases\": [{\"op\": [\"matmul\", \"matmul\"]}]}", {"/cases/0/op/1", "given twice"}},
      {"{\"cases\": [\n {\"op\": \"matmul\",\n  \"transpos_a\": 1}]}",
       {"sweep.json:3:3: /cases/0/transpos_a: unknown key of matmul",
        "did you mean 'transpose_a'"}},
      {"{\"cases\": [{\"op\": \"matmul\", \"layout\": \"nhwc\"}]}",
       {"/cases/0/layout: unknown key of matmul 'layout'"}},
      {"{\"cases\": [{\"op\": \"matmul\", \"m\": \"64\", \"n\": 1, \"k\": 1}]}",
       {"/cases/0/m: 'm': expected an integer, got the string \"64\""}},
      {"{\"cases\": [{\"op\": \"matmul\", \"m\": 1.5, \"n\": 1, \"k\": 1}]}",
       {"/cases/0/m: 'm': expected an integer, got the number 1.5"}},
      {"{\"cases\": [{\"op\": \"matmul\", \"m\": null}]}", {"/cases/0/m", "got null"}},
      {"{\"cases\": [{\"op\": \"matmul\", \"transpose_a\": 2, \"m\": 1, \"n\": 1, \"k\": 1}]}",
       {"/cases/0/transpose_a", "transpose_a=2", "0 or 1"}},
      {"{\"cases\": [{\"op\": \"matmul\", \"m\": [4, -1], \"n\": 1, \"k\": 1}]}",
       {"sweep.json:1:38: /cases/0/m/1", "m=-1", "from 0 to"}},
      {"{\"cases\": [{\"op\": \"matmul\", \"m\": 99999999999999999999, \"n\": 1, \"k\": 1}]}",
       {"/cases/0/m", "m=99999999999999999999"}},
      {"{\"cases\": [{\"op\": \"matmul\", \"m\": 1, \"k\": 1}]}",
       {"sweep.json:1:12: /cases/0: ", "\"n\""}},
      {"{\"cases\": [{\"op\": \"matmul\", \"m\": 1, \"n\": 1, \"k\": 1, \"dtype\": \"f61\"}]}",
       {"/cases/0/dtype", "'f61'", "did you mean 'f64'"}},
      {"{\"cases\": [{\"op\": \"matmul\", \"m\": []}]}", {"/cases/0/m", "an empty array"}},
      {"{\"cases\": [{\"op\": \"matmul\", \"m\": [1, 1]}]}", {"/cases/0/m/1", "given twice"}},
      {"{\"cases\": [{\"op\": \"matmul\", \"m\": {\"rang\": [1, 2]}}]}",
       {"/cases/0/m/rang", "did you mean 'range'"}},
      {"{\"cases\": [{\"op\": \"matmul\", \"m\": {\"range\": [5, 2]}}]}",
       {"/cases/0/m/range/1", "from 5"}},
      {"{\"cases\": [{\"op\": \"matmul\", \"m\": {\"pow2\": [3, 8]}}]}",
       {"/cases/0/m/pow2/0", "3 is not a power of two"}},
      {"{\"cases\": [{\"op\": \"matmul\", \"zip\": {\"m\": [1, 2], \"n\": [1]}}]}",
       {"/cases/0/zip/n", "'n' has 1 values, 'm' has 2"}},
      {"{\"cases\": [{\"op\": \"matmul\", \"m\": 1, \"zip\": {\"m\": [1]}}]}",
       {"/cases/0: ", "'m' is given twice"}},
      {"{\"cases\": [{\"op\": \"softmax_fwd\", \"n\": 1, \"c\": 2, \"in.x\": 1}]}",
       {"/cases/0/in.x", "\"inputs\": {\"x\""}},
      {"{\"cases\": [{\"op\": \"softmax_fwd\", \"n\": 1, \"c\": 2, \"inputs\": {\"z\": {\"fill\": "
       "1}}}]}",
       {"unknown input 'z'", "in.z"}},
      {"{\"cases\": [{\"op\": \"softmax_fwd\", \"n\": 1, \"c\": 2, \"inputs\": {\"x\": {\"npy\": "
       "\"no.npy\"}}}]}",
       {"/cases/0/inputs/x", "no such file", "no.npy"}},
      {"{\"cases\": [{\"op\": \"softmax_fwd\", \"n\": 1, \"c\": 2, \"inputs\": {\"x\": "
       "{\"values\": [1, \"a\"]}}}]}",
       {"/cases/0/inputs/x/values/1", "got the string \"a\""}},
      {"{\"cases\": [], \"run\": {\"stages\": [\"verfy\"]}}",
       {"/run/stages/0", "did you mean 'verify'"}},
      {"{\"cases\": [], \"run\": {\"recipes\": [\"exact\", \"norml\"]}}",
       {"/run/recipes/1", "did you mean 'normal'"}},
      {"{\"cases\": [], \"run\": {\"repeats\": 0}}", {"/run/repeats", "from 1 to"}},
      {"{\"cases\": [], \"defaults\": {\"dtyp\": \"f32\"}}",
       {"/defaults/dtyp", "did you mean 'dtype'"}},
      {"{\"cases\": [], \"exclude\": [{\"op\": \"matmull\"}]}",
       {"/exclude/0/op", "did you mean 'matmul'"}},
      {"{\"cases\": [], \"exclude\": [{}]}", {"/exclude/0", "exclude everything"}},
      {"{\"cases\": [], \"require\": {\"device\": \"cude\"}}",
       {"/require/device", "did you mean 'cuda'"}},
      {"{\"include\": \"nothing.json\"}", {"/include", "nothing.json", "no such file"}},
      {"{\"cases\": [{\"op\": \"conv_fwd\", \"n\": 1, \"c\": 1, \"h\": 2, \"w\": 2, \"k\": 1,"
       "\n \"r\": 5, \"s\": 1}]}",
       {"sweep.json:", "/cases/0", "conv_fwd", "in the combination conv_fwd n=1"}},
      {"{\"cases\": [{\"op\": \"matmul\", \"m\": {\"range\": [1, 100000]}, \"n\": {\"range\": [1, "
       "100000]}, \"k\": {\"range\": [1, 1000]}}]}",
       {"/cases/0", "more than 10^12", "m: 100000"}},
  };
  for (const BadSweep& bad : sweeps) {
    const std::string message = error_of(bad.text);
    for (const char* part : bad.parts) {
      EXPECT_NE(message.find(part), std::string::npos)
          << bad.text << "\n  message: " << message << "\n  lacks: " << part;
    }
  }
}

TEST_F(PlanTest, DeepNestingIsRefused) {
  EXPECT_NE(error_of(std::string(100, '[') + std::string(100, ']')).find("64 levels"),
            std::string::npos);
}

}  // namespace
}  // namespace wm
