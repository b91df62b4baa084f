#include "core/tensor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "core/error.hpp"

namespace wm {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TensorDesc describe(DType dtype, Dims dims, Dims strides) {
  return {.name = "t", .dtype = dtype, .dims = std::move(dims), .strides = std::move(strides)};
}

TEST(Tensor, ElementCount) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({2, 3, 4}), 24);
  EXPECT_EQ(element_count({2, 0, 4}), 0);
  EXPECT_EQ(element_count({std::int64_t{1} << 40, std::int64_t{1} << 40, 0}), 0);
  EXPECT_EQ(element_count({std::int64_t{1} << 31, std::int64_t{1} << 31}), std::int64_t{1} << 62);
}

TEST(Tensor, ElementCountRefusesOverflowAndNegatives) {
  EXPECT_THROW(element_count({std::int64_t{1} << 31, std::int64_t{1} << 31, 2}), UsageError);
  EXPECT_THROW(element_count({std::int64_t{1} << 40, std::int64_t{1} << 40}), UsageError);
  EXPECT_THROW(element_count({0, -1}), UsageError);
  try {
    element_count({3, -2});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "tensor [3, -2] has a negative dimension -2");
  }
}

TEST(Tensor, Strides) {
  EXPECT_EQ(packed_strides({2, 3, 4, 5}), (Dims{60, 20, 5, 1}));
  EXPECT_EQ(packed_strides({}), Dims{});
  EXPECT_EQ(packed_strides({2, 0, 3}), (Dims{3, 3, 1}));
  EXPECT_EQ(channels_last_strides({2, 3, 4, 5}), (Dims{60, 1, 15, 3}));
  EXPECT_EQ(channels_last_strides({2, 3, 4, 5, 6}), (Dims{360, 1, 90, 18, 3}));
  EXPECT_EQ(channels_last_strides({2, 3, 4}), (Dims{12, 1, 3}));
  EXPECT_EQ(channels_last_strides({2, 3}), (Dims{3, 1}));
  EXPECT_EQ(channels_last_strides({7}), (Dims{1}));
}

TEST(Tensor, SpanAndBytes) {
  EXPECT_EQ(describe(DType::f16, {2, 3}, {3, 1}).span(), 6);
  EXPECT_EQ(describe(DType::f16, {2, 3}, {3, 1}).bytes(), 12U);
  EXPECT_TRUE(describe(DType::f16, {2, 3}, {1, 2}).packed());
  EXPECT_EQ(describe(DType::f32, {2, 3}, {10, 2}).span(), 15);
  EXPECT_FALSE(describe(DType::f32, {2, 3}, {10, 2}).packed());
  EXPECT_EQ(describe(DType::f32, {4, 3}, {0, 1}).span(), 3);  // broadcast
  EXPECT_EQ(describe(DType::f32, {2, 0}, {100, 1}).span(), 0);
  EXPECT_EQ(describe(DType::f32, {2, 0}, {100, 1}).bytes(), 0U);
  EXPECT_EQ(describe(DType::f64, {}, {}).bytes(), 8U);
  EXPECT_EQ(describe(DType::b1, {9}, {1}).bytes(), 2U);
  EXPECT_THROW(describe(DType::f32, {2}, {-1}).span(), UsageError);
  EXPECT_THROW(describe(DType::f32, {3}, {std::int64_t{1} << 62}).span(), UsageError);
}

TEST(Tensor, UnravelIsTheOrderOfForEachElement) {
  const TensorDesc desc = describe(DType::f32, {2, 3, 2}, {100, 1, 10});
  std::int64_t calls = 0;
  for_each_element(desc, [&](std::int64_t logical, std::int64_t storage) {
    EXPECT_EQ(logical, calls++);
    const Dims index = unravel(logical, desc.dims);
    EXPECT_EQ(storage, 100 * index[0] + index[1] + 10 * index[2]);
  });
  EXPECT_EQ(calls, 12);
}

TEST(Tensor, RoundToEachType) {
  EXPECT_EQ(round_to(DType::f64, 0.1), 0.1);
  EXPECT_EQ(round_to(DType::f32, 0.1), static_cast<double>(0.1F));
  EXPECT_EQ(round_to(DType::f32, 1e300), kInfinity);
  EXPECT_EQ(round_to(DType::f16, 2049), 2048);
  EXPECT_EQ(round_to(DType::f16, 2051), 2052);
  EXPECT_EQ(round_to(DType::f16, 70000), kInfinity);
  EXPECT_EQ(round_to(DType::bf16, 257), 256);
  EXPECT_EQ(round_to(DType::e4m3, 1000), 448);
  EXPECT_EQ(round_to(DType::e5m2, -1e6), -57344);
  EXPECT_TRUE(std::isnan(round_to(DType::bf16, std::nan(""))));
}

