#include "reference/activation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/activation_math.hpp"
#include "reference/random_values.hpp"

namespace wm {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<ActivationFn> all_functions() {
  std::vector<ActivationFn> functions;
  for (const std::string& name : activation_names()) {
    functions.push_back(*parse_activation(name));
  }
  return functions;
}

ActivationProblem problem_of(ActivationFn fn, bool backward) {
  ActivationProblem p;
  p.fn = fn;
  p.backward = backward;
  p.alpha = default_alpha(fn);
  p.beta = default_beta(fn);
  return p;
}

ValuesAndMagnitudes run(ActivationFn fn, bool backward, const std::vector<double>& x,
                        const std::vector<double>& dy = {}) {
  return activation_reference(problem_of(fn, backward), {x, dy}, Claims(), false);
}

/// The definitions as the catalogue of functions prints them, without care for tails.
template <class Real>
Real textbook(ActivationFn fn, Real x) {
  const auto alpha = static_cast<Real>(default_alpha(fn));
  const auto beta = static_cast<Real>(default_beta(fn));
  const Real zero = 0;
  switch (fn) {
    case ActivationFn::identity:
      return x;
    case ActivationFn::relu:
      return x > 0 ? x : zero;
    case ActivationFn::sigmoid:
      return 1 / (1 + std::exp(-x));
    case ActivationFn::tanh:
      return std::sinh(x) / std::cosh(x);
    case ActivationFn::clipped_relu:
      return x < 0 ? zero : x > alpha ? alpha : x;
    case ActivationFn::leaky_relu:
      return x < 0 ? alpha * x : x;
    case ActivationFn::elu:
      return x < 0 ? alpha * (std::exp(x) - 1) : x;
    case ActivationFn::gelu:
      return x / 2 * (1 + std::erf(x / std::sqrt(Real(2))));
    case ActivationFn::gelu_tanh: {
      const Real pi = std::acos(Real(-1));
      return x / 2 * (1 + std::tanh(std::sqrt(2 / pi) * (x + Real(0.044715L) * x * x * x)));
    }
    case ActivationFn::swish:
      return x / (1 + std::exp(-beta * x));
    case ActivationFn::softplus:
      return std::log(1 + std::exp(beta * x)) / beta;
    case ActivationFn::mish:
      return x * std::tanh(std::log(1 + std::exp(x)));
    case ActivationFn::hardswish: {
      const Real shifted = x + 3;
      return x * (shifted < 0 ? zero : shifted > 6 ? Real(6) : shifted) / 6;
    }
  }
  return x;
}

std::vector<double> sample_points() {
  std::mt19937 random(1);
  std::vector<double> x = random_floats(random, 500, 3);
  for (const double value : {-3.5, -3.0, -1.0, 0.0, 1.0, 3.0, 6.0, 7.5}) x.push_back(value);
  return x;
}

TEST(ActivationReference, AgreesWithTheDefinitions) {
  const std::vector<double> x = sample_points();
  for (const ActivationFn fn : all_functions()) {
    const ValuesAndMagnitudes y = run(fn, false, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const long double expected = textbook<long double>(fn, x[i]);
      ASSERT_NEAR(y.value[i], static_cast<double>(expected), 1e-15 * (1 + std::abs(x[i])))
          << name_of(fn) << " at " << x[i];
    }
  }
}

TEST(ActivationReference, DerivativeAgreesWithCentralDifferences) {
  const std::vector<double> x = sample_points();
  const std::vector<double> dy(x.size(), 2);
  for (const ActivationFn fn : all_functions()) {
    const ValuesAndMagnitudes dx = run(fn, true, x, dy);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const long double h = 0x1p-21L;
      const long double at = x[i];
      const bool kink = x[i] == 0 || std::abs(x[i]) == 3 || x[i] == 6;
      if (kink) continue;
      const long double slope =
          (textbook<long double>(fn, at + h) - textbook<long double>(fn, at - h)) / (2 * h);
      ASSERT_NEAR(dx.value[i], static_cast<double>(2 * slope), 1e-11)
          << name_of(fn) << " at " << x[i];
    }
  }
}

TEST(ActivationReference, DerivativesAtKinks) {
  const auto slope = [](ActivationFn fn, double x) { return run(fn, true, {x}, {1}).value[0]; };
  EXPECT_EQ(slope(ActivationFn::relu, 0), 0);
  EXPECT_EQ(slope(ActivationFn::leaky_relu, 0), 0.01);
  EXPECT_EQ(slope(ActivationFn::elu, 0), 1);
  EXPECT_EQ(slope(ActivationFn::clipped_relu, 0), 0);
  EXPECT_EQ(slope(ActivationFn::clipped_relu, 6), 0);
  EXPECT_EQ(slope(ActivationFn::hardswish, -3), 0);
  EXPECT_EQ(slope(ActivationFn::hardswish, 3), 1);
}

TEST(ActivationReference, TailsKeepFullRelativeAccuracy) {
  for (const ActivationFn fn :
       {ActivationFn::gelu, ActivationFn::gelu_tanh, ActivationFn::swish, ActivationFn::mish,
        ActivationFn::softplus, ActivationFn::sigmoid}) {
    for (const double x : {-5.0, -9.0, -13.0}) {
      const double narrow = run(fn, false, {x}).value[0];
      const auto wide = static_cast<double>(
          activation<long double>(fn, default_alpha(fn), default_beta(fn), x).value);
      EXPECT_LT(wide == 0 ? 1 : std::abs(narrow / wide - 1), 1e-12) << name_of(fn) << " " << x;
      const double slope = run(fn, true, {x}, {1}).value[0];
      const auto wide_slope = static_cast<double>(
          activation_slope<long double>(fn, default_alpha(fn), default_beta(fn), x).value);
      EXPECT_LT(std::abs(slope / wide_slope - 1), 1e-11) << name_of(fn) << " " << x;
    }
  }
}

