#include "determinism/probe.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "determinism/compare.hpp"

namespace wm {
namespace {

std::vector<std::byte> stored(const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TensorDesc matrix(Dims dims, Dims strides) {
  return {"y", Role::output, DType::f32, std::move(dims), std::move(strides), 0};
}

TEST(FoldPart, ComparesABoxOfTensorsOfOtherSizesAndStrides) {
  // Rows 1 and 2 of the base are rows 0 and 1 of the other, whose rows are padded by one element.
  const TensorDesc base = matrix({3, 2}, {2, 1}), other = matrix({2, 2}, {3, 1});
  const auto base_bytes = stored({1, 2, 3, 4, 5, 6});
  ProbeVerdict verdict;
  fold_part(verdict, {base, base_bytes, {1, 0}}, {other, stored({3, 4, 9, 5, 6}), {0, 0}}, {2, 2},
            "alone");
  EXPECT_EQ(verdict.kind, ProbeVerdict::Kind::same);
  EXPECT_EQ(verdict.runs, 2);
  fold_part(verdict, {base, base_bytes, {1, 0}}, {other, stored({3, 4, 9, 5, 7}), {0, 0}}, {2, 2},
            "moved");
  EXPECT_EQ(verdict.kind, ProbeVerdict::Kind::differs);
  EXPECT_EQ(verdict.count, 1);
  EXPECT_EQ(verdict.first_index, (Dims{2, 1})) << "an index of the base";
  EXPECT_EQ(verdict.change, "moved");
}

TEST(FoldPart, TheFirstRunThatDiffersIsNamed) {
  const TensorDesc desc = matrix({1, 2}, {2, 1});
  const auto base = stored({1, 2});
  ProbeVerdict verdict;
  for (const char* change : {"first", "second"})
    fold_part(verdict, {desc, base, {0, 0}}, {desc, stored({1, 3}), {0, 0}}, {1, 2}, change);
  EXPECT_EQ(verdict.change, "first");
  EXPECT_EQ(verdict.runs, 3);
}

TEST(FoldPart, SignsOfZeroCountUnlessIgnored) {
  const TensorDesc desc = matrix({1, 2}, {2, 1});
  const auto base = stored({0.0F, 1}), other = stored({-0.0F, 1});
  ProbeVerdict strict, loose;
  fold_part(strict, {desc, base, {0, 0}}, {desc, other, {0, 0}}, {1, 2}, "");
  fold_part(loose, {desc, base, {0, 0}}, {desc, other, {0, 0}}, {1, 2}, "", ZeroSigns::ignored);
  EXPECT_EQ(strict.kind, ProbeVerdict::Kind::differs);
  EXPECT_EQ(loose.kind, ProbeVerdict::Kind::same);
}

TEST(Probe, WhatEqualRunsProve) {
  EXPECT_EQ(what_equal_runs_prove("rerun", 10, true), "by construction");
  EXPECT_EQ(what_equal_runs_prove("rerun", 10, false), "p <= 0.3 that a run differs, at 95 %");
  EXPECT_EQ(what_equal_runs_prove("rerun", 3, false), "nothing: too few runs");
  EXPECT_EQ(what_equal_runs_prove("schedule", 10, true), "");
}

TEST(Probe, OnlyRepetitionsTestDeterminism) {
  for (const char* probe :
       {"rerun", "process", "schedule", "streams", "output_poison", "workspace_poison", "order"})
    EXPECT_TRUE(tests_determinism(probe)) << probe;
  for (const char* probe : {"alignment", "strided", "batch", "padding", "algorithms", "config"})
    EXPECT_FALSE(tests_determinism(probe)) << probe;
}

}  // namespace
}  // namespace wm