TEST(Tensor, RoundToIntegersSaturates) {
  EXPECT_EQ(round_to(DType::s8, 2.5), 2);
  EXPECT_EQ(round_to(DType::s8, 3.5), 4);
  EXPECT_EQ(round_to(DType::s8, -1000), -128);
  EXPECT_EQ(round_to(DType::s8, 127.5), 127);
  EXPECT_EQ(round_to(DType::u8, -0.6), 0);
  EXPECT_EQ(round_to(DType::u8, 255.4), 255);
  EXPECT_EQ(round_to(DType::u8, 256), 255);
  EXPECT_EQ(round_to(DType::s32, 1e10), 2147483647);
  EXPECT_EQ(round_to(DType::s32, -kInfinity), -2147483648.0);
  EXPECT_EQ(round_to(DType::s64, 1e30), 0x1p63);
  EXPECT_EQ(round_to(DType::s32, std::nan("")), 0);
  EXPECT_EQ(round_to(DType::b1, -3), 1);
  EXPECT_EQ(round_to(DType::b1, 0), 0);
}

TEST(Tensor, BitsArePackedLowestFirst) {
  unsigned char data[2] = {0, 0xff};
  store_from_double(DType::b1, data, 3, 1);
  store_from_double(DType::b1, data, 8, 0);
  EXPECT_EQ(data[0], 0x08);
  EXPECT_EQ(data[1], 0xfe);
  EXPECT_EQ(load_as_double(DType::b1, data, 3), 1);
  EXPECT_EQ(load_as_double(DType::b1, data, 2), 0);
}

class TensorBulk : public testing::TestWithParam<DType> {};

/// Bulk conversion equals the element-wise one in every layout and writes nothing between elements.
TEST_P(TensorBulk, EqualsElementWiseConversion) {
  const DType dtype = GetParam();
  const Dims dims{2, 3, 4, 5};
  for (const Dims& strides : {packed_strides(dims), channels_last_strides(dims),
                              Dims{100, 30, 6, 1}, Dims{1, 2, 6, 24}, Dims{500, 120, 30, 3}}) {
    const TensorDesc desc = describe(dtype, dims, strides);
    std::vector<double> logical(120);
    for (std::size_t i = 0; i < logical.size(); ++i) {
      logical[i] = (static_cast<double>(i) - 60) * 1.37;
    }
    std::vector<unsigned char> expected(desc.bytes(), 0xa5);
    std::vector<unsigned char> actual = expected;
    for_each_element(desc, [&](std::int64_t i, std::int64_t at) {
      store_from_double(dtype, expected.data(), at, logical[static_cast<std::size_t>(i)]);
    });
    store_all(desc, logical, actual.data());
    EXPECT_EQ(actual, expected);

    std::vector<double> loaded(120);
    load_all(desc, actual.data(), loaded);
    for (std::size_t i = 0; i < loaded.size(); ++i) {
      EXPECT_EQ(loaded[i], round_to(dtype, logical[i])) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, TensorBulk,
                         testing::Values(DType::f64, DType::f32, DType::f16, DType::bf16,
                                         DType::e4m3, DType::e5m2, DType::s8, DType::u8, DType::s32,
                                         DType::s64, DType::b1),
                         [](const auto& param_info) {
                           return std::string(name_of(param_info.param));
                         });

TEST(Tensor, BulkConversionOfScalarsEmptiesAndWrongSizes) {
  const float three = 3;
  std::vector<double> one(1);
  load_all(describe(DType::f32, {}, {}), &three, one);
  EXPECT_EQ(one[0], 3);
  std::vector<double> none;
  load_all(describe(DType::f32, {4, 0}, {1, 1}), nullptr, none);
  store_all(describe(DType::f32, {0, 4}, {4, 1}), none, nullptr);
  EXPECT_THROW(load_all(describe(DType::f32, {2}, {1}), &three, one), UsageError);
}

}  // namespace
}  // namespace wm
