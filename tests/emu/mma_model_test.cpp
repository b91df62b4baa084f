// The arithmetic models of tensor cores: closed forms that tell rounding, alignment bits, carries
// and group sizes apart (after Fasi, Higham, Mikaitis, Pranesh, PeerJ CS 2021, and arXiv
// 2512.07004), and random products against a second implementation of the rule.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/float_types.hpp"
#include "core/rng.hpp"
#include "emu/mma_models.hpp"

namespace wm::emu {
namespace {

using O = MmaOperand;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

int depth_of(O operand) {
  switch (operand) {
    case O::tf32:
      return 8;
    case O::f16:
    case O::bf16:
      return 16;
    default:
      return 32;
  }
}

std::uint32_t encode(O operand, double value) {
  switch (operand) {
    case O::f16:
      return f16_bits(value);
    case O::bf16:
      return bf16_bits(value);
    case O::tf32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case O::e4m3:
      return e4m3_bits(value);
    case O::e5m2:
      return e5m2_bits(value);
    case O::s8:
      return static_cast<std::uint32_t>(static_cast<int>(value)) & 0xffU;
  }
  return 0;
}

double decode(O operand, std::uint32_t bits) {
  switch (operand) {
    case O::f16:
      return f16_value(static_cast<std::uint16_t>(bits));
    case O::bf16:
      return bf16_value(static_cast<std::uint16_t>(bits));
    case O::tf32:
      return std::bit_cast<float>(bits & 0xffffe000U);
    case O::e4m3:
      return e4m3_value(static_cast<std::uint8_t>(bits));
    case O::e5m2:
      return e5m2_value(static_cast<std::uint8_t>(bits));
    case O::s8:
      return static_cast<std::int8_t>(bits);
  }
  return 0;
}

/// c + sum a_k b_k of one output element (row 3, column 5); the other elements stay zero.
float dot(std::string_view model, O operand, const std::vector<double>& a,
          const std::vector<double>& b, float c) {
  MmaMatrices m{};
  m.depth = depth_of(operand);
  for (std::size_t k = 0; k < a.size(); ++k) {
    m.a[3][k] = encode(operand, a[k]);
    m.b[k][5] = encode(operand, b[k]);
  }
  m.c[3][5] = std::bit_cast<std::uint32_t>(c);
  multiply_accumulate(mma_model(model), operand, m);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) EXPECT_TRUE(m.c[i][j] == 0 || i == 3 || j == 5) << i << " " << j;
  return std::bit_cast<float>(m.c[3][5]);
}

/// `count` products of 2^exponent, split so that both factors are values of f16.
float add_powers(std::string_view model, float c, int count, int exponent) {
  const std::vector<double> a(static_cast<std::size_t>(count), std::ldexp(1.0, exponent / 2));
  const std::vector<double> b(static_cast<std::size_t>(count),
                              std::ldexp(1.0, exponent - exponent / 2));
  return dot(model, O::f16, a, b, c);
}

TEST(MmaModel, NamesAreRefusedWithTheAllowedOnes) {
  EXPECT_EQ(mma_model("h100").block(O::f16).products, 16);
  try {
    (void)mma_model("h1000");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'h100'"), std::string::npos);
  }
}

TEST(MmaModel, ProductsAreExact) {
  const double x = 1 + 0x1p-10;
  for (const char* model : {"ieee", "v100", "a100", "ada", "h100", "b200"})
    EXPECT_EQ(dot(model, O::f16, {x}, {x}, 0), static_cast<float>(1 + 0x1p-9 + 0x1p-20)) << model;
}

/// Terms below the unit of alignment are lost however many they are; above it they add up.
TEST(MmaModel, ExtraAlignmentBits) {
  const float next = 1 + 0x1p-23F;
  for (const char* model : {"v100", "a100", "ada", "h100", "b200"})
    EXPECT_EQ(add_powers(model, 1, 1, -23), next) << model;
  EXPECT_EQ(add_powers("v100", 1, 4, -24), 1);
  for (const char* model : {"a100", "ada", "h100", "b200"}) {
    EXPECT_EQ(add_powers(model, 1, 1, -24), 1) << model;
    EXPECT_EQ(add_powers(model, 1, 2, -24), next) << model;
  }
  for (const char* model : {"a100", "ada"}) EXPECT_EQ(add_powers(model, 1, 8, -25), 1) << model;
  for (const char* model : {"h100", "b200"}) {
    EXPECT_EQ(add_powers(model, 1, 4, -25), next) << model;
    EXPECT_EQ(add_powers(model, 1, 16, -26), 1) << model;
  }
}

/// 1 + 3 2^-24 lies halfway; to nearest even it would be 1 + 2^-22.
TEST(MmaModel, TheSumIsCutTowardZero) {
  const double tiny = 0x1p-12;
  for (const char* model : {"a100", "ada", "h100", "b200"}) {
    EXPECT_EQ(dot(model, O::f16, {tiny, tiny, tiny}, {tiny, tiny, tiny}, 1), 1 + 0x1p-23F);
    EXPECT_EQ(dot(model, O::f16, {tiny, tiny, tiny}, {-tiny, -tiny, -tiny}, -1), -(1 + 0x1p-23F));
    // -1 + 2^-25: the neighbour toward zero, which lies 2^-24 away
    EXPECT_EQ(dot(model, O::f16, {1, tiny}, {-1, tiny / 2}, 0),
              model[0] == 'a' ? -1 : -1 + 0x1p-24F);
  }
  EXPECT_EQ(dot("ieee", O::f16, {1, 0x1p-12}, {1, 1.5 * 0x1p-11}, 0), 1 + 0x1p-22F);
}

/// The accumulator has room for the carries of a whole group.
TEST(MmaModel, CarriesAreKept) {
  const double x = 2 - 0x1p-10;  // x x is just below 4
  for (const char* model : {"v100", "a100", "h100"}) {
    const auto products = static_cast<std::size_t>(mma_model(model).block(O::f16).products);
    const std::vector<double> factors(products, x);
    const double exact = static_cast<double>(products) * x * x;
    const double unit = std::ldexp(1.0, std::ilogb(exact) - 23);
    EXPECT_EQ(dot(model, O::f16, factors, factors, 0), std::trunc(exact / unit) * unit) << model;
  }
}

/// +2^20 and -2^20 in the first two places; a small product at place p survives where p belongs to
/// a later group.
TEST(MmaModel, GroupSizes) {
  const auto survivor = [](std::string_view model, O operand, std::size_t place) {
    std::vector<double> a(static_cast<std::size_t>(depth_of(operand))), b(a);
    a[0] = a[1] = 0x1p10;
    b[0] = 0x1p10;
    b[1] = -0x1p10;
    a[place] = b[place] = 0x1p-6;
    return dot(model, operand, a, b, 0) == 0x1p-12F;
  };
  const auto group = [&](std::string_view model, O operand) {
    for (std::size_t place = 2; place < static_cast<std::size_t>(depth_of(operand)); ++place)
      if (survivor(model, operand, place)) return static_cast<int>(place);
    return depth_of(operand);
  };
  EXPECT_EQ(group("v100", O::f16), 4);
  for (const O operand : {O::f16, O::bf16}) {
    EXPECT_EQ(group("a100", operand), 8);
    EXPECT_EQ(group("ada", operand), 8);
    EXPECT_EQ(group("h100", operand), 16);
    EXPECT_EQ(group("b200", operand), 16);
  }
  EXPECT_EQ(group("a100", O::tf32), 4);
  EXPECT_EQ(group("ada", O::tf32), 4);
  EXPECT_EQ(group("h100", O::tf32), 8);
  EXPECT_EQ(group("b200", O::tf32), 8);
}

/// A larger accumulator, a smaller result: at 1 the unit of alignment doubles and eight products
/// of 2^-25 vanish.
TEST(MmaModel, SumsAreNotMonotonic) {
  const float below = 1 - 0x1p-24F;
  EXPECT_EQ(add_powers("a100", below, 8, -25), 1 + 0x1p-23F);
  EXPECT_EQ(add_powers("a100", 1, 8, -25), 1);
  EXPECT_EQ(add_powers("h100", below, 16, -26), 1 + 0x1p-23F);
  EXPECT_EQ(add_powers("h100", 1, 16, -26), 1);
}

TEST(MmaModel, Tf32ReadsNineteenBits) {
  const double x = 1 + 0x1p-10 + 0x1p-11;
  for (const char* model : {"ieee", "a100", "h100"})
    EXPECT_EQ(dot(model, O::tf32, {x}, {1}, 0), 1 + 0x1p-10F) << model;
}

/// f16 subnormals are exact, but aligned as numbers of exponent -14: beside a product of exponent
/// -14 + 13, 2^-24 2^13 = 2^-11 keeps F - 10 bits.
TEST(MmaModel, SubnormalOperandsKeepTheirExponent) {
  EXPECT_EQ(dot("a100", O::f16, {0x1p-24}, {1}, 0), 0x1p-24F);
  // one product of exponent -14: unit 2^-38; an accumulator of 2^-39 is lost though 2^-24 is far
  EXPECT_EQ(dot("a100", O::f16, {0x1p-24}, {1}, 0x1p-39F), 0x1p-24F);
  EXPECT_EQ(dot("a100", O::f16, {0x1p-24}, {1}, 0x1p-38F), 0x1p-24F + 0x1p-38F);
  EXPECT_EQ(dot("a100", O::f16, {0x1p-14}, {0x1p-10}, 0x1p-39F), 0x1p-24F + 0x1p-39F);
}

TEST(MmaModel, Fp8OnAdaHasAThirteenBitAccumulator) {
  EXPECT_EQ(dot("ada", O::e4m3, {0x1p-6}, {0x1p-6}, 1), 1 + 0x1p-12F);
  EXPECT_EQ(dot("ada", O::e4m3, {0x1p-6, 0x1p-6}, {0x1p-8, 0x1p-8}, 1), 1);
  EXPECT_EQ(dot("ada", O::e5m2, {}, {}, 1 + 0x1p-20F), 1);
}

/// On H100 and B200 compilers widen fp8 to f16 and add the accumulator last, to nearest.
TEST(MmaModel, Fp8ByF16) {
  for (const char* model : {"h100", "b200"}) {
    EXPECT_EQ(dot(model, O::e4m3, {0x1p-6, 0x1p-6}, {0x1p-8, 0x1p-8}, 1), 1 + 0x1p-13F);
    EXPECT_EQ(dot(model, O::e5m2, {0x1p-12, 0x1p-12, 0x1p-12}, {0x1p-12, 0x1p-12, 0x1p-12}, 1),
              1 + 0x1p-22F);
    // places 0, 1, 4, 5, ... are one group, 2, 3, 6, 7, ... the next
    std::vector<double> a(32), b(32);
    a[0] = a[4] = 0x1p12;
    b[0] = 0x1p12;
    b[4] = -0x1p12;
    a[2] = b[2] = 0x1p-6;
    EXPECT_EQ(dot(model, O::e5m2, a, b, 0), 0x1p-12F);
    std::swap(a[2], a[5]);
    std::swap(b[2], b[5]);
    EXPECT_EQ(dot(model, O::e5m2, a, b, 0), 0);
  }
}

TEST(MmaModel, OperandsADeviceDoesNotHave) {
  EXPECT_FALSE(has_mma(mma_model("v100"), O::bf16));
  EXPECT_FALSE(has_mma(mma_model("a100"), O::e4m3));
  for (const MmaModel& model : kMmaModels) EXPECT_TRUE(has_mma(model, O::s8));
  for (const O operand : {O::f16, O::bf16, O::tf32, O::e4m3, O::e5m2})
    EXPECT_TRUE(has_mma(mma_model("h100"), operand));
}

TEST(MmaModel, Specials) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const char* model : {"ieee", "a100", "h100"}) {
    EXPECT_EQ(dot(model, O::f16, {inf, 1}, {-2, 1}, 5), -kInfinity) << model;
    for (const float nan :
         {dot(model, O::f16, {inf}, {0}, 1), dot(model, O::bf16, {1}, {1}, NAN),
          dot(model, O::bf16, {inf, inf}, {1, -1}, 0), dot(model, O::f16, {inf}, {1}, -kInfinity)})
      EXPECT_EQ(std::bit_cast<std::uint32_t>(nan), 0x7fffffffU) << model;
    EXPECT_EQ(dot(model, O::bf16, {0x1p127}, {2}, 0), kInfinity) << model;
    EXPECT_EQ(dot(model, O::bf16, {0x1p-100}, {0x1p-49}, 0), 0x1p-149F) << model;
  }
}

