// The tensor-core term of the error bound against the models it is derived from: no sum may pass
// its bound, and the worst ones must come near.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "core/float_types.hpp"
#include "core/rng.hpp"
#include "emu/mma_models.hpp"
#include "ops/bounds.hpp"

namespace wm::test {
namespace {

using O = MmaOperand;

std::uint32_t encode(O operand, double value) {
  switch (operand) {
    case O::f16:
      return f16_bits(value);
    case O::bf16:
      return bf16_bits(value);
    case O::tf32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value)) & 0xffffe000U;
    case O::e4m3:
      return e4m3_bits(value);
    default:
      return e5m2_bits(value);
  }
}

double decode(O operand, std::uint32_t bits) {
  switch (operand) {
    case O::f16:
      return f16_value(static_cast<std::uint16_t>(bits));
    case O::bf16:
      return bf16_value(static_cast<std::uint16_t>(bits));
    case O::tf32:
      return std::bit_cast<float>(bits);
    case O::e4m3:
      return e4m3_value(static_cast<std::uint8_t>(bits));
    default:
      return e5m2_value(static_cast<std::uint8_t>(bits));
  }
}

enum class Draw { normal, positive, wide, cancelling, cut_away, subnormal };
constexpr Draw kDraws[] = {Draw::normal,     Draw::positive, Draw::wide,
                           Draw::cancelling, Draw::cut_away, Draw::subnormal};

/// What a product of one large term and many just below its unit of alignment consists of.
struct CutAway {
  int large, first, second;  ///< exponents of both large factors, of the two small ones
};
CutAway cut_away(const MmaModel& model, O operand) {
  const MmaFormat format = mma_format(operand);
  const int large = format.max_exponent < 20 ? format.max_exponent / 2 : 0;
  const int sum = 2 * large - (23 + model.block(operand).extra_bits) - 1;
  return {large, sum / 2, sum - sum / 2};
}

struct Source {
  const MmaModel& model;
  O operand;
  Draw draw;
  Random random;

  /// Element k of line `line` of the first (a) or second factor.
  double operator()(bool first, int line, int k) const {
    const auto index = static_cast<std::uint64_t>((line * 4096 + k) * 2 + (first ? 0 : 1));
    const MmaFormat format = mma_format(operand);
    const double normal = random.normal(2 * index);
    const auto binade = [&](int low, int high) {
      return std::ldexp(normal, static_cast<int>(random.integer(2 * index + 1, low, high)));
    };
    switch (draw) {
      case Draw::normal:
        return normal;
      case Draw::positive:
        return 1 + std::fabs(normal) / 8;
      case Draw::wide:
        return binade(-8, 4);
      case Draw::cancelling:  // a k and k + 1 cancel but for their last bits
        if (k % 3 == 2) return binade(-10, -2);
        return first ? (k % 3 == 0 ? 16 : -16) : 16 + (k % 3) * std::ldexp(1.0, -format.precision);
      case Draw::cut_away: {
        const CutAway c = cut_away(model, operand);
        if (k == 0) return std::ldexp(1.0, c.large);
        const double below_two = 2 - std::ldexp(1.0, 1 - format.precision);
        return first ? std::ldexp(below_two, c.first) : std::ldexp(1.0, c.second);
      }
      case Draw::subnormal:
        if (first) return std::ldexp(normal, format.min_exponent - 2);
        return binade(0, std::min(format.max_exponent, kSubnormalPartner) - 4);
    }
    return 0;
  }
};

struct Sums {
  double worst = 0;  ///< largest error / bound
  double at_error = 0, at_bound = 0;
};

/// The 128 sums of n products of one draw.
Sums simulate(const MmaModel& model, O operand, Draw draw, int n, std::uint64_t seed) {
  const Source source{model, operand, draw, Random(seed, 5)};
  const int step = operand == O::tf32 ? 8 : operand == O::f16 || operand == O::bf16 ? 16 : 32;
  emu::MmaMatrices m{};
  m.depth = step;
  std::vector<long double> exact(128), magnitude(128);
  for (int k0 = 0; k0 < n; k0 += step) {
    for (int k = 0; k < step; ++k) {
      const bool inside = k0 + k < n;
      for (int i = 0; i < 16; ++i)
        m.a[i][k] = inside ? encode(operand, source(true, i, k0 + k)) : 0;
      for (int j = 0; j < 8; ++j)
        m.b[k][j] = inside ? encode(operand, source(false, 16 + j, k0 + k)) : 0;
    }
    for (int at = 0; at < 128; ++at)
      for (int k = 0; k < step; ++k) {
        const long double product = static_cast<long double>(decode(operand, m.a[at / 8][k])) *
                                    decode(operand, m.b[k][at % 8]);
        exact[static_cast<std::size_t>(at)] += product;
        magnitude[static_cast<std::size_t>(at)] += std::fabs(product);
      }
    emu::multiply_accumulate(model, operand, m);
  }
  Claims claims;
  claims.tensor_core = model.name;
  claims.tensor_core_operand = operand;
  claims.tree_height = n;
  const BoundRule rule = linear_bound(claims, DType::f32, 0, 1, 0, n);
  Sums sums;
  for (std::size_t at = 0; at < 128; ++at) {
    const double got = std::bit_cast<float>(m.c[at / 8][at % 8]);
    const double error = static_cast<double>(std::fabs(got - exact[at]));
    const double bound = rule.per_magnitude * static_cast<double>(magnitude[at]) +
                         rule.per_value * static_cast<double>(std::fabs(exact[at])) + rule.absolute;
    if (error / bound <= sums.worst) continue;
    sums = {error / bound, error, bound};
  }
  return sums;
}

