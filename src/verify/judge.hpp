#pragma once
// The verdict on one output tensor: gate I (bit equality with the rounded reference) or gate P (a
// derived bound per element), with the statistics of the error. docs/verification.md explains both.
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ops/op.hpp"

namespace wm {

enum class Gate { indexing, precision };

struct WorstElement {
  Dims index;  ///< logical order
  double got = 0, want = 0, bound = 0;
};

/// Errors of 0, up to 1/2, 1, 2, 4, ... ulp of the output type; the last bin holds the rest.
inline constexpr int kUlpBins = 12;

struct TensorAccuracy {
  Gate gate = Gate::precision;
  std::int64_t compared = 0;
  std::int64_t mismatches = 0;
  std::int64_t sign_of_zero = 0;  ///< elements equal but for the sign of zero
  double max_abs = 0, max_rel = 0, max_ulp = 0;
  double rms = 0;   ///< root of the mean squared error
  double bias = 0;  ///< mean signed error
  double bound_utilisation = 0;
  /// Smallest (lost term) / bound over the elements; infinity under gate I.
  double detectability = 0;
  std::array<std::int64_t, kUlpBins> ulp_histogram{};
  std::vector<WorstElement> worst;  ///< at most 8, worst first
  bool degenerate = false;  ///< every |reference| is below its bound: an all-zero output would pass
  std::string pattern;     ///< what the mismatches look like ("all zero", "NaN for a finite value")
  std::string bound_text;  ///< the formula with its numbers

  bool ok() const { return mismatches == 0; }
};

struct JudgeInput {
  const TensorDesc& desc;
  const void* storage;                ///< device bytes of the tensor
  std::span<const double> value;      ///< reference, logical order
  std::span<const double> magnitude;  ///< reference, logical order
  BoundRule rule;
  std::int64_t depth = 1;  ///< terms summed an element (detectability)
  Gate gate = Gate::precision;
  /// NaN is accepted where the reference is finite: the claims say how it spreads from the inputs.
  bool nan_may_spread = false;
};

/// How far from `value` an element may be whose reference has this value and magnitude.
double bound_of(const BoundRule& rule, double value, double magnitude);

TensorAccuracy judge(const JudgeInput& input);

/// Spacing of the output type at |value|.
double ulp_of(DType dtype, double value);

}  // namespace wm
