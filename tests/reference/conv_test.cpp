#include "reference/conv.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/conv_sums.hpp"
#include "reference/naive_conv.hpp"
#include "reference/random_values.hpp"
#include "reference/reference.hpp"

namespace wm {
namespace {

constexpr ConvDirection kDirections[] = {ConvDirection::fwd, ConvDirection::bwd_data,
                                         ConvDirection::bwd_filter};

/// Sets out[] from the other sizes; false where an output size would be below 1.
bool set_output(ConvProblem& p) {
  for (int i = 0; i < 3; ++i) {
    const std::int64_t window = (p.filter[i] - 1) * p.dilation[i] + 1;
    const std::int64_t room = p.in[i] + p.pad_begin[i] + p.pad_end[i] - window;
    if (room < 0) return false;
    p.out[i] = room / p.stride[i] + 1;
  }
  return true;
}

NaiveConvData random_data(const ConvProblem& p, std::mt19937& random, float scale = 1) {
  const std::int64_t x = p.n * p.c * p.in_positions();
  const std::int64_t y = p.n * p.k * p.out_positions();
  const std::int64_t w = p.k * p.c_per_group() * p.filter_taps();
  NaiveConvData data;
  data.x = random_floats(random, x, scale);
  data.w = random_floats(random, w);
  data.dy = random_floats(random, y);
  data.z = random_floats(random, y);
  data.bias = random_floats(random, p.k);
  const bool fwd = p.direction == ConvDirection::fwd;
  data.prior = random_floats(random, fwd ? y : p.direction == ConvDirection::bwd_data ? x : w);
  return data;
}

ConvArrays arrays_of(const NaiveConvData& data) {
  return {data.x, data.w, data.dy, data.prior, data.z, data.bias};
}

void expect_agreement(const ConvProblem& p, const NaiveConvData& data, bool wide) {
  const NaiveResult naive = naive_conv(p, data);
  const ValuesAndMagnitudes result = conv_reference(p, arrays_of(data), wide);
  ASSERT_EQ(result.value.size(), naive.value.size());
  const double slack = wide ? 1e-18 : 1e-12;
  // The factors of the reference, 1 + 4 (path + 8) u and 1 + 2^-50, and the sum's own rounding.
  const double excess = 5 * (conv_sum_path(p) + 8) * (wide ? 0x1p-53 : 0x1p-24) + 0x1p-49;
  for (std::size_t i = 0; i < naive.value.size(); ++i) {
    const double rounding = wide ? 0x1p-53 * std::abs(result.value[i]) : 0;
    ASSERT_LE(std::fabs(result.value[i] - naive.value[i]), slack * naive.magnitude[i] + rounding)
        << "value at " << i;
    ASSERT_GE(result.magnitude[i], naive.magnitude[i]) << "magnitude at " << i;
    ASSERT_LE(result.magnitude[i], naive.magnitude[i] * (1 + excess) + 1e-300)
        << "magnitude at " << i;
  }
}

ConvProblem random_problem(std::mt19937& random) {
  ConvProblem p;
  do {
    p = ConvProblem();
    p.rank = static_cast<int>(pick(random, 1, 3));
    p.groups = pick(random, 1, 3);
    p.n = pick(random, 1, 3);
    p.c = p.groups * pick(random, 1, 3);
    p.k = p.groups * pick(random, 1, 4);
    for (int i = 3 - p.rank; i < 3; ++i) {
      p.in[i] = pick(random, 1, 6);
      p.filter[i] = pick(random, 1, 3);
      p.pad_begin[i] = pick(random, -1, 3);
      p.pad_end[i] = pick(random, -1, 3);
      p.stride[i] = pick(random, 1, 4);
      p.dilation[i] = pick(random, 1, 3);
    }
  } while (!set_output(p));
  p.flip = pick(random, 0, 1) == 1;
  p.alpha = pick(random, 0, 1) == 1 ? 1 : -0.75;
  p.beta = pick(random, 0, 1) == 1 ? 0 : 0.5;
  p.bias = pick(random, 0, 1) == 1;
  p.residual = pick(random, 0, 1) == 1 ? 0 : 1.5;
  return p;
}

TEST(ConvReference, AgreesWithNaiveLoopsOnRandomProblems) {
  std::mt19937 random(20240611);
  for (int round = 0; round < 300; ++round) {
    ConvProblem p = random_problem(random);
    for (const ConvDirection direction : kDirections) {
      p.direction = direction;
      SCOPED_TRACE("round " + std::to_string(round) + " direction " +
                   std::to_string(static_cast<int>(direction)));
      const NaiveConvData data = random_data(p, random);
      expect_agreement(p, data, false);
      expect_agreement(p, data, true);
      if (HasFatalFailure()) return;
    }
  }
}

/// Shapes with sizes (h w; filter; pads begin and end; stride; dilation) that broke other
/// libraries.
struct Corner {
  const char* why;
  std::int64_t n, c, k, groups;
  std::array<std::int64_t, 3> in, filter, pad_begin, pad_end, stride, dilation;
};
const Corner kCorners[] = {
    {"asymmetric padding",
     1,
     2,
     3,
     1,
     {1, 7, 7},
     {1, 3, 3},
     {0, 2, 2},
     {0, 4, 4},
     {1, 1, 1},
     {1, 1, 1}},
    {"mixed padding",
     1,
     2,
     3,
     1,
     {1, 16, 16},
     {1, 3, 3},
     {0, 1, 0},
     {0, 0, 1},
     {1, 1, 1},
     {1, 1, 1}},
    {"negative end padding",
     2,
     3,
     2,
     1,
     {1, 2, 2},
     {1, 1, 1},
     {0, 0, 0},
     {0, -1, -1},
     {1, 3, 3},
     {1, 1, 1}},
    {"filter wider than image",
     1,
     2,
     2,
     1,
     {1, 7, 7},
     {1, 11, 11},
     {0, 5, 5},
     {0, 5, 5},
     {1, 2, 2},
     {1, 1, 1}},
    {"one real tap", 1, 2, 2, 1, {1, 1, 1}, {1, 5, 5}, {0, 4, 4}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}},
    {"almost only padding",
     1,
     1,
     2,
     1,
     {1, 1, 1},
     {1, 1, 3},
     {0, 0, 100},
     {0, 0, 1},
     {1, 1, 1},
     {1, 1, 1}},
    {"large dilated filter",
     1,
     1,
     1,
     1,
     {1, 55, 3},
     {1, 30, 1},
     {0, 29, 0},
     {0, 57, 0},
     {1, 3, 1},
     {1, 3, 1}},
    {"image below stride",
     1,
     2,
     2,
     1,
     {1, 1, 1},
     {1, 3, 3},
     {0, 1, 1},
     {0, 1, 1},
     {1, 2, 2},
     {1, 1, 1}},
    {"wide filter",
     1,
     1,
     2,
     1,
     {1, 1, 80},
     {1, 1, 31},
     {0, 0, 15},
     {0, 0, 15},
     {1, 1, 1},
     {1, 1, 1}},
    {"3D padding 2", 1, 2, 3, 1, {2, 1, 1}, {3, 1, 1}, {2, 0, 0}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}},
    {"depthwise", 1, 13, 13, 13, {1, 5, 5}, {1, 3, 3}, {0, 1, 1}, {0, 1, 1}, {1, 1, 1}, {1, 1, 1}},
    {"depthwise multiplier",
     2,
     7,
     14,
     7,
     {1, 4, 5},
     {1, 3, 3},
     {0, 1, 1},
     {0, 1, 1},
     {1, 2, 2},
     {1, 1, 1}},
    {"vector tails",
     1,
     19,
     33,
     1,
     {1, 4, 4},
     {1, 3, 3},
     {0, 1, 1},
     {0, 1, 1},
     {1, 1, 1},
     {1, 1, 1}},
    {"grouped 1x1", 1, 6, 16, 2, {1, 3, 3}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}},
    {"strided dilated 5x5",
     1,
     1,
     2,
     1,
     {1, 21, 21},
     {1, 5, 5},
     {0, 3, 0},
     {0, 3, 0},
     {1, 2, 1},
     {1, 4, 2}},
    {"stride past the filter",
     1,
     2,
     2,
     1,
     {1, 9, 9},
     {1, 2, 2},
     {0, 0, 0},
     {0, 0, 0},
     {1, 4, 5},
     {1, 1, 1}},
    {"more channels than a task",
     1,
     40,
     140,
     1,
     {1, 3, 3},
     {1, 3, 3},
     {0, 1, 1},
     {0, 1, 1},
     {1, 1, 1},
     {1, 1, 1}},
};

