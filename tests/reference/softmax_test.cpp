#include "reference/softmax.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "core/error.hpp"
#include "reference/naive_softmax.hpp"
#include "reference/random_values.hpp"

namespace wm {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr SoftmaxKind kKinds[] = {SoftmaxKind::fast, SoftmaxKind::accurate, SoftmaxKind::log};

Claims claims_of(double tree_height, DType acc = DType::f32) {
  Claims claims;
  claims.acc = acc;
  claims.tree_height = tree_height;
  return claims;
}

SoftmaxProblem row_problem(std::size_t length, SoftmaxKind kind, bool backward = false) {
  SoftmaxProblem p;
  p.c = static_cast<std::int64_t>(length);
  p.kind = kind;
  p.backward = backward;
  return p;
}

ValuesAndMagnitudes one_row(const std::vector<double>& x, SoftmaxKind kind, double height = 64) {
  return softmax_reference(row_problem(x.size(), kind), {x, {}, {}}, claims_of(height), false);
}

TEST(SoftmaxReference, AgreesWithNaiveLoops) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    SoftmaxProblem p;
    p.n = pick(random, 0, 3), p.c = pick(random, 1, 5);
    p.h = pick(random, 1, 3), p.w = pick(random, 1, 4);
    p.instance = pick(random, 0, 1) == 1;
    p.backward = pick(random, 0, 1) == 1;
    p.kind = kKinds[pick(random, 0, 2)];
    const std::int64_t count = p.n * p.c * p.h * p.w;
    const std::vector<double> a = random_floats(random, count, 3);
    const std::vector<double> b = random_floats(random, count);
    const SoftmaxArrays arrays = p.backward ? SoftmaxArrays{{}, a, b} : SoftmaxArrays{a, {}, {}};
    const std::vector<long double> naive = naive_softmax(p, a, b);
    for (const bool wide : {false, true}) {
      const DType acc = wide ? DType::f64 : DType::f32;
      const ValuesAndMagnitudes result = softmax_reference(p, arrays, claims_of(60, acc), wide);
      ASSERT_EQ(result.value.size(), naive.size());
      for (std::size_t i = 0; i < naive.size(); ++i) {
        const long double scale = 1 + std::fabs(naive[i]);
        ASSERT_LE(std::fabs(result.value[i] - naive[i]), (wide ? 0x1p-52 : 1e-12) * scale);
      }
    }
  }
}

/// A float implementation: the order of the sum is a parameter.
using SumOrder = std::function<float(const std::vector<float>&)>;
float sequential(const std::vector<float>& terms) {
  float sum = 0;
  for (const float term : terms) sum += term;
  return sum;
}
float reversed(const std::vector<float>& terms) {
  float sum = 0;
  for (std::size_t i = terms.size(); i-- > 0;) sum += terms[i];
  return sum;
}
float pairwise(const std::vector<float>& terms) {
  std::vector<float> level = terms;
  while (level.size() > 1) {
    std::vector<float> next;
    for (std::size_t i = 0; i + 1 < level.size(); i += 2) next.push_back(level[i] + level[i + 1]);
    if (level.size() % 2 == 1) next.push_back(level.back());
    level = std::move(next);
  }
  return level.empty() ? 0 : level[0];
}

struct Order {
  const char* name;
  SumOrder sum;
  double height;
};
std::vector<Order> orders(std::size_t n) {
  const auto length = static_cast<double>(n);
  return {{"sequential", sequential, length},
          {"reversed", reversed, length},
          {"pairwise", pairwise, std::ceil(std::log2(length)) + 1}};
}

std::vector<float> float_softmax(const std::vector<float>& x, SoftmaxKind kind,
                                 const SumOrder& sum_of) {
  const float m = kind == SoftmaxKind::fast ? 0 : *std::max_element(x.begin(), x.end());
  std::vector<float> e;
  for (const float value : x) e.push_back(std::exp(value - m));
  const float sum = sum_of(e);
  std::vector<float> y;
  for (std::size_t i = 0; i < x.size(); ++i) {
    y.push_back(kind == SoftmaxKind::log ? (x[i] - m) - std::log(sum) : e[i] * (1 / sum));
  }
  return y;
}