TEST(TensorCoreBound, IsNeverPassed) {
  for (const MmaModel& model : kMmaModels) {
    for (const O operand : {O::f16, O::bf16, O::tf32, O::e4m3, O::e5m2}) {
      if (model.ieee || !model.block(operand).published()) continue;
      const bool by_f16 = model.fp8_by_f16 && (operand == O::e4m3 || operand == O::e5m2);
      double cut_away_worst = 0;
      for (const Draw draw : kDraws) {
        for (const int n : {1, 7, 16, 33, 200, 1000}) {
          for (std::uint64_t seed = 1; seed <= (n < 100 ? 6U : 2U); ++seed) {
            const Sums sums = simulate(model, operand, draw, n, seed);
            EXPECT_LE(sums.worst, 1)
                << model.name << " " << name_of(operand) << " draw " << static_cast<int>(draw)
                << " n " << n << ": error " << sums.at_error << ", bound " << sums.at_bound;
            if (draw == Draw::cut_away) cut_away_worst = std::max(cut_away_worst, sums.worst);
          }
        }
      }
      // fp8 by f16 is far better than the bound, which is that of the fp8 units.
      EXPECT_TRUE(by_f16 || cut_away_worst > 0.4) << model.name << " " << name_of(operand);
    }
  }
}

/// Without the absolute term subnormal operands would pass the bound.
TEST(TensorCoreBound, SubnormalsNeedTheirTerm) {
  const MmaModel& model = mma_model("a100");
  emu::MmaMatrices m{};
  m.depth = 16;
  m.a[0][0] = f16_bits(0x1p-24F);
  m.b[0][0] = f16_bits(1.0F);
  m.c[0][0] = std::bit_cast<std::uint32_t>(0x1.fp-39F);  // below the unit 2^-38
  emu::multiply_accumulate(model, O::f16, m);
  const double exact = 0x1p-24 + 0x1.fp-39;
  const double error = std::fabs(std::bit_cast<float>(m.c[0][0]) - exact);
  const double relative = mma_group_error(model.block(O::f16));
  EXPECT_GT(error, relative * exact);
  EXPECT_LE(error, relative * exact + mma_group_underflow(model.block(O::f16), mma_format(O::f16)));
}

BoundRule bound(const std::string& model, double n, O operand = O::f16) {
  Claims claims;
  claims.tensor_core = model;
  claims.tensor_core_operand = operand;
  claims.tree_height = n;
  return linear_bound(claims, DType::f32, 0, 1, 0, n);
}

/// ceil(n / m) ((m + 1) 2^-x + 1) 2^-23, as published.
TEST(TensorCoreBound, IsThePublishedOneToFirstOrder) {
  EXPECT_NEAR(bound("h100", 64).per_magnitude / (4 * (17.0 / 4 + 1) * 0x1p-23), 1, 1e-4);
  EXPECT_NEAR(bound("h100", 65).per_magnitude / (5 * (17.0 / 4 + 1) * 0x1p-23), 1, 1e-4);
  EXPECT_NEAR(bound("a100", 64).per_magnitude / (8 * (9.0 / 2 + 1) * 0x1p-23), 1, 1e-4);
  EXPECT_NEAR(bound("v100", 64).per_magnitude / (16 * 6.0 * 0x1p-23), 1, 1e-4);
  EXPECT_NEAR(bound("h100", 64, O::tf32).per_magnitude / (8 * (9.0 / 4 + 1) * 0x1p-23), 1, 1e-4);
  EXPECT_NEAR(bound("ada", 64, O::e4m3).per_magnitude / (4 * (17.0 + 1) * 0x1p-13), 1, 2e-2);
  EXPECT_NEAR(bound("ieee", 64).per_magnitude / (64 * 0x1p-24), 1, 1e-4);
  EXPECT_NE(bound("h100", 64).text.find("tensor core h100"), std::string::npos);
}

TEST(TensorCoreBound, AnUnknownDeviceGetsTheWeakest) {
  for (const O operand : {O::f16, O::bf16, O::tf32, O::e4m3}) {
    const BoundRule weakest = bound("any", 100, operand);
    bool reached = false;
    for (const MmaModel& model : kMmaModels) {
      if (!model.ieee && !model.block(operand).published()) continue;
      const BoundRule rule = bound(std::string(model.name), 100, operand);
      EXPECT_LE(rule.per_magnitude, weakest.per_magnitude);
      EXPECT_LE(rule.absolute, weakest.absolute);
      reached = reached || rule.per_magnitude == weakest.per_magnitude;
    }
    EXPECT_TRUE(reached);
  }
  EXPECT_THROW(bound("h300", 4), UsageError);
}

}  // namespace
}  // namespace wm::test
