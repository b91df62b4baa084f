#include "core/text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "core/rng.hpp"

namespace wm {
namespace {

using Strings = std::vector<std::string>;

TEST(Text, SplitKeepsEmptyPartsAndJoinRestoresThem) {
  EXPECT_EQ(split("a,b", ','), (Strings{"a", "b"}));
  EXPECT_EQ(split("", ','), (Strings{""}));
  EXPECT_EQ(split(",a,,", ','), (Strings{"", "a", "", ""}));
  EXPECT_EQ(join({"a", "", "b"}, ", "), "a, , b");
  EXPECT_EQ(join({}, ","), "");
  EXPECT_EQ(join(split("x//y/", '/'), "/"), "x//y/");
}

TEST(Text, ParseIntTakesExactIntegersOnly) {
  EXPECT_EQ(parse_int("0"), 0);
  EXPECT_EQ(parse_int("-17"), -17);
  EXPECT_EQ(parse_int("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_int("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  for (const char* text :
       {"", "-", "+1", " 1", "1 ", "1.0", "1e3", "0x10", "9223372036854775808", "12a", "--1"}) {
    EXPECT_EQ(parse_int(text), std::nullopt) << text;
  }
}

TEST(Text, ParseRealTakesFiniteNumbersOnly) {
  EXPECT_EQ(parse_real("1"), 1.0);
  EXPECT_EQ(parse_real("-0.5"), -0.5);
  EXPECT_EQ(parse_real("1e-05"), 1e-5);
  EXPECT_EQ(parse_real("4.9406564584124654e-324"), 0x1p-1074);
  for (const char* text :
       {"", ".", "1e", "1e400", "inf", "nan", "-inf", "infinity", " 1", "1f", "0x1p3", "1,5"}) {
    EXPECT_EQ(parse_real(text), std::nullopt) << text;
  }
}

TEST(Text, ParseRealTakesSpecialsWhereAllowed) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(parse_real("inf", true), kInfinity);
  EXPECT_EQ(parse_real("-inf", true), -kInfinity);
  EXPECT_TRUE(std::isnan(parse_real("nan", true).value_or(0)));
  EXPECT_EQ(parse_real("2.5", true), 2.5);
  EXPECT_EQ(parse_real("-nan", true), std::nullopt);
  EXPECT_EQ(parse_real("nan(1)", true), std::nullopt);
}

TEST(Text, FormatRealIsShortestAndReadsBack) {
  EXPECT_EQ(format_real(1), "1");
  EXPECT_EQ(format_real(0.5), "0.5");
  EXPECT_EQ(format_real(-0.0), "-0");
  EXPECT_EQ(format_real(1e-5), "1e-05");
  EXPECT_EQ(format_real(0.1), "0.1");
  EXPECT_EQ(format_real(std::nan("")), "NaN");
  EXPECT_EQ(format_real(std::numeric_limits<double>::infinity()), "Infinity");
  EXPECT_EQ(format_real(-std::numeric_limits<double>::infinity()), "-Infinity");
  const Random random(3, 4);
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const std::uint64_t bits = (std::uint64_t{random.bits(2 * i)} << 32) | random.bits(2 * i + 1);
    const auto value = std::bit_cast<double>(bits);
    if (!std::isfinite(value)) continue;
    const auto back = parse_real(format_real(value));
    ASSERT_TRUE(back.has_value()) << format_real(value);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*back), bits) << format_real(value);
  }
}

TEST(Text, NearestFindsTyposOnly) {
  const Strings ops{"conv_fwd", "conv_bwd_data", "matmul", "softmax_fwd"};
  EXPECT_EQ(nearest("conv_fwdd", ops), "conv_fwd");
  EXPECT_EQ(nearest("mamtul", ops), "matmul");
  EXPECT_EQ(nearest("softmax", ops), "");  // distance 4
  EXPECT_EQ(nearest("conv_bwd_dta", ops), "conv_bwd_data");
  EXPECT_EQ(nearest("softmax_forward", ops), "softmax_fwd");  // distance 4 of 15 / 3
  EXPECT_EQ(nearest("pooling", ops), "");
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(Text, NearestKeepsTheFirstOfEquals) { EXPECT_EQ(nearest("f3", {"f32", "f3x"}), "f32"); }

TEST(Text, UnknownMessageNamesTheWordTheSuggestionAndAllAllowed) {
  EXPECT_EQ(unknown_message("op", "matmull", {"matmul", "conv"}),
            "unknown op 'matmull'; did you mean 'matmul'? allowed: matmul, conv");
  EXPECT_EQ(unknown_message("op", "zzzzzzzz", {"matmul", "conv"}),
            "unknown op 'zzzzzzzz'; allowed: matmul, conv");
}

struct GlobCase {
  const char* pattern;
  const char* text;
  bool matches;
};

class Glob : public testing::TestWithParam<GlobCase> {};

TEST_P(Glob, Matches) {
  EXPECT_EQ(glob_match(GetParam().pattern, GetParam().text), GetParam().matches)
      << GetParam().pattern << " on " << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Text, Glob,
    testing::Values(GlobCase{"", "", true}, GlobCase{"", "a", false}, GlobCase{"*", "", true},
                    GlobCase{"conv*", "conv_fwd", true}, GlobCase{"conv*", "xconv", false},
                    GlobCase{"*fwd", "conv_fwd_fwd", true}, GlobCase{"*fwd", "fwd_", false},
                    GlobCase{"a?c", "abc", true}, GlobCase{"a?c", "ac", false},
                    GlobCase{"*a*b*", "xxaxxbxx", true}, GlobCase{"*a*b*", "xxbxxaxx", false},
                    GlobCase{"[abc]x", "bx", true}, GlobCase{"[abc]x", "dx", false},
                    GlobCase{"[a-c]", "b", true}, GlobCase{"[a-c]", "d", false},
                    GlobCase{"[!a]", "b", true}, GlobCase{"[!a]", "a", false},
                    GlobCase{"[a", "[a", true}, GlobCase{"{f16,f32}", "f32", true},
                    GlobCase{"{f16,f32}", "f64", false},
                    GlobCase{"conv_{fwd,bwd_{data,filter}}", "conv_bwd_filter", true},
                    GlobCase{"conv_{fwd,bwd_{data,filter}}", "conv_bwd_fwd", false},
                    GlobCase{"a{,b}c", "ac", true}, GlobCase{"{a*,b}/x", "abc/x", true},
                    GlobCase{"{a", "{a", true}, GlobCase{"a.c", "abc", false}));

TEST(Text, GlobWithManyStarsIsFast) {
  const std::string text(200, 'a');
  EXPECT_FALSE(glob_match("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", text));
}

}  // namespace
}  // namespace wm