TEST(ConvReference, AgreesWithNaiveLoopsOnCornerShapes) {
  std::mt19937 random(7);
  for (const Corner& corner : kCorners) {
    ConvProblem p;
    p.n = corner.n, p.c = corner.c, p.k = corner.k, p.groups = corner.groups;
    p.in = corner.in, p.filter = corner.filter, p.stride = corner.stride;
    p.pad_begin = corner.pad_begin, p.pad_end = corner.pad_end, p.dilation = corner.dilation;
    ASSERT_TRUE(set_output(p)) << corner.why;
    for (const ConvDirection direction : kDirections) {
      p.direction = direction;
      SCOPED_TRACE(corner.why);
      expect_agreement(p, random_data(p, random), false);
    }
  }
}

TEST(ConvReference, SeveralPositionBlocksAreTheSameAsOne) {
  // 1D, so long that every direction splits its positions: 5000 outputs, blocks of at most 4096.
  std::mt19937 random(11);
  ConvProblem p;
  p.rank = 1, p.c = 40, p.k = 3, p.in = {1, 1, 5000}, p.filter = {1, 1, 3};
  p.pad_begin = {0, 0, 1}, p.pad_end = {0, 0, 1};
  ASSERT_TRUE(set_output(p));
  for (const ConvDirection direction : kDirections) {
    p.direction = direction;
    const NaiveConvData data = random_data(p, random);
    const ValuesAndMagnitudes narrow = conv_reference(p, arrays_of(data), false);
    const ValuesAndMagnitudes wide = conv_reference(p, arrays_of(data), true);
    for (std::size_t i = 0; i < wide.value.size(); ++i) {
      ASSERT_NEAR(narrow.value[i], wide.value[i], 1e-12 * wide.magnitude[i]);
      ASSERT_GE(narrow.magnitude[i], wide.magnitude[i] * (1 - 1e-11));
    }
  }
}