TEST(MmaModel, IntegersAreExactAndWrap) {
  MmaMatrices m{};
  m.depth = 32;
  for (int k = 0; k < 32; ++k) {
    m.a[0][k] = encode(O::s8, -128);
    m.b[k][0] = encode(O::s8, k % 2 == 0 ? 127 : -128);
  }
  m.c[0][0] = 0x7fffffffU;
  multiply_accumulate(mma_model("h100"), O::s8, m);
  EXPECT_EQ(m.c[0][0], 0x7fffffffU + static_cast<std::uint32_t>(16 * (128 * 128 - 128 * 127)));
}

/// One group by the rule's own words, on doubles.
double group_by_the_rule(O operand, const std::vector<double>& a, const std::vector<double>& b,
                         double c, const MmaBlock& block) {
  const int least = mma_format(operand).min_exponent;
  const auto exponent = [](double x, int lowest) { return std::max(std::ilogb(x), lowest); };
  int top = c == 0 ? -126 : exponent(c, -126);
  for (std::size_t k = 0; k < a.size(); ++k)
    if (a[k] != 0 && b[k] != 0) top = std::max(top, exponent(a[k], least) + exponent(b[k], least));
  const double unit = std::ldexp(1.0, top - 23 - block.extra_bits);
  double sum = std::trunc(c / unit);
  for (std::size_t k = 0; k < a.size(); ++k) sum += std::trunc(a[k] * b[k] / unit);
  sum *= unit;
  if (sum == 0) return 0;
  const int last = std::max(std::ilogb(sum) - block.fraction_bits, -149);
  return std::ldexp(std::trunc(std::ldexp(sum, -last)), last);
}

