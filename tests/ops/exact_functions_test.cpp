// The exact recipes of softmax and the activations: evaluated in the accumulation type with every
// operation rounded, in two orders or two formulas, the output equals the rounded true value.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "ops/activation.hpp"
#include "ops/activation_exact.hpp"
#include "ops/random_problems.hpp"
#include "ops/softmax.hpp"
#include "ops/softmax_recipes.hpp"

namespace wm {
namespace {

std::vector<double> filled(const Problem& problem, const std::string& tensor,
                           const std::string& recipe = "exact") {
  const TensorDesc& desc = problem.tensor(tensor);
  std::vector<double> values(static_cast<std::size_t>(desc.elements()), -1e300);
  problem.op->fill(problem, {recipe, 1}, desc, values);
  for (const double value : values) EXPECT_EQ(round_to(desc.dtype, value), value);
  return values;
}

template <class T>
T rounded(DType acc, T value) {
  if constexpr (std::is_same_v<T, long double>) return value;
  return static_cast<T>(round_to(acc, static_cast<double>(value)));
}

/// One row of x (or y, dy) to y (or dx); T = long double: the true value.
template <class T>
std::vector<T> forward_row(const std::vector<double>& x, SoftmaxKind kind, DType acc,
                           bool reverse) {
  const auto top =
      static_cast<T>(kind == SoftmaxKind::fast ? 0.0 : *std::max_element(x.begin(), x.end()));
  const std::size_t length = x.size();
  T sum = 0;
  std::vector<T> result(length);
  for (std::size_t j = 0; j < length; ++j) {
    const std::size_t i = reverse ? length - 1 - j : j;
    result[i] = rounded<T>(acc, std::exp(rounded<T>(acc, static_cast<T>(x[i]) - top)));
    sum = rounded<T>(acc, sum + result[i]);
  }
  for (std::size_t i = 0; i < length; ++i) {
    result[i] = kind != SoftmaxKind::log
                    ? rounded<T>(acc, result[i] / sum)
                    : rounded<T>(acc, rounded<T>(acc, static_cast<T>(x[i]) - top) -
                                          rounded<T>(acc, std::log(sum)));
  }
  return result;
}

template <class T>
std::vector<T> backward_row(const std::vector<double>& y, const std::vector<double>& dy,
                            SoftmaxKind kind, DType acc, bool reverse) {
  const std::size_t length = y.size();
  const bool log = kind == SoftmaxKind::log;
  T sum = 0;
  for (std::size_t j = 0; j < length; ++j) {
    const std::size_t i = reverse ? length - 1 - j : j;
    const T factor = log ? T{1} : static_cast<T>(y[i]);
    sum = rounded<T>(acc, sum + rounded<T>(acc, factor * static_cast<T>(dy[i])));
  }
  std::vector<T> result(length);
  for (std::size_t i = 0; i < length; ++i) {
    const auto gradient = static_cast<T>(dy[i]);
    if (log) {
      const T weight = rounded<T>(acc, std::exp(static_cast<T>(y[i])));
      result[i] = rounded<T>(acc, gradient - rounded<T>(acc, weight * sum));
    } else {
      result[i] = rounded<T>(acc, static_cast<T>(y[i]) * rounded<T>(acc, gradient - sum));
    }
  }
  return result;
}

std::vector<double> row_of(const SoftmaxProblem& softmax, const std::vector<double>& values,
                           std::int64_t row) {
  std::vector<double> result;
  for (std::int64_t i = 0; i < softmax.length(); ++i) {
    result.push_back(values[static_cast<std::size_t>(softmax_index(softmax, row, i))]);
  }
  return result;
}

void expect_exact_rows(const Problem& problem, std::set<double>& outputs) {
  const auto& softmax = problem.as<SoftmaxProblem>();
  const DType out = problem.tensors.back().dtype;
  const bool backward = softmax.backward;
  const std::vector<double> first = filled(problem, backward ? "y" : "x");
  const std::vector<double> second = backward ? filled(problem, "dy") : std::vector<double>{};
  for (std::int64_t row = 0; row < softmax.rows(); ++row) {
    const std::vector<double> x = row_of(softmax, first, row);
    const std::vector<double> dy = backward ? row_of(softmax, second, row) : x;
    const auto exact = backward ? backward_row<long double>(x, dy, softmax.kind, problem.acc, false)
                                : forward_row<long double>(x, softmax.kind, problem.acc, false);
    for (const bool reverse : {false, true}) {
      const auto got = backward ? backward_row<double>(x, dy, softmax.kind, problem.acc, reverse)
                                : forward_row<double>(x, softmax.kind, problem.acc, reverse);
      for (std::size_t i = 0; i < got.size(); ++i) {
        const double want = round_to(out, static_cast<double>(exact[i]));
        ASSERT_EQ(round_to(out, got[i]), want) << "row " << row << " element " << i;
        ASSERT_FALSE(std::isnan(want));
        outputs.insert(want);
      }
    }
  }
}

TEST(ExactSoftmax, EveryOrderGivesTheTrueResult) {
  RandomProblems random(3);
  int checked = 0;
  for (const char* name : {"softmax_fwd", "softmax_bwd"}) {
    for (int i = 0; i < 80; ++i) {
      const Problem problem = random.next(*find_op(name));
      SCOPED_TRACE(std::string(name) + " " + keys_text(problem));
      if (!problem.op->has_recipe(problem, "exact").ok) continue;
      std::set<double> outputs;
      expect_exact_rows(problem, outputs);
      if (testing::Test::HasFatalFailure()) return;
      ++checked;
    }
  }
  EXPECT_GT(checked, 60);
}

TEST(ExactSoftmax, OutputsAreVaried) {
  for (const char* text : {"softmax_fwd n=64 c=37 kind=fast", "softmax_fwd n=64 c=37",
                           "softmax_fwd n=64 c=37 kind=log", "softmax_bwd n=64 c=37",
                           "softmax_bwd n=64 c=37 kind=log dtype=f16"}) {
    std::set<double> outputs;
    expect_exact_rows(resolve(text), outputs);
    EXPECT_GE(outputs.size(), 6U) << text;
  }
}

TEST(ExactSoftmax, LongRowsInNarrowTypes) {
  for (const char* text :
       {"softmax_fwd n=3 c=70001 dtype=f16", "softmax_bwd n=2 c=70001 kind=log dtype=f16",
        "softmax_bwd n=2 c=4097 kind=log dtype=f16 acc=f16", "softmax_bwd n=2 c=70001 dtype=bf16",
        "softmax_fwd n=4 c=1"}) {
    SCOPED_TRACE(text);
    std::set<double> outputs;
    expect_exact_rows(resolve(text), outputs);
    EXPECT_FALSE(outputs.empty());
  }
}

TEST(ExactSoftmax, ReasonForEightBitTypes) {
  const Problem problem = resolve("softmax_fwd n=1 c=8 dtype=e5m2");
  EXPECT_EQ(problem.op->has_recipe(problem, "exact").reason,
            "no exact recipe: e5m2 saturates instead of holding -inf");
}

TEST(NormalSoftmax, BackwardGetsProbabilities) {
  const Problem problem = resolve("softmax_bwd n=3 c=50 h=2 dtype=f64");
  const auto& softmax = problem.as<SoftmaxProblem>();
  const std::vector<double> y = filled(problem, "y", "normal");
  for (std::int64_t row = 0; row < softmax.rows(); ++row) {
    double sum = 0;
    for (const double value : row_of(softmax, y, row)) {
      EXPECT_GT(value, 0);
      sum += value;
    }
    EXPECT_NEAR(sum, 1, 1e-14);
  }
  for (const double value : filled(resolve("softmax_bwd n=3 c=50 kind=log"), "y", "normal")) {
    EXPECT_LT(value, 0);
  }
}

template <class T>
T sigmoid(T x) {
  return 1 / (1 + std::exp(-x));
}

/// fn(x) and fn'(x) in the textbook form, in the arithmetic of T.
template <class T>
std::pair<T, T> textbook(const ActivationProblem& p, T x) {
  const T alpha = static_cast<T>(p.alpha), beta = static_cast<T>(p.beta);
  const T root = static_cast<T>(0.79788456080286535588L), cubic = static_cast<T>(0.044715L);
  switch (p.fn) {
    case ActivationFn::identity:
      return {x, 1};
    case ActivationFn::relu:
      return {x > 0 ? x : 0, x > 0 ? 1 : 0};
    case ActivationFn::sigmoid:
      return {sigmoid(x), sigmoid(x) * (1 - sigmoid(x))};
    case ActivationFn::tanh:
      return {std::tanh(x), 1 - std::tanh(x) * std::tanh(x)};
    case ActivationFn::clipped_relu:
      return {std::min(std::max(x, T{0}), alpha), x > 0 && x < alpha ? 1 : 0};
    case ActivationFn::leaky_relu:
      return {x > 0 ? x : alpha * x, x > 0 ? 1 : alpha};
    case ActivationFn::elu:
      return {x > 0 ? x : alpha * std::expm1(x), x > 0 ? 1 : alpha * std::exp(x)};
    case ActivationFn::gelu: {
      const T phi = (1 + std::erf(x / std::sqrt(T{2}))) / 2;
      return {x * phi, phi + x * root / 2 * std::exp(-x * x / 2)};
    }
    case ActivationFn::gelu_tanh: {
      const T t = std::tanh(root * (x + cubic * x * x * x));
      return {x * (1 + t) / 2, (1 + t) / 2 + x * (1 - t * t) * root * (1 + 3 * cubic * x * x) / 2};
    }
    case ActivationFn::swish: {
      const T s = sigmoid(beta * x);
      return {x * s, s + beta * x * s * (1 - s)};
    }
    case ActivationFn::softplus: {
      const T z = beta * x;
      return {(std::max(z, T{0}) + std::log1p(std::exp(-std::abs(z)))) / beta, sigmoid(z)};
    }
    case ActivationFn::mish: {
      const T t = std::tanh(std::max(x, T{0}) + std::log1p(std::exp(-std::abs(x))));
      return {x * t, t + x * (1 - t * t) * sigmoid(x)};
    }
    case ActivationFn::hardswish: {
      const T inner = std::min(std::max(x + 3, T{0}), T{6});
      const T slope = x <= -3 ? T{0} : x >= 3 ? T{1} : (2 * x + 3) / 6;
      return {x * inner / 6, slope};
    }
  }
  return {};
}

template <class T>
double evaluated(const ActivationProblem& p, double x, double dy) {
  const auto [value, slope] = textbook<T>(p, static_cast<T>(x));
  return static_cast<double>(p.backward ? static_cast<T>(dy) * slope : value);
}

void expect_exact_points(const std::string& text) {
  SCOPED_TRACE(text);
  const Problem problem = resolve(text);
  const auto& p = problem.as<ActivationProblem>();
  const std::vector<double> x = filled(problem, "x");
  const std::vector<double> dy = p.backward ? filled(problem, "dy") : x;
  const DType out = problem.tensors.back().dtype;
  std::set<double> inputs, outputs;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double want = round_to(out, evaluated<long double>(p, x[i], dy[i]));
    const double got = problem.acc == DType::f64 ? evaluated<double>(p, x[i], dy[i])
                                                 : evaluated<float>(p, x[i], dy[i]);
    ASSERT_EQ(round_to(out, got), want) << "x " << x[i] << " dy " << dy[i];
    inputs.insert(x[i]);
    outputs.insert(want);
  }
  EXPECT_GE(inputs.size(), 3U);
  EXPECT_GE(outputs.size(), 3U);
}

TEST(ExactActivation, PointsAreExactInEveryType) {
  for (const std::string& fn : activation_names()) {
    for (const char* op : {"activation_fwd", "activation_bwd"}) {
      for (const char* dtype :
           {"f64", "f32", "f16", "bf16", "e4m3", "e5m2", "f16.f32", "f32.bf16"}) {
        expect_exact_points(std::string(op) + " n=8 c=64 fn=" + fn + " dtype=" + dtype);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(ExactActivation, Parameters) {
  for (const char* op : {"activation_fwd", "activation_bwd"}) {
    for (const char* parameters : {"fn=leaky_relu alpha=0.25", "fn=leaky_relu alpha=-3",
                                   "fn=elu alpha=0.3", "fn=elu alpha=2.5", "fn=swish beta=1.7",
                                   "fn=softplus beta=8", "fn=clipped_relu alpha=2.5"}) {
      expect_exact_points(std::string(op) + " n=8 c=64 " + parameters);
    }
  }
  const auto reason = [](const std::string& text) {
    const Problem problem = resolve("activation_fwd n=1 c=1 " + text);
    return problem.op->has_recipe(problem, "exact").reason;
  };
  EXPECT_EQ(reason("fn=swish beta=0.5"),
            "no exact recipe: swish beta=0.5: saturation needs beta from 1 to 64");
  EXPECT_EQ(
      reason("fn=softplus beta=3"),
      "no exact recipe: softplus beta=3: dividing by beta is exact for 1, 2, 4, ..., 64 only");
  EXPECT_EQ(reason("fn=clipped_relu alpha=0.3 dtype=f16"),
            "no exact recipe: clipped_relu alpha=0.3 is no value of f32");
}

TEST(ExactActivation, NegativeSideOnlyWhereTheFactorIsExact) {
  const auto negative = [](const std::string& text) {
    const std::vector<double> x = filled(resolve("activation_fwd n=8 c=64 " + text), "x");
    return std::count_if(x.begin(), x.end(), [](double value) { return value < 0; });
  };
  EXPECT_EQ(negative("fn=leaky_relu"), 0);
  EXPECT_GT(negative("fn=leaky_relu alpha=0.125"), 100);
  EXPECT_GT(negative("fn=elu"), 10);
}

}  // namespace
}  // namespace wm