TEST(ConvReference, ResultsDoNotDependOnThreads) {
  std::mt19937 random(3);
  ConvProblem p;
  p.n = 2, p.c = 20, p.k = 150, p.in = {1, 20, 20}, p.filter = {1, 3, 3};
  ASSERT_TRUE(set_output(p));
  for (const ConvDirection direction : kDirections) {
    p.direction = direction;
    const NaiveConvData data = random_data(p, random);
    set_reference_threads(1);
    const ValuesAndMagnitudes one = conv_reference(p, arrays_of(data), false);
    set_reference_threads(5);
    const ValuesAndMagnitudes five = conv_reference(p, arrays_of(data), false);
    set_reference_threads(0);
    EXPECT_EQ(one.value, five.value);
    EXPECT_EQ(one.magnitude, five.magnitude);
  }
}

TEST(ConvReference, EmptyBatchGivesZeroWeightGradient) {
  std::mt19937 random(5);
  ConvProblem p;
  p.n = 0, p.c = 2, p.k = 3, p.in = {1, 4, 4}, p.filter = {1, 3, 3};
  ASSERT_TRUE(set_output(p));
  p.direction = ConvDirection::bwd_filter;
  NaiveConvData data = random_data(p, random);
  EXPECT_EQ(conv_reference(p, arrays_of(data), false).value, std::vector<double>(54, 0.0));
  p.beta = 2;
  const std::vector<double> blended = conv_reference(p, arrays_of(data), false).value;
  for (std::size_t i = 0; i < 54; ++i) EXPECT_EQ(blended[i], 2 * data.prior[i]);
  p.direction = ConvDirection::fwd;
  EXPECT_TRUE(conv_reference(p, arrays_of(data), false).value.empty());
}