/// Random elements whose exponents spread over `spread` binades; some zero, some subnormal.
double random_element(const Random& random, std::uint64_t index, O operand, int spread) {
  const double normal = random.normal(3 * index);
  const int exponent = static_cast<int>(random.integer(3 * index + 1, -spread, spread));
  const std::int64_t kind = random.integer(3 * index + 2, 0, 19);
  if (kind == 0) return 0;
  const double value = kind == 1 ? std::ldexp(normal, mma_format(operand).min_exponent - 2)
                                 : std::ldexp(normal, exponent);
  return decode(operand, encode(operand, value));
}

TEST(MmaModel, RandomGroupsFollowTheRule) {
  for (const MmaModel& model : kMmaModels) {
    for (const O operand : {O::f16, O::bf16, O::tf32, O::e4m3, O::e5m2}) {
      const bool fp8 = operand == O::e4m3 || operand == O::e5m2;
      if (model.ieee || !has_mma(model, operand) || (fp8 && model.fp8_by_f16)) continue;
      const MmaBlock& block = model.block(operand);
      const Random random(11, static_cast<std::uint64_t>(operand));
      std::uint64_t next = 0;
      for (int trial = 0; trial < 1500; ++trial) {
        const int spread = std::vector{0, 2, 6, 14}[static_cast<std::size_t>(trial % 4)];
        std::vector<double> a, b;
        for (int k = 0; k < depth_of(operand); ++k) {
          a.push_back(random_element(random, next++, operand, spread));
          b.push_back(random_element(random, next++, operand, spread));
        }
        const float c = static_cast<float>(random_element(random, next++, O::tf32, 2 * spread));
        double expected = c;
        for (std::size_t k = 0; k < a.size(); k += static_cast<std::size_t>(block.products)) {
          const auto end = k + static_cast<std::size_t>(block.products);
          const auto slice = [&](const std::vector<double>& from) {
            return std::vector<double>(from.begin() + static_cast<std::ptrdiff_t>(k),
                                       from.begin() + static_cast<std::ptrdiff_t>(end));
          };
          expected = group_by_the_rule(operand, slice(a), slice(b), expected, block);
        }
        ASSERT_EQ(dot(model.name, operand, a, b, c), expected)
            << model.name << " " << name_of(operand) << " trial " << trial;
      }
    }
  }
}