/// One pass in float: running maximum and rescaled sum.
std::vector<float> float_online(const std::vector<float>& x) {
  float m = x[0];
  float sum = 1;
  for (std::size_t i = 1; i < x.size(); ++i) {
    const float grown = std::max(m, x[i]);
    sum = sum * std::exp(m - grown) + std::exp(x[i] - grown);
    m = grown;
  }
  std::vector<float> y;
  for (const float value : x) y.push_back(std::exp(value - m) / sum);
  return y;
}

std::vector<float> float_backward(const std::vector<float>& y, const std::vector<float>& dy,
                                  SoftmaxKind kind, const SumOrder& sum_of) {
  std::vector<float> terms;
  for (std::size_t i = 0; i < y.size(); ++i) {
    terms.push_back(kind == SoftmaxKind::log ? dy[i] : dy[i] * y[i]);
  }
  const float sum = sum_of(terms);
  std::vector<float> dx;
  for (std::size_t i = 0; i < y.size(); ++i) {
    dx.push_back(kind == SoftmaxKind::log ? dy[i] - std::exp(y[i]) * sum : y[i] * (dy[i] - sum));
  }
  return dx;
}

std::vector<float> to_float(const std::vector<double>& values) {
  return std::vector<float>(values.begin(), values.end());
}

/// Largest |computed - value| / magnitude; the final rounding to float adds none here, the
/// computation is in float already.
double utilisation(const std::vector<float>& computed, const ValuesAndMagnitudes& expected) {
  double largest = 0;
  for (std::size_t i = 0; i < computed.size(); ++i) {
    const double error = std::abs(static_cast<double>(computed[i]) - expected.value[i]);
    if (error > 0) largest = std::max(largest, error / expected.magnitude[i]);
  }
  return largest;
}

/// Bounds must hold for every input and not be vacuous: some element of the runs comes within a
/// factor of 100 of its bound.
TEST(SoftmaxReference, BoundHoldsForFloatForwardInSeveralOrders) {
  std::mt19937 random(2);
  for (const SoftmaxKind kind : kKinds) {
    for (const std::size_t n : {1, 2, 7, 33, 400}) {
      for (const Order& order : orders(n)) {
        double largest = 0;
        for (int round = 0; round < 30; ++round) {
          std::vector<double> x = random_floats(random, static_cast<std::int64_t>(n), 4);
          const double offset = kind == SoftmaxKind::fast ? 0 : round % 3 * 1e4;
          for (double& value : x) value = static_cast<float>(value + offset);
          const ValuesAndMagnitudes expected = one_row(x, kind, order.height);
          largest =
              std::max(largest, utilisation(float_softmax(to_float(x), kind, order.sum), expected));
        }
        EXPECT_LE(largest, 1) << order.name << " n=" << n << " kind=" << static_cast<int>(kind);
        if (n > 1) {
          EXPECT_GE(largest, 0.01)
              << order.name << " n=" << n << " kind=" << static_cast<int>(kind);
        }
      }
    }
  }
}

TEST(SoftmaxReference, BoundHoldsForOnePassFloat) {
  std::mt19937 random(3);
  for (const std::size_t n : {2, 10, 100, 500}) {
    double largest = 0;
    for (int round = 0; round < 60; ++round) {
      std::vector<double> x = random_floats(random, static_cast<std::int64_t>(n), 5);
      // Rising rows rescale at every step, the worst case.
      if (round % 2 == 0) std::sort(x.begin(), x.end());
      Claims claims = claims_of(static_cast<double>(n));
      claims.error_formula = "online";
      const ValuesAndMagnitudes expected =
          softmax_reference(row_problem(n, SoftmaxKind::accurate), {x, {}, {}}, claims, false);
      largest = std::max(largest, utilisation(float_online(to_float(x)), expected));
    }
    EXPECT_LE(largest, 1) << n;
    EXPECT_GE(largest, n > 100 ? 0.001 : 0.01) << n;
  }
}

TEST(SoftmaxReference, OnlineBoundExceedsTheTreeBound) {
  const std::vector<double> x = {1, 2, 3, 4};
  Claims claims = claims_of(4);
  const SoftmaxProblem p = row_problem(4, SoftmaxKind::accurate);
  const double tree = softmax_reference(p, {x, {}, {}}, claims, false).magnitude[0];
  claims.error_formula = "online";
  EXPECT_GT(softmax_reference(p, {x, {}, {}}, claims, false).magnitude[0], 1.5 * tree);
  claims.error_formula = "welford";
  EXPECT_THROW(softmax_reference(p, {x, {}, {}}, claims, false), UsageError);
}