TEST(ConvReference, UntouchedInputsHaveZeroGradient) {
  std::mt19937 random(6);
  ConvProblem p;
  p.direction = ConvDirection::bwd_data;
  p.in = {1, 1, 7}, p.stride = {1, 1, 3}, p.filter = {1, 1, 1};
  ASSERT_TRUE(set_output(p));
  const ValuesAndMagnitudes result = conv_reference(p, arrays_of(random_data(p, random)), false);
  for (const std::size_t i : {1, 2, 4, 5}) {
    EXPECT_EQ(result.value[i], 0);
    EXPECT_LT(result.magnitude[i], 1e-300);
  }
  EXPECT_NE(result.value[3], 0);
}

TEST(ConvReference, InfiniteWeightOnPaddingAddsNothing) {
  ConvProblem p;
  p.in = {1, 1, 3}, p.filter = {1, 1, 3}, p.pad_begin = {0, 0, 1}, p.pad_end = {0, 0, 1};
  ASSERT_TRUE(set_output(p));
  NaiveConvData data;
  data.x = {1, 2, 3};
  data.w = {std::numeric_limits<double>::infinity(), 1, 0};
  const std::vector<double> y = conv_reference(p, arrays_of(data), false).value;
  EXPECT_EQ(y[0], 1);  // the infinite tap lies on padding
  EXPECT_EQ(y[1], data.w[0]);
  data.x[1] = 0;
  EXPECT_TRUE(std::isnan(conv_reference(p, arrays_of(data), false).value[2]));  // inf * 0
}

TEST(ConvReference, TinyAndHugeFactorsKeepTheMagnitudeAnUpperBound) {
  std::mt19937 random(8);
  ConvProblem p;
  p.c = 3, p.k = 2, p.in = {1, 4, 4}, p.filter = {1, 3, 3};
  ASSERT_TRUE(set_output(p));
  for (const float scale : {1e-38f, 1e-25f, 1e25f, 1e37f}) {
    NaiveConvData data = random_data(p, random, scale);
    for (double& w : data.w) w *= scale;
    expect_agreement(p, data, false);
  }
}

TEST(ConvReference, AppliesTheActivationLast) {
  std::mt19937 random(9);
  ConvProblem p;
  p.c = 2, p.k = 2, p.in = {1, 3, 3}, p.filter = {1, 2, 2}, p.bias = true, p.residual = 1;
  ASSERT_TRUE(set_output(p));
  const NaiveConvData data = random_data(p, random);
  const NaiveResult naive = naive_conv(p, data);
  p.act = ActivationFn::relu;
  const ValuesAndMagnitudes result = conv_reference(p, arrays_of(data), false);
  bool clipped = false;
  for (std::size_t i = 0; i < result.value.size(); ++i) {
    const double before = static_cast<double>(naive.value[i]);
    clipped = clipped || before < 0;
    EXPECT_NEAR(result.value[i], std::max(0.0, before), 1e-12);
    EXPECT_GE(result.magnitude[i], static_cast<double>(naive.magnitude[i]));
  }
  EXPECT_TRUE(clipped);
}

}  // namespace
}  // namespace wm
