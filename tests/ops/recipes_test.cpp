#include <gtest/gtest.h>

#include <cmath>

#include "ops/op_test_util.hpp"
#include "ops/recipes.hpp"

namespace wm {
namespace {

std::vector<double> filled(const std::string& text, const std::string& recipe,
                           std::uint64_t seed = 1) {
  const Problem problem = resolve(text);
  std::vector<double> values(static_cast<std::size_t>(problem.tensors.front().elements()));
  problem.op->fill(problem, {recipe, seed}, problem.tensors.front(), values);
  return values;
}

std::pair<double, double> mean_and_deviation(const std::vector<double>& values) {
  double mean = 0, square = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) {
    square += (value - mean) * (value - mean) / static_cast<double>(values.size());
  }
  return {mean, std::sqrt(square)};
}

TEST(Recipes, Distributions) {
  const std::string text = "matmul m=100 n=1 k=100";
  const auto [normal_mean, normal_deviation] = mean_and_deviation(filled(text, "normal"));
  EXPECT_NEAR(normal_mean, 0, 0.04);
  EXPECT_NEAR(normal_deviation, 1, 0.03);
  const auto [uniform_mean, uniform_deviation] = mean_and_deviation(filled(text, "uniform"));
  EXPECT_NEAR(uniform_mean, 0, 0.03);
  EXPECT_NEAR(uniform_deviation, 1 / std::sqrt(3.0), 0.02);
  const auto [offset_mean, offset_deviation] = mean_and_deviation(filled(text, "offset:1e4"));
  EXPECT_NEAR(offset_mean, 1e4, 0.04);
  EXPECT_NEAR(offset_deviation, 1, 0.03);
}

TEST(Recipes, ValuesAreOfTheType) {
  for (const double value : filled("matmul m=20 n=1 k=20 dtype=bf16", "normal")) {
    EXPECT_EQ(round_to(DType::bf16, value), value);
  }
}

TEST(Recipes, SeedsAndTensorsAreIndependent) {
  EXPECT_EQ(filled("matmul m=5 n=5 k=5", "normal", 1), filled("matmul m=5 n=5 k=5", "normal", 1));
  EXPECT_NE(filled("matmul m=5 n=5 k=5", "normal", 1), filled("matmul m=5 n=5 k=5", "normal", 2));
  EXPECT_NE(stream_of("x"), stream_of("w"));
  EXPECT_EQ(stream_of(""), 0xcbf29ce484222325U);   // FNV-1a offset basis
  EXPECT_EQ(stream_of("a"), 0xaf63dc4c8601ec8cU);  // published test vector
}

TEST(Recipes, NamesAndVersions) {
  EXPECT_EQ(versioned_recipe("normal"), "normal/1");
  EXPECT_EQ(versioned_recipe("exact"), "exact/1");
  EXPECT_EQ(versioned_recipe("offset:1e4"), "offset:10000/1");
  const auto error = [](const std::string& recipe) -> std::string {
    try {
      check_recipe(recipe);
    } catch (const UsageError& failure) {
      return failure.what();
    }
    return {};
  };
  EXPECT_EQ(error("normal"), "");
  EXPECT_EQ(
      error("norml"),
      "unknown recipe 'norml'; did you mean 'normal'? allowed: exact, normal, uniform, offset:X");
  EXPECT_EQ(
      error("offset:abc"),
      "recipe 'offset:abc': 'abc' is not a finite number; expected offset:X such as offset:1e4");
  EXPECT_NE(error("offset:"), "");
}

TEST(Recipes, ReasonsWhereThereIsNone) {
  const auto reason = [](const std::string& text, const std::string& recipe) {
    const Problem problem = resolve(text);
    return problem.op->has_recipe(problem, recipe).reason;
  };
  EXPECT_EQ(reason("matmul m=1 n=1 k=1 dtype=s8", "normal"),
            "no normal recipe: integer type s8 of 'a'");
  EXPECT_EQ(reason("matmul m=1 n=1 k=1 dtype=f16", "offset:1e6"),
            "no offset:1e6 recipe: 'a' is f16, whose largest finite value is 65504");
  EXPECT_EQ(reason("matmul m=1 n=1 k=1 dtype=f16", "offset:1e4"), "");
  EXPECT_EQ(reason("matmul m=1 n=1 k=1 dtype=s8", "exact"), "");
}

}  // namespace
}  // namespace wm