TEST(MmaModel, OrderWithinAGroupDoesNotMatter) {
  const Random random(7, 1);
  std::uint64_t next = 0;
  bool order_of_groups_matters = false;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> a, b;
    for (int k = 0; k < 16; ++k) {
      a.push_back(random_element(random, next++, O::f16, 8));
      b.push_back(random_element(random, next++, O::f16, 8));
    }
    const float c = static_cast<float>(random.normal(1000000 + next));
    const float whole = dot("h100", O::f16, a, b, c), halves = dot("a100", O::f16, a, b, c);
    std::reverse(a.begin(), a.begin() + 8);
    std::reverse(b.begin(), b.begin() + 8);
    EXPECT_EQ(dot("a100", O::f16, a, b, c), halves);
    std::reverse(a.begin(), a.end());
    std::reverse(b.begin(), b.end());
    EXPECT_EQ(dot("h100", O::f16, a, b, c), whole);
    order_of_groups_matters = order_of_groups_matters || dot("a100", O::f16, a, b, c) != halves;
  }
  EXPECT_TRUE(order_of_groups_matters);
}

TEST(MmaModel, IeeeIsAChainOfFusedMultiplyAdds) {
  const Random random(3, 2);
  std::uint64_t next = 0;
  for (const O operand : {O::f16, O::bf16, O::tf32, O::e4m3, O::e5m2}) {
    for (int trial = 0; trial < 200; ++trial) {
      std::vector<double> a, b;
      float expected = static_cast<float>(random.normal(1000000 + next));
      const float c = expected;
      for (int k = 0; k < depth_of(operand); ++k) {
        a.push_back(random_element(random, next++, operand, 4));
        b.push_back(random_element(random, next++, operand, 4));
        expected = std::fma(static_cast<float>(a.back()), static_cast<float>(b.back()), expected);
      }
      ASSERT_EQ(dot("ieee", operand, a, b, c), expected);
    }
  }
}

}  // namespace
}  // namespace wm::emu
