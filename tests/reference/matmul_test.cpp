#include "reference/matmul.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/bounds.hpp"
#include "reference/random_values.hpp"
#include "reference/reference.hpp"

namespace wm {
namespace {

struct Data {
  std::vector<double> a, b, c, bias;
};

Data random_data(const MatmulProblem& p, std::mt19937& random) {
  return {random_floats(random, p.batch * p.m * p.k), random_floats(random, p.batch * p.k * p.n),
          random_floats(random, p.batch * p.m * p.n), random_floats(random, p.n)};
}

MatmulArrays arrays_of(const Data& data) { return {data.a, data.b, data.c, data.bias}; }

struct Exact {
  long double value = 0;
  long double magnitude = 0;
};

/// One output element from the definition, without activation.
Exact naive_element(const MatmulProblem& p, const Data& data, std::int64_t batch, std::int64_t row,
                    std::int64_t column) {
  Exact sum;
  for (std::int64_t i = 0; i < p.k; ++i) {
    const std::int64_t in_a = p.transpose_a ? i * p.m + row : row * p.k + i;
    const std::int64_t in_b = p.transpose_b ? column * p.k + i : i * p.n + column;
    const long double product = static_cast<long double>(data.a[batch * p.m * p.k + in_a]) *
                                data.b[batch * p.k * p.n + in_b];
    sum.value += p.alpha * product;
    sum.magnitude += std::fabs(p.alpha * product);
  }
  const long double prior = p.beta * data.c[(batch * p.m + row) * p.n + column];
  const long double bias = p.bias ? data.bias[column] : 0;
  return {sum.value + prior + bias, sum.magnitude + std::fabs(prior) + std::fabs(bias)};
}

void expect_agreement(const MatmulProblem& p, std::mt19937& random) {
  const Data data = random_data(p, random);
  for (const bool wide : {false, true}) {
    const ValuesAndMagnitudes result = matmul_reference(p, arrays_of(data), wide);
    ASSERT_EQ(result.value.size(), static_cast<std::size_t>(p.batch * p.m * p.n));
    // The factors of the reference, 1 + 4 (k + 8) u and 1 + 2^-50, and the sum's own rounding, k u.
    const double excess = 5 * (static_cast<double>(p.k) + 8) * (wide ? 0x1p-53 : 0x1p-24) + 0x1p-49;
    for (std::size_t i = 0; i < result.value.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const Exact exact = naive_element(p, data, at / (p.m * p.n), at / p.n % p.m, at % p.n);
      ASSERT_LE(std::fabs(result.value[i] - exact.value),
                (wide ? 0x1.1p-53 : 1e-12) * exact.magnitude);
      ASSERT_GE(result.magnitude[i], exact.magnitude);
      ASSERT_LE(result.magnitude[i], exact.magnitude * (1 + excess) + 1e-300);
    }
  }
}

TEST(MatmulReference, AgreesWithNaiveLoopsOnRandomProblems) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    MatmulProblem p;
    p.batch = pick(random, 0, 3), p.m = pick(random, 0, 9);
    p.n = pick(random, 0, 9), p.k = pick(random, 0, 12);
    p.transpose_a = pick(random, 0, 1) == 1, p.transpose_b = pick(random, 0, 1) == 1;
    p.alpha = pick(random, 0, 1) == 1 ? 1 : -2.5, p.beta = pick(random, 0, 1) == 1 ? 0 : 0.75;
    p.bias = pick(random, 0, 1) == 1;
    SCOPED_TRACE("round " + std::to_string(round));
    expect_agreement(p, random);
    if (HasFatalFailure()) return;
  }
}

TEST(MatmulReference, AgreesWithNaiveLoopsOnCornerShapes) {
  std::mt19937 random(2);
  // m, n, k: dot product, outer product, vector, several tiles with tails.
  const std::int64_t shapes[][3] = {{1, 1, 300}, {10, 20, 1}, {1, 200, 1}, {131, 259, 5}};
  for (const auto& [m, n, k] : shapes) {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        MatmulProblem p;
        p.m = m, p.n = n, p.k = k;
        p.transpose_a = transpose_a, p.transpose_b = transpose_b;
        expect_agreement(p, random);
      }
    }
  }
}

