#include "ops/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "ops/linear.hpp"
#include "ops/op_test_util.hpp"

namespace wm {
namespace {

Claims sequential(double height, DType acc = DType::f32) {
  Claims claims;
  claims.acc = acc;
  claims.tree_height = height;
  return claims;
}

TEST(Bounds, Gamma) {
  EXPECT_EQ(gamma_factor(0, 0x1p-24), 0);
  EXPECT_EQ(gamma_factor(4, 0.125), 1);
  EXPECT_TRUE(std::isinf(gamma_factor(8, 0.125)));
}

// Powers of two chosen so that every term can be written down.
TEST(Bounds, LinearByHand) {
  const double gamma = 0x1p-14 / (1 - 0x1p-14);  // 1024 * 2^-24
  const double reference = 1025 * 0x1p-53 / (1 - 1025 * 0x1p-53);
  const BoundRule same = linear_bound(sequential(1024), DType::f32, 0, 1, 0, 1024);
  EXPECT_DOUBLE_EQ(same.per_magnitude, gamma + reference);
  EXPECT_EQ(same.per_value, 0x1p-53);
  EXPECT_DOUBLE_EQ(same.absolute, 1024 * 0x1p-150 * (1 + gamma));

  const BoundRule half = linear_bound(sequential(1024), DType::f16, 0, 1, 0, 1024);
  EXPECT_DOUBLE_EQ(half.per_magnitude, (1 + 0x1p-11) * gamma + reference);
  EXPECT_DOUBLE_EQ(half.per_value, 0x1p-11 + 0x1p-53);
  EXPECT_DOUBLE_EQ(half.absolute, 0x1p-25 + (1 + 0x1p-11) * 1024 * 0x1p-150 * (1 + gamma));

  const BoundRule epilogue = linear_bound(sequential(1020), DType::f32, 4, 1, 0, 1020);
  EXPECT_DOUBLE_EQ(epilogue.per_magnitude, gamma + reference);

  const BoundRule activation = linear_bound(sequential(1024), DType::f32, 0, 1.5, 4, 1024);
  EXPECT_DOUBLE_EQ(activation.per_magnitude, (1 + 0x1p-21) * 1.5 * gamma + 1.5 * reference);
  EXPECT_DOUBLE_EQ(activation.per_value, 0x1p-21 + 0x1p-53);
}

TEST(Bounds, DownConversion) {
  Claims claims = sequential(1024);
  const double gamma = 0x1p-14 / (1 - 0x1p-14);
  const double reference = 1025 * 0x1p-53 / (1 - 1025 * 0x1p-53);
  claims.down_conversion = "tf32_rounded";
  const double d = 0x1p-10 + 0x1p-22;
  EXPECT_DOUBLE_EQ(linear_bound(claims, DType::f32, 0, 1, 0, 1024).per_magnitude,
                   gamma + d + gamma * d + reference);
  claims.down_conversion = "tf32_truncated";
  EXPECT_GT(linear_bound(claims, DType::f32, 0, 1, 0, 1024).per_magnitude, 0x1p-9);
  claims.down_conversion = "tf32";
  EXPECT_THROW(linear_bound(claims, DType::f32, 0), UsageError);
}

TEST(Bounds, TheReferencesOwnRoundingFollowsTheOperands) {
  const auto rule = [](const std::string& dtype) {
    const Problem problem = resolve("matmul m=1 n=1 k=1024 acc=f64 dtype=" + dtype);
    return problem.op->bound_rule(problem, problem.tensor("d"), sequential(1024, DType::f64));
  };
  const double gamma = 0x1p-43 / (1 - 0x1p-43);
  EXPECT_DOUBLE_EQ(rule("f64").per_magnitude, gamma + 1025 * 0x1p-64 / (1 - 1025 * 0x1p-64));
  EXPECT_EQ(rule("f64").per_value, 0x1p-53);
  EXPECT_DOUBLE_EQ(rule("f32.f32.f64").per_magnitude,
                   gamma + 1025 * 0x1p-53 / (1 - 1025 * 0x1p-53));
}

TEST(Bounds, IntegersAreExactUntilTheEpilogue) {
  const BoundRule plain = linear_bound(sequential(1000, DType::s32), DType::s32, 0, 1, 0, 1000);
  EXPECT_EQ(plain.per_magnitude, gamma_factor(1001, 0x1p-53));
  EXPECT_EQ(plain.absolute, 0);
  const BoundRule scaled = linear_bound(sequential(1000, DType::s32), DType::s8, 1, 1, 0, 1000);
  EXPECT_DOUBLE_EQ(scaled.per_magnitude, gamma_factor(2, 0x1p-24) + gamma_factor(1002, 0x1p-53));
  EXPECT_GE(scaled.absolute, 0.5);
}

TEST(Bounds, UndefinedWhereGammaIs) {
  const BoundRule rule = linear_bound(sequential(2048, DType::f16), DType::f16, 0, 1, 0, 2048);
  EXPECT_FALSE(rule.defined);
  EXPECT_NE(rule.text.find("h u >= 1"), std::string::npos);
  EXPECT_TRUE(linear_bound(sequential(2047, DType::f16), DType::f16, 0).defined);
}

TEST(Bounds, TrackedByHand) {
  const BoundRule rule = tracked_bound(sequential(0), DType::bf16);
  EXPECT_DOUBLE_EQ(rule.per_magnitude, 1 + 0x1p-8);
  EXPECT_DOUBLE_EQ(rule.per_value, 0x1p-8 + 0x1p-53);
  EXPECT_EQ(rule.absolute, 0x1p-134);
}

// A sum in f16 with every operation rounded stays inside its bound; a lost term does not.
TEST(Bounds, HoldsForRealSumsAndSeesALostTerm) {
  std::mt19937 engine(5);
  const auto random = [&] {
    return round_to(DType::f16, static_cast<double>(engine() % 2000) / 1000.0 - 1);
  };
  constexpr int kTerms = 24;
  const BoundRule rule =
      linear_bound(sequential(2 * kTerms, DType::f16), DType::f16, 0, 1, 0, kTerms);
  double closest = 0;
  int lost_seen = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    double sum = 0, exact = 0, magnitude = 0, last = 0;
    for (int i = 0; i < kTerms; ++i) {
      const double a = random(), b = random();
      last = a * b;
      sum = round_to(DType::f16, sum + round_to(DType::f16, last));
      exact += last;
      magnitude += std::abs(last);
    }
    const double bound =
        rule.per_magnitude * magnitude + rule.per_value * std::abs(exact) + rule.absolute;
    const double error = std::abs(sum - exact);
    EXPECT_LE(error, bound);
    closest = std::max(closest, error / bound);
    if (std::abs(sum - last - exact) > bound) ++lost_seen;
  }
  EXPECT_GT(closest, 0.03);
  EXPECT_GT(lost_seen, 600);
}

TEST(Bounds, EpilogueRoundings) {
  EXPECT_EQ(epilogue_roundings({}, DType::f32, DType::f32), 0);
  EXPECT_EQ(epilogue_roundings({.alpha = 2}, DType::f32, DType::f32), 1);
  EXPECT_EQ(epilogue_roundings({.alpha = 0.3}, DType::f32, DType::f32), 2);
  EXPECT_EQ(epilogue_roundings({.alpha = 0.3}, DType::f64, DType::f64), 1);
  EXPECT_EQ(epilogue_roundings({.alpha = 0.3, .beta = 1, .residual = 1, .bias = true}, DType::f32,
                               DType::f32),
            5);
  EXPECT_EQ(epilogue_roundings({.beta = 1}, DType::f32, DType::f64), 2);
}

TEST(Bounds, OpsPassTheirDepthAndEpilogue) {
  const Problem problem = resolve("conv_fwd n=1 c=64 h=8 w=8 k=4 r=4 s=4 bias=1 dtype=f32");
  const BoundRule rule = problem.op->bound_rule(problem, problem.tensor("y"), sequential(1023));
  EXPECT_DOUBLE_EQ(rule.per_magnitude, gamma_factor(1024, 0x1p-24) + gamma_factor(1026, 0x1p-53));
}

struct Shape {
  ActivationFn fn;
  double alpha, beta;
  std::function<double(double)> value;
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double gelu_argument(double x) { return 0.7978845608028654 * (x + 0.044715 * x * x * x); }

TEST(Bounds, LipschitzConstantsAreTheLargestSlopes) {
  const std::vector<Shape> shapes{
      {ActivationFn::sigmoid, 0, 0, sigmoid},
      {ActivationFn::tanh, 0, 0, [](double x) { return std::tanh(x); }},
      {ActivationFn::leaky_relu, -2, 0, [](double x) { return x > 0 ? x : -2 * x; }},
      {ActivationFn::elu, 3, 0, [](double x) { return x > 0 ? x : 3 * std::expm1(x); }},
      {ActivationFn::gelu, 0, 0,
       [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2))); }},
      {ActivationFn::gelu_tanh, 0, 0,
       [](double x) { return 0.5 * x * (1 + std::tanh(gelu_argument(x))); }},
      {ActivationFn::swish, 0, 2.5, [](double x) { return x * sigmoid(2.5 * x); }},
      {ActivationFn::softplus, 0, 2, [](double x) { return std::log1p(std::exp(2 * x)) / 2; }},
      {ActivationFn::mish, 0, 0, [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
      {ActivationFn::hardswish, 0, 0,
       [](double x) { return x * std::min(std::max(x + 3, 0.0), 6.0) / 6; }}};
  for (const Shape& shape : shapes) {
    const double constant = lipschitz_constant(shape.fn, shape.alpha, shape.beta);
    double largest = 0;
    constexpr double kStep = 1e-4;
    for (double x = -12; x < 12; x += kStep) {
      largest = std::max(largest, std::abs(shape.value(x + kStep) - shape.value(x)) / kStep);
    }
    EXPECT_LE(largest, constant * (1 + 1e-10)) << name_of(shape.fn);
    EXPECT_GE(largest, constant * (1 - 1e-4)) << name_of(shape.fn);
  }
}

}  // namespace
}  // namespace wm
