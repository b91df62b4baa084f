// The exact recipe of the linear ops, by brute force: in every order, with every operation rounded
// to the accumulation type, the result is the true one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "ops/conv.hpp"
#include "ops/exact.hpp"
#include "ops/matmul.hpp"
#include "ops/random_problems.hpp"

namespace wm {
namespace {

using Values = std::map<std::string, std::vector<double>>;

struct Product {
  double a, b;
};

struct Sums {
  std::string output;
  std::vector<std::vector<Product>> products;  ///< by output element
  double alpha = 1, beta = 0, residual = 0;
  std::string prior;
  std::function<std::int64_t(std::int64_t)> bias;  ///< output element -> bias element
};

Values fill_all(const Problem& problem, std::uint64_t seed) {
  Values values;
  for (const TensorDesc& desc : problem.tensors) {
    if (desc.role == Role::output) continue;
    auto& tensor = values[desc.name];
    tensor.assign(static_cast<std::size_t>(desc.elements()), -1e300);
    problem.op->fill(problem, {"exact", seed}, desc, tensor);
  }
  return values;
}

double at(const std::vector<double>& values, std::int64_t index) {
  return values[static_cast<std::size_t>(index)];
}

Sums matmul_sums(const Problem& problem, const Values& values) {
  const auto& p = problem.as<MatmulProblem>();
  Sums sums{"d", {}, p.alpha, p.beta, 0, "c", {}};
  if (p.bias) sums.bias = [n = p.n](std::int64_t i) { return i % n; };
  for (std::int64_t batch = 0; batch < p.batch; ++batch) {
    for (std::int64_t m = 0; m < p.m; ++m) {
      for (std::int64_t n = 0; n < p.n; ++n) {
        auto& products = sums.products.emplace_back();
        for (std::int64_t k = 0; k < p.k; ++k) {
          const std::int64_t a = batch * p.m * p.k + (p.transpose_a ? k * p.m + m : m * p.k + k);
          const std::int64_t b = batch * p.n * p.k + (p.transpose_b ? n * p.k + k : k * p.n + n);
          products.push_back({at(values.at("a"), a), at(values.at("b"), b)});
        }
      }
    }
  }
  return sums;
}

using Triple = std::array<std::int64_t, 3>;

/// fn(position) for every position of a three-dimensional box.
void for_box(const Triple& box, const std::function<void(const Triple&)>& fn) {
  for (std::int64_t d = 0; d < box[0]; ++d) {
    for (std::int64_t h = 0; h < box[1]; ++h) {
      for (std::int64_t w = 0; w < box[2]; ++w) fn({d, h, w});
    }
  }
}

std::int64_t flat(const Triple& at, const Triple& box) {
  return (at[0] * box[1] + at[1]) * box[2] + at[2];
}

/// Input position of an output position and a tap; false outside the image.
bool input_of(const ConvProblem& p, const Triple& out, const Triple& tap, Triple& in) {
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t turned = p.flip ? p.filter[d] - 1 - tap[d] : tap[d];
    in[d] = out[d] * p.stride[d] + turned * p.dilation[d] - p.pad_begin[d];
    if (in[d] < 0 || in[d] >= p.in[d]) return false;
  }
  return true;
}

/// fn(x index, w index, y index) for every product of the convolution.
void for_products(const ConvProblem& p,
                  const std::function<void(std::int64_t, std::int64_t, std::int64_t)>& fn) {
  const std::int64_t cg = p.c_per_group(), kg = p.k_per_group();
  for (std::int64_t nk = 0; nk < p.n * p.k; ++nk) {
    const std::int64_t n = nk / p.k, k = nk % p.k;
    for (std::int64_t c = 0; c < cg; ++c) {
      for_box(p.out, [&](const Triple& out) {
        for_box(p.filter, [&](const Triple& tap) {
          Triple in{};
          if (!input_of(p, out, tap, in)) return;
          const std::int64_t channel = k / kg * cg + c;
          fn((n * p.c + channel) * p.in_positions() + flat(in, p.in),
             (k * cg + c) * p.filter_taps() + flat(tap, p.filter),
             nk * p.out_positions() + flat(out, p.out));
        });
      });
    }
  }
}

Sums conv_sums(const Problem& problem, const Values& values) {
  const auto& p = problem.as<ConvProblem>();
  const std::string output = problem.tensors.back().name;
  Sums sums{output, {}, p.alpha, p.beta, p.residual, output + "_in", {}};
  if (p.bias) {
    sums.bias = [k = p.k, area = p.out_positions()](std::int64_t i) { return i / area % k; };
  }
  sums.products.resize(static_cast<std::size_t>(problem.tensors.back().elements()));
  for_products(p, [&](std::int64_t x, std::int64_t w, std::int64_t y) {
    switch (p.direction) {
      case ConvDirection::fwd:
        sums.products[static_cast<std::size_t>(y)].push_back(
            {at(values.at("x"), x), at(values.at("w"), w)});
        break;
      case ConvDirection::bwd_data:
        sums.products[static_cast<std::size_t>(x)].push_back(
            {at(values.at("dy"), y), at(values.at("w"), w)});
        break;
      case ConvDirection::bwd_filter:
        sums.products[static_cast<std::size_t>(w)].push_back(
            {at(values.at("x"), x), at(values.at("dy"), y)});
        break;
    }
  });
  return sums;
}

Sums sums_of(const Problem& problem, const Values& values) {
  return problem.op->family == "conv" ? conv_sums(problem, values) : matmul_sums(problem, values);
}

/// alpha sum + beta prior + residual z + bias for one element, `rounded` after every operation.
template <class T, class Round>
T evaluate(const Sums& sums, const Values& values, std::size_t element, bool reverse,
           Round rounded) {
  std::vector<Product> products = sums.products[element];
  if (reverse) std::reverse(products.begin(), products.end());
  T sum = 0;
  for (const Product& product : products) {
    sum = rounded(sum + rounded(static_cast<T>(product.a) * static_cast<T>(product.b)));
  }
  T result = rounded(static_cast<T>(sums.alpha) * sum);
  const auto index = static_cast<std::int64_t>(element);
  if (sums.beta != 0) {
    result =
        rounded(result + rounded(static_cast<T>(sums.beta * at(values.at(sums.prior), index))));
  }
  if (sums.residual != 0) {
    result = rounded(result + rounded(static_cast<T>(sums.residual * at(values.at("z"), index))));
  }
  if (sums.bias) {
    result = rounded(result + static_cast<T>(at(values.at("bias"), sums.bias(index))));
  }
  return result;
}

double magnitude(const std::vector<Product>& products) {
  double sum = 0;
  for (const Product& product : products) sum += std::abs(product.a * product.b);
  return sum;
}

void expect_exact(const Problem& problem, std::uint64_t seed) {
  const Values values = fill_all(problem, seed);
  for (const auto& [name, tensor] : values) {
    const DType dtype = problem.tensor(name).dtype;
    for (const double value : tensor) ASSERT_EQ(round_to(dtype, value), value) << name;
  }
  const Sums sums = sums_of(problem, values);
  const DTypeInfo& acc = info(problem.acc);
  const DType arithmetic = acc.floating ? problem.acc : DType::f32;
  const double largest = info(problem.tensors.back().dtype).max_finite;
  for (std::size_t i = 0; i < sums.products.size(); ++i) {
    ASSERT_LE(magnitude(sums.products[i]), std::ldexp(1.0, acc.precision));
    const auto exact =
        evaluate<long double>(sums, values, i, false, [](long double value) { return value; });
    ASSERT_LE(std::abs(exact), largest);
    for (const bool reverse : {false, true}) {
      const double got = evaluate<double>(
          sums, values, i, reverse, [&](double value) { return round_to(arithmetic, value); });
      ASSERT_EQ(static_cast<long double>(got), exact);
    }
  }
}

TEST(ExactLinear, EveryOrderGivesTheTrueResult) {
  RandomProblems random(11);
  int checked = 0, without = 0;
  for (const char* name : {"matmul", "conv_fwd", "conv_bwd_data", "conv_bwd_filter"}) {
    for (int i = 0; i < 150; ++i) {
      const Problem problem = random.next(*find_op(name));
      const RecipeAnswer answer = problem.op->has_recipe(problem, "exact");
      if (!answer.ok) {
        EXPECT_TRUE(answer.reason.starts_with("no exact recipe: ")) << answer.reason;
        ++without;
        continue;
      }
      SCOPED_TRACE(std::string(name) + " " + keys_text(problem));
      expect_exact(problem, static_cast<std::uint64_t>(i));
      ++checked;
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  EXPECT_GT(checked, 350);
  EXPECT_GT(without, 20);
}

// Shapes whose depth is far beyond what the output type holds, so that zeros are needed.
TEST(ExactLinear, DeepReductionsIntoNarrowTypes) {
  for (const char* text :
       {"matmul m=3 n=4 k=5000 dtype=e4m3", "matmul m=3 n=4 k=5000 dtype=s8 transpose_a=1",
        "matmul m=3 n=4 k=5000 dtype=f16 acc=f16 alpha=0.5 beta=2",
        "matmul m=2 n=2 k=200000 dtype=f16", "matmul m=1 n=3 k=20001 dtype=u8.u8.s32",
        "conv_fwd n=1 c=60 h=4 w=4 k=3 r=3 s=3 pad=1 dtype=e4m3 bias=1 residual=2",
        "conv_bwd_data n=1 c=6 h=4 w=4 k=80 r=3 s=3 pad=1 groups=2 dtype=s8",
        "conv_bwd_filter n=7 c=2 h=12 w=12 k=2 r=3 s=3 pad=1 dtype=e4m3 beta=1",
        "conv_bwd_filter n=7 c=2 h=12 w=12 k=2 r=3 s=3 pad=1 stride=2 dtype=f16 acc=f16"}) {
    SCOPED_TRACE(text);
    const Problem problem = resolve(text);
    ASSERT_TRUE(problem.op->has_recipe(problem, "exact").ok);
    expect_exact(problem, 1);
    const Values values = fill_all(problem, 1);
    const Sums sums = sums_of(problem, values);
    // Every output still sees most of the products it may: the recipe is not vacuous.
    for (const auto& products : sums.products) {
      const auto kept = std::count_if(products.begin(), products.end(),
                                      [](const Product& each) { return each.a * each.b != 0; });
      EXPECT_GE(kept, 20);
    }
  }
}

TEST(ExactLinear, ShallowReductionsHaveNoZeros) {
  const Problem problem = resolve("conv_fwd n=2 c=64 h=8 w=8 k=4 r=3 s=3 pad=1 bias=1 beta=1");
  for (const auto& [name, values] : fill_all(problem, 3)) {
    EXPECT_EQ(std::count(values.begin(), values.end(), 0.0), 0) << name;
    EXPECT_GT(*std::max_element(values.begin(), values.end()), 1) << name;
    EXPECT_LT(*std::min_element(values.begin(), values.end()), -1) << name;
  }
  // Large enough to show an f16 accumulator: typical sums pass 2^11.
  EXPECT_EQ(plan_exact({.depth = 576}, {}).first_max, 16);
  EXPECT_EQ(plan_exact({.depth = 576}, {}).second_max, 16);
}

TEST(ExactLinear, SameSeedSameValuesOtherSeedOthers) {
  const Problem problem = resolve("matmul m=8 n=8 k=8");
  EXPECT_EQ(fill_all(problem, 1), fill_all(problem, 1));
  EXPECT_NE(fill_all(problem, 1).at("a"), fill_all(problem, 2).at("a"));
  EXPECT_NE(fill_all(problem, 1).at("a"), fill_all(problem, 1).at("b"));
}

TEST(ExactLinear, ReasonsWhereThereIsNone) {
  const auto reason = [](const std::string& text) {
    const Problem problem = resolve(text);
    return problem.op->has_recipe(problem, "exact").reason;
  };
  EXPECT_EQ(
      reason("matmul m=2 n=2 k=2 alpha=0.3"),
      "no exact recipe: sums with alpha=0.3 beta=0 residual=0 are not exact in acc f32 or pass "
      "f32's largest value");
  EXPECT_EQ(reason("matmul m=2 n=2 k=2 epilogue=bias_gelu"),
            "no exact recipe: activation gelu is not exact on integers");
  EXPECT_EQ(reason("conv_fwd n=1 c=1 w=4 k=1 s=1 act=sigmoid"),
            "no exact recipe: activation sigmoid is not exact on integers");
  EXPECT_EQ(reason("matmul m=2 n=2 k=2 alpha=100000 dtype=f16"),
            "no exact recipe: sums with alpha=1e+05 beta=0 residual=0 are not exact in acc f32 or "
            "pass f16's largest value");
  EXPECT_EQ(reason("matmul m=2 n=2 k=2 alpha=0.75 beta=-0.5"), "");
}

TEST(Dyadic, SplitsIntoOddAndPower) {
  EXPECT_EQ(dyadic(0.75).odd, 3);
  EXPECT_EQ(dyadic(0.75).exponent, -2);
  EXPECT_EQ(dyadic(-8).odd, -1);
  EXPECT_EQ(dyadic(-8).exponent, 3);
}

}  // namespace
}  // namespace wm