TEST(MatmulReference, ResultsDoNotDependOnThreads) {
  std::mt19937 random(3);
  MatmulProblem p;
  p.batch = 2, p.m = 150, p.n = 300, p.k = 70;
  const Data data = random_data(p, random);
  set_reference_threads(1);
  const ValuesAndMagnitudes one = matmul_reference(p, arrays_of(data), false);
  set_reference_threads(3);
  const ValuesAndMagnitudes three = matmul_reference(p, arrays_of(data), false);
  set_reference_threads(0);
  EXPECT_EQ(one.value, three.value);
  EXPECT_EQ(one.magnitude, three.magnitude);
}

TEST(MatmulReference, NonFiniteFactorsPropagate) {
  MatmulProblem p;
  p.m = 2, p.k = 2;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> a = {kInfinity, 1, 2, 3};
  EXPECT_EQ(matmul_reference(p, {a, std::vector<double>{1, 1}, {}, {}}, false).value,
            (std::vector<double>{kInfinity, 5}));
  const std::vector<double> zero = {0, 1};
  EXPECT_TRUE(std::isnan(matmul_reference(p, {a, zero, {}, {}}, false).value[0]));
}

/// Dot products in float, as a device would: a chain of fused multiply-adds, and eight of them
/// added pairwise.
float fma_chain(const double* a, const double* b, std::int64_t count, std::int64_t step) {
  float sum = 0;
  for (std::int64_t i = 0; i < count; i += step) {
    sum = std::fma(static_cast<float>(a[i]), static_cast<float>(b[i]), sum);
  }
  return sum;
}

/// Largest error of float sums of the products of each row, in u S.
struct Errors {
  double chain = 0;  ///< one chain of k fused multiply-adds
  double lanes = 0;  ///< eight chains of k / 8, added pairwise
};
Errors float_errors(const MatmulProblem& p, const Data& data) {
  const ValuesAndMagnitudes expected = matmul_reference(p, arrays_of(data), false);
  Errors errors;
  for (std::int64_t row = 0; row < p.m; ++row) {
    const double* a = data.a.data() + row * p.k;
    float partial[8];
    for (std::int64_t lane = 0; lane < 8; ++lane) {
      partial[lane] = fma_chain(a + lane, data.b.data() + lane, p.k - lane, 8);
    }
    for (int width = 4; width > 0; width /= 2) {
      for (int i = 0; i < width; ++i) partial[i] += partial[i + width];
    }
    const double unit = 0x1p-24 * expected.magnitude[row];
    const auto error = [&](float y) { return std::abs(y - expected.value[row]) / unit; };
    errors.chain = std::max(errors.chain, error(fma_chain(a, data.b.data(), p.k, 1)));
    errors.lanes = std::max(errors.lanes, error(partial[0]));
  }
  return errors;
}

TEST(MatmulReference, LinearBoundHoldsForFloatSums) {
  std::mt19937 random(4);
  MatmulProblem p;
  p.m = 200, p.k = 128;
  const double chain_bound = gamma_factor(128, 0x1p-24) * 0x1p24;
  const double lanes_bound = gamma_factor(128 / 8 + 3, 0x1p-24) * 0x1p24;
  for (const double offset : {0.0, 1.0, 1e4}) {
    for (const bool positive : {false, true}) {
      Data data = random_data(p, random);
      for (double& value : data.a) value = static_cast<float>(std::abs(value) + offset);
      for (double& value : data.b) value = positive ? std::abs(value) : value;
      const Errors errors = float_errors(p, data);
      EXPECT_LE(errors.chain, chain_bound) << offset;
      EXPECT_LE(errors.lanes, lanes_bound) << offset;
      // Random errors grow with the root of the depth, the bound with the depth.
      if (positive) {
        EXPECT_GE(errors.chain, chain_bound / 100) << offset;
        EXPECT_GE(errors.lanes, lanes_bound / 100) << offset;
      }
    }
  }
}

TEST(MatmulReference, LinearBoundIsAttained) {
  // 1 + 2^-24 is a tie that rounds to 1: every later product is lost.
  MatmulProblem p;
  p.k = 128;
  Data data;
  data.a.assign(128, 0x1p-24);
  data.a[0] = 1;
  data.b.assign(128, 1);
  const double bound = gamma_factor(128, 0x1p-24) * 0x1p24;
  EXPECT_GE(float_errors(p, data).chain, 0.99 * bound);
  EXPECT_LE(float_errors(p, data).chain, bound);
}

}  // namespace
}  // namespace wm
