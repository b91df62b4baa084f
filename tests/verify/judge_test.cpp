// The judge must pass what is right and see every planted fault, each with the right reason.
#include "verify/judge.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace wm {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Fixture {
  TensorDesc desc{"y", Role::output, DType::f32, {4, 8}, {8, 1}, 0};
  std::vector<double> value, magnitude;
  std::vector<float> got;
  BoundRule rule{};

  Fixture() {
    rule.per_magnitude = 1e-6;
    rule.per_value = 1e-7;
    for (int i = 0; i < 32; ++i) {
      value.push_back(i - 10.5);
      magnitude.push_back(40);
      got.push_back(static_cast<float>(i) - 10.5F);
    }
  }
  double bound(std::size_t i) const {
    return rule.per_magnitude * magnitude[i] + rule.per_value * std::abs(value[i]) + rule.absolute;
  }
  TensorAccuracy run(Gate gate = Gate::precision, std::int64_t depth = 10) const {
    return judge({desc, got.data(), value, magnitude, rule, depth, gate});
  }
};

TEST(Judge, PassesEqualValues) {
  for (const Gate gate : {Gate::indexing, Gate::precision}) {
    const TensorAccuracy accuracy = Fixture().run(gate);
    EXPECT_TRUE(accuracy.ok());
    EXPECT_EQ(accuracy.compared, 32);
    EXPECT_EQ(accuracy.bound_utilisation, 0);
    EXPECT_FALSE(accuracy.degenerate);
  }
}

TEST(Judge, JustInsideAndJustOutsideTheBound) {
  Fixture f;
  f.value[3] = f.got[3] + 0.99 * f.bound(3);
  EXPECT_TRUE(f.run().ok());
  EXPECT_NEAR(f.run().bound_utilisation, 0.99, 0.01);
  f.value[3] = f.got[3] + 1.01 * f.bound(3);
  const TensorAccuracy accuracy = f.run();
  EXPECT_EQ(accuracy.mismatches, 1);
  ASSERT_EQ(accuracy.worst.size(), 1u);
  EXPECT_EQ(accuracy.worst[0].index, (Dims{0, 3}));
}

TEST(Judge, GateISeesOneUlpAndCountsSignsOfZero) {
  Fixture f;
  f.value[0] = 0.0;
  f.got[0] = -0.0F;
  f.got[20] = std::nextafter(f.got[20], 1e9F);
  const TensorAccuracy accuracy = f.run(Gate::indexing);
  EXPECT_EQ(accuracy.mismatches, 1);
  EXPECT_EQ(accuracy.sign_of_zero, 1);
  EXPECT_EQ(accuracy.worst[0].index, (Dims{2, 4}));
  EXPECT_DOUBLE_EQ(accuracy.max_ulp, 1);
}

TEST(Judge, GateIComparesWithTheRoundedReference) {
  Fixture f;
  f.value[5] = 1.0 + 1e-12;  // rounds to 1 in f32
  f.got[5] = 1.0F;
  EXPECT_TRUE(f.run(Gate::indexing).ok());
}

TEST(Judge, SpecialsMustMatch) {
  struct Row {
    double want;
    float got;
    bool ok;
  };
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Row row :
       {Row{kNan, nan, true}, Row{kInf, inf, true}, Row{-kInf, -inf, true}, Row{-kInf, inf, false},
        Row{1, nan, false}, Row{kNan, 1, false}, Row{kInf, 3e38F, false}, Row{1, inf, false},
        Row{3.5e38, inf, true}, Row{3.5e38, -inf, false}}) {
    Fixture f;
    f.value[7] = row.want;
    f.got[7] = row.got;
    EXPECT_EQ(f.run().ok(), row.ok) << row.want << " " << row.got;
  }
}

TEST(Judge, AnInfiniteBoundAcceptsAnythingAndDetectsNothing) {
  Fixture f;
  f.magnitude[4] = kInf;
  f.got[4] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(f.run().ok());
  f.rule.per_magnitude = kInf;
  EXPECT_EQ(f.run().detectability, 0);
}

TEST(Judge, NamesThePattern) {
  Fixture zeros;
  std::fill(zeros.got.begin(), zeros.got.end(), 0.0F);
  EXPECT_NE(zeros.run().pattern.find("zero"), std::string::npos);
  Fixture unwritten;
  unwritten.got[31] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(unwritten.run().pattern.find("1 NaN"), std::string::npos);
}

TEST(Judge, DegenerateReferenceIsNotTrusted) {
  Fixture f;
  for (std::size_t i = 0; i < 32; ++i) {
    f.value[i] = 1e-6;
    f.got[i] = 0;
  }
  EXPECT_TRUE(f.run().ok());
  EXPECT_TRUE(f.run().degenerate);
  f.value[9] = f.got[9] = 1;
  EXPECT_FALSE(f.run().degenerate);
}

TEST(Judge, DetectabilityIsTheLostTermOverTheBound) {
  Fixture f;
  const double bound = 1e-6 * 40 + 1e-7 * 20.5;  // largest |value| has the largest bound
  EXPECT_NEAR(f.run(Gate::precision, 10).detectability, 4 / bound, 1e-3 * 4 / bound);
}

TEST(Judge, KeepsTheWorstEight) {
  Fixture f;
  for (std::size_t i = 0; i < 20; ++i) f.value[i] += 1.0 + static_cast<double>(i);
  const TensorAccuracy accuracy = f.run();
  EXPECT_EQ(accuracy.mismatches, 20);
  ASSERT_EQ(accuracy.worst.size(), 8u);
  for (std::size_t i = 1; i < 8; ++i) {
    const auto error = [&](std::size_t k) {
      return std::abs(accuracy.worst[k].got - accuracy.worst[k].want) / accuracy.worst[k].bound;
    };
    EXPECT_GE(error(i - 1), error(i));
  }
}

TEST(Judge, ReadsStridedTensors) {
  Fixture f;
  f.desc.dims = {2, 3};
  f.desc.strides = {1, 4};
  f.value = {0, 4, 8, 1, 5, 9};
  f.magnitude.assign(6, 1);
  for (int i = 0; i < 32; ++i) f.got[static_cast<std::size_t>(i)] = static_cast<float>(i);
  EXPECT_TRUE(f.run(Gate::indexing).ok());
}

TEST(Judge, StatisticsMatchHandNumbers) {
  Fixture f;
  f.got[0] = static_cast<float>(f.value[0]) + 1;
  f.got[1] = static_cast<float>(f.value[1]) - 3;
  const TensorAccuracy accuracy = f.run();
  EXPECT_DOUBLE_EQ(accuracy.max_abs, 3);
  EXPECT_DOUBLE_EQ(accuracy.bias, -2.0 / 32);
  EXPECT_DOUBLE_EQ(accuracy.rms, std::sqrt(10.0 / 32));
}

TEST(Judge, UlpOfEachType) {
  EXPECT_DOUBLE_EQ(ulp_of(DType::f32, 1.0), std::ldexp(1.0, -23));
  EXPECT_DOUBLE_EQ(ulp_of(DType::f16, 1.5), std::ldexp(1.0, -10));
  EXPECT_DOUBLE_EQ(ulp_of(DType::bf16, 3.0), std::ldexp(1.0, -6));
  EXPECT_DOUBLE_EQ(ulp_of(DType::f16, 0.0), std::ldexp(1.0, -24));
}

}  // namespace
}  // namespace wm