TEST(SoftmaxReference, BoundHoldsForFloatBackward) {
  std::mt19937 random(4);
  for (const SoftmaxKind kind : {SoftmaxKind::accurate, SoftmaxKind::log}) {
    for (const std::size_t n : {1, 5, 64, 300}) {
      for (const Order& order : orders(n)) {
        double largest = 0;
        for (int round = 0; round < 30; ++round) {
          const std::vector<double> x = random_floats(random, static_cast<std::int64_t>(n), 3);
          const std::vector<float> y = float_softmax(to_float(x), kind, sequential);
          const std::vector<double> dy = random_floats(random, static_cast<std::int64_t>(n), 5);
          const std::vector<double> exact_y(y.begin(), y.end());
          const ValuesAndMagnitudes expected = softmax_reference(
              row_problem(n, kind, true), {{}, exact_y, dy}, claims_of(order.height + 1), false);
          largest = std::max(
              largest, utilisation(float_backward(y, to_float(dy), kind, order.sum), expected));
        }
        EXPECT_LE(largest, 1) << order.name << " n=" << n;
        if (n > 1) {
          EXPECT_GE(largest, 0.01) << order.name << " n=" << n;
        }
      }
    }
  }
}

TEST(SoftmaxReference, BoundIsBrokenByAHalfPrecisionSum) {
  // A sum kept in f16 behind an f32 claim.
  std::mt19937 random(5);
  const std::vector<double> x = random_floats(random, 200, 1);
  const SumOrder rough = [](const std::vector<float>& terms) {
    float sum = 0;
    for (const float term : terms) sum = std::round((sum + term) * 8) / 8;
    return sum;
  };
  EXPECT_GT(utilisation(float_softmax(to_float(x), SoftmaxKind::accurate, rough),
                        one_row(x, SoftmaxKind::accurate, 200)),
            10);
}

TEST(SoftmaxReference, MaskedElementsAreExactZeros) {
  const ValuesAndMagnitudes y = one_row({0, -kInfinity, 0, -kInfinity}, SoftmaxKind::accurate);
  EXPECT_EQ(y.value, (std::vector<double>{0.5, 0, 0.5, 0}));
  EXPECT_LT(y.magnitude[1], 1e-40);
  EXPECT_GT(y.magnitude[0], 0);
  const ValuesAndMagnitudes log_y = one_row({0, -kInfinity}, SoftmaxKind::log);
  EXPECT_EQ(log_y.value, (std::vector<double>{0, -kInfinity}));
  EXPECT_EQ(log_y.magnitude[1], 0);
}

TEST(SoftmaxReference, NonFiniteRowsAreNaN) {
  for (const SoftmaxKind kind : {SoftmaxKind::accurate, SoftmaxKind::log}) {
    for (const std::vector<double>& x :
         {std::vector<double>{1, kNaN, 2}, {1, kInfinity, 2}, {-kInfinity, -kInfinity}}) {
      for (const double y : one_row(x, kind).value) EXPECT_TRUE(std::isnan(y));
    }
  }
}

TEST(SoftmaxReference, FastFollowsTheRangeOfTheAccumulationType) {
  const auto values = [](const std::vector<double>& x) {
    return one_row(x, SoftmaxKind::fast).value;
  };
  EXPECT_TRUE(std::isnan(values({90, 0})[0]));  // inf / inf
  EXPECT_EQ(values({90, 0})[1], 0);             // 1 / inf
  EXPECT_EQ(values({88.5, 88.5, 0})[0], 0);     // the sum overflows, no term does
  EXPECT_TRUE(std::isnan(values({-110, -120})[0]));
  EXPECT_TRUE(std::isnan(values({1, kNaN})[0]));
  EXPECT_TRUE(std::isnan(values({kInfinity, 1})[0]));
  EXPECT_EQ(values({kInfinity, 1})[1], 0);
  EXPECT_DOUBLE_EQ(values({80, 80})[0], 0.5);
  // Undecided: exp(x) within its own error of the largest float.
  const double edge = std::log(static_cast<double>(std::numeric_limits<float>::max()));
  EXPECT_EQ(one_row({edge, 0}, SoftmaxKind::fast).magnitude[0], kInfinity);
  EXPECT_EQ(one_row({-103.5}, SoftmaxKind::fast).magnitude[0], kInfinity);
}

}  // namespace
}  // namespace wm
