#include "determinism/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace wm {
namespace {

std::vector<std::byte> bytes_of(const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

const TensorDesc kPacked{"y", Role::output, DType::f32, {2, 3}, {3, 1}, 0};

TEST(FoldRun, SameBytes) {
  ProbeVerdict verdict = ProbeVerdict::not_run("");
  const auto base = bytes_of({1, 2, 3, 4, 5, 6});
  fold_run(verdict, kPacked, base, base);
  fold_run(verdict, kPacked, base, base);
  EXPECT_EQ(verdict.kind, ProbeVerdict::Kind::same);
  EXPECT_EQ(verdict.runs, 3);
}

TEST(FoldRun, CountsDifferingBitsAndUlps) {
  ProbeVerdict verdict = ProbeVerdict::not_run("");
  const auto base = bytes_of({1, 2, 3, 4, 5, 6});
  const float next = std::nextafter(std::nextafter(4.0F, 9.0F), 9.0F);
  fold_run(verdict, kPacked, base, bytes_of({1, 2, 3, next, 5, std::nextafter(6.0F, 9.0F)}));
  EXPECT_EQ(verdict.kind, ProbeVerdict::Kind::differs);
  EXPECT_EQ(verdict.count, 2);
  EXPECT_EQ(verdict.first_index, (Dims{1, 0}));
  EXPECT_DOUBLE_EQ(verdict.max_ulp, 2);
  fold_run(verdict, kPacked, base, base);
  EXPECT_EQ(verdict.kind, ProbeVerdict::Kind::differs) << "a later equal run does not heal it";
}

TEST(FoldRun, NanPayloadAndSignOfZeroCount) {
  ProbeVerdict verdict = ProbeVerdict::not_run("");
  fold_run(verdict, kPacked, bytes_of({0, 2, 3, 4, 5, 6}), bytes_of({-0.0F, 2, 3, 4, 5, 6}));
  EXPECT_EQ(verdict.kind, ProbeVerdict::Kind::differs);
  auto quiet = bytes_of({NAN, 2, 3, 4, 5, 6});
  auto payload = quiet;
  payload[0] = std::byte{1};
  verdict = ProbeVerdict::not_run("");
  fold_run(verdict, kPacked, quiet, payload);
  EXPECT_EQ(verdict.kind, ProbeVerdict::Kind::differs);
  EXPECT_TRUE(std::isinf(verdict.max_ulp));
}

TEST(FoldRun, GapsOfStridedTensorsDoNotCount) {
  const TensorDesc strided{"y", Role::output, DType::f32, {2, 2}, {3, 1}, 0};
  ProbeVerdict verdict = ProbeVerdict::not_run("");
  fold_run(verdict, strided, bytes_of({1, 2, 7, 3, 4}), bytes_of({1, 2, 9, 3, 4}));
  EXPECT_EQ(verdict.kind, ProbeVerdict::Kind::same);
  EXPECT_EQ(tensor_digest(strided, bytes_of({1, 2, 7, 3, 4})),
            tensor_digest(strided, bytes_of({1, 2, 9, 3, 4})));
  EXPECT_NE(tensor_digest(strided, bytes_of({1, 2, 7, 3, 4})),
            tensor_digest(strided, bytes_of({1, 2, 7, 3, 5})));
}

TEST(CanonicalDigest, OneNanIsAsGoodAsAnother) {
  const auto plain = bytes_of({1, NAN, 3, 4, 5, -0.0F});
  auto other = plain;
  other[4] = std::byte{7};      // payload
  other[7] |= std::byte{0x80};  // sign
  EXPECT_NE(tensor_digest(kPacked, plain), tensor_digest(kPacked, other));
  EXPECT_EQ(canonical_digest(kPacked, plain), canonical_digest(kPacked, other));
  EXPECT_NE(canonical_digest(kPacked, plain),
            canonical_digest(kPacked, bytes_of({1, NAN, 3, 4, 5, 0.0F})));
}

TEST(CanonicalDigest, IsTheDigestWhereNoNanIs) {
  const auto bytes = bytes_of({1, INFINITY, 3, 4, -5, -0.0F});
  EXPECT_EQ(canonical_digest(kPacked, bytes), tensor_digest(kPacked, bytes));
  const TensorDesc halves{"y", Role::output, DType::f16, {2, 3}, {3, 1}, 0};
  const std::vector<std::byte> nans(12, std::byte{0x7c});  // 0x7c7c: a NaN
  EXPECT_NE(canonical_digest(halves, nans), tensor_digest(halves, nans));
}

}  // namespace
}  // namespace wm