TEST(ActivationReference, SpecialValues) {
  for (const ActivationFn fn : all_functions()) {
    EXPECT_TRUE(std::isnan(run(fn, false, {std::nan("")}).value[0])) << name_of(fn);
    const std::vector<double> y = run(fn, false, {kInfinity, -kInfinity}).value;
    EXPECT_FALSE(std::isnan(y[0]) || std::isnan(y[1])) << name_of(fn);
    const std::vector<double> dx = run(fn, true, {kInfinity, -kInfinity}, {1, 1}).value;
    EXPECT_TRUE(std::isfinite(dx[0]) && std::isfinite(dx[1])) << name_of(fn);
  }
  EXPECT_EQ(run(ActivationFn::swish, false, {-kInfinity}).value[0], 0);
  EXPECT_EQ(run(ActivationFn::gelu, false, {kInfinity}).value[0], kInfinity);
  EXPECT_EQ(run(ActivationFn::mish, true, {kInfinity}, {1}).value[0], 1);
  EXPECT_EQ(run(ActivationFn::softplus, false, {-kInfinity}).value[0], 0);
}

TEST(ActivationReference, ExactFunctionsHaveNoError) {
  for (const ActivationFn fn : {ActivationFn::identity, ActivationFn::relu}) {
    for (const double magnitude : run(fn, false, {-2, 0, 3}).magnitude) EXPECT_EQ(magnitude, 0);
    for (const double magnitude : run(fn, true, {-2, 0, 3}, {5, 6, 7}).magnitude) {
      EXPECT_EQ(magnitude, 0);
    }
  }
  EXPECT_EQ(run(ActivationFn::hardswish, false, {4}).magnitude[0], 0);
  EXPECT_GT(run(ActivationFn::hardswish, false, {1}).magnitude[0], 0);
}

/// Derivative in float in the plain forms whose error is a few ulp of the largest term.
float float_slope(ActivationFn fn, float x) {
  const auto s = [](float t) { return 1 / (1 + std::exp(-t)); };
  switch (fn) {
    case ActivationFn::sigmoid:
      return s(x) * s(-x);
    case ActivationFn::elu:
      return x > 0 ? 1 : std::exp(x);
    case ActivationFn::softplus:
      return s(x);
    case ActivationFn::swish:
      return s(x) * (1 + x * s(-x));
    case ActivationFn::gelu:
      return std::erfc(-x * 0.70710678F) / 2 + x * std::exp(-x * x / 2) * 0.39894228F;
    default:
      return std::nanf("");
  }
}

TEST(ActivationReference, BoundHoldsForFloatAndIsNotVacuous) {
  std::mt19937 random(2);
  const std::vector<double> x = random_floats(random, 5000, 1);
  const std::vector<double> dy = random_floats(random, 5000);
  const auto check = [&](ActivationFn fn, bool backward, auto&& computed) {
    const ValuesAndMagnitudes expected = run(fn, backward, x, dy);
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double error = std::abs(computed(i) - expected.value[i]);
      if (error > 0) largest = std::max(largest, error / expected.magnitude[i]);
    }
    EXPECT_LE(largest, 1) << name_of(fn) << (backward ? " backward" : " forward");
    EXPECT_GE(largest, 0.05) << name_of(fn) << (backward ? " backward" : " forward");
  };
  for (const ActivationFn fn : {ActivationFn::sigmoid, ActivationFn::tanh, ActivationFn::elu,
                                ActivationFn::leaky_relu, ActivationFn::softplus}) {
    check(fn, false, [&](std::size_t i) -> double {
      const auto at = static_cast<float>(x[i]);
      if (fn == ActivationFn::tanh) return std::tanh(at);
      if (fn == ActivationFn::elu) return at > 0 ? at : std::expm1(at);
      if (fn == ActivationFn::softplus) return std::log1p(std::exp(at));
      return textbook<float>(fn, at);
    });
  }
  for (const ActivationFn fn : {ActivationFn::sigmoid, ActivationFn::elu, ActivationFn::softplus,
                                ActivationFn::swish, ActivationFn::gelu}) {
    check(fn, true, [&](std::size_t i) -> double {
      return static_cast<float>(dy[i]) * float_slope(fn, static_cast<float>(x[i]));
    });
  }
}

TEST(ActivationReference, WideBoundCoversTheReferenceItself) {
  // float64 libm against the long double reference under f64 claims.
  std::mt19937 random(3);
  const std::vector<double> x = random_floats(random, 2000, 8);
  Claims claims;
  claims.acc = DType::f64;
  const ValuesAndMagnitudes expected =
      activation_reference(problem_of(ActivationFn::tanh, false), {x, {}}, claims, true);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_LE(std::abs(std::tanh(x[i]) - expected.value[i]), expected.magnitude[i]);
    EXPECT_LE(expected.magnitude[i], 20 * 0x1p-53 * std::abs(expected.value[i]) + 1e-300);
  }
}

}  // namespace
}  // namespace wm
