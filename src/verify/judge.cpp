#include "verify/judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"

namespace wm {
namespace {

constexpr std::size_t kWorstKept = 8;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One element's comparison: its error in units of its bound (> 1 fails, NaN never stored).
struct Comparison {
  double error = 0;        // |got - want|, infinity where the patterns differ
  double utilisation = 0;  // error / bound
  bool failed = false;
};

bool same_special(double got, double want) {
  return (std::isnan(got) && std::isnan(want)) || got == want;
}

Comparison fail_pattern() { return {kInfinity, kInfinity, true}; }

// Gate P. NaN and infinities must match; a finite reference may overflow the output type only where
// its bound reaches beyond the largest finite value.
Comparison compare_bound(double got, double want, double bound, double max_finite) {
  if (same_special(got, want)) return {};
  // The reference cannot say whether this element overflows; its detectability is 0.
  if (std::isinf(bound) && std::isfinite(want)) return {};
  if (std::isnan(got) || std::isnan(want) || std::isinf(want)) return fail_pattern();
  if (std::isinf(got)) {
    const bool may_overflow =
        std::signbit(got) == std::signbit(want) && std::abs(want) + bound > max_finite;
    return may_overflow ? Comparison{0, 1, false} : fail_pattern();
  }
  const double error = std::abs(got - want);
  const double utilisation = bound > 0 ? error / bound : kInfinity;
  return {error, utilisation, error > bound};
}

// Gate I: `rounded` is the reference rounded to the output type.
Comparison compare_exact(double got, double rounded) {
  if (same_special(got, rounded)) return {};
  if (!std::isfinite(got) || !std::isfinite(rounded)) return fail_pattern();
  return {std::abs(got - rounded), kInfinity, true};
}

int ulp_bin(double ulps) {
  if (ulps == 0) return 0;
  int bin = 1;
  for (double limit = 0.5; ulps > limit && bin < kUlpBins - 1; limit *= 2) ++bin;
  return bin;
}

// Collects the statistics of a tensor; kept apart from the verdict so that each is readable.
class Statistics {
 public:
  explicit Statistics(const TensorDesc& desc) : desc_(desc) {}

  void add(std::int64_t logical, double got, double want, double bound, const Comparison& result) {
    ++accuracy.compared;
    if (got == 0 && want == 0 && std::signbit(got) != std::signbit(want)) ++accuracy.sign_of_zero;
    count_pattern(got, want);
    if (result.failed) ++accuracy.mismatches;
    accuracy.bound_utilisation = std::max(accuracy.bound_utilisation, result.utilisation);
    if (std::isfinite(got) && std::isfinite(want)) add_error(got, want);
    if (result.failed || result.utilisation > weakest_kept_)
      keep(logical, got, want, bound, result);
  }

  TensorAccuracy finish() {
    const double count = static_cast<double>(std::max<std::int64_t>(finite_, 1));
    accuracy.rms = std::sqrt(sum_squares_ / count);
    accuracy.bias = sum_ / count;
    for (const Kept& kept : kept_)
      accuracy.worst.push_back(
          {unravel(kept.logical, desc_.dims), kept.got, kept.want, kept.bound});
    if (accuracy.mismatches > 0) accuracy.pattern = pattern();
    return accuracy;
  }

  TensorAccuracy accuracy;

 private:
  struct Kept {
    double score;
    std::int64_t logical;
    double got, want, bound;
  };

  void add_error(double got, double want) {
    const double signed_error = got - want;
    const double error = std::abs(signed_error);
    ++finite_;
    sum_ += signed_error;
    sum_squares_ += signed_error * signed_error;
    accuracy.max_abs = std::max(accuracy.max_abs, error);
    if (want != 0) accuracy.max_rel = std::max(accuracy.max_rel, error / std::abs(want));
    const double ulps = error == 0 ? 0 : error / ulp_of(desc_.dtype, want);
    accuracy.max_ulp = std::max(accuracy.max_ulp, ulps);
    ++accuracy.ulp_histogram[static_cast<std::size_t>(ulp_bin(ulps))];
  }

  void count_pattern(double got, double want) {
    if (got != 0) all_zero_ = false;
    if (std::isnan(got) && !std::isnan(want)) ++unexpected_nan_;
    if (std::isinf(got) && std::isfinite(want)) ++unexpected_inf_;
  }

  std::string pattern() const {
    if (unexpected_nan_ > 0)
      return std::to_string(unexpected_nan_) + " NaN where the reference is not (never written?)";
    if (unexpected_inf_ > 0)
      return std::to_string(unexpected_inf_) + " infinities where the reference is finite";
    if (all_zero_) return "the whole output is zero";
    return "";
  }

  void keep(std::int64_t logical, double got, double want, double bound, const Comparison& result) {
    const double score = result.failed && std::isinf(result.utilisation)
                             ? 1e300 + std::min(result.error, 1e300)
                             : result.utilisation;
    if (kept_.size() == kWorstKept && score <= kept_.back().score) return;
    const auto place =
        std::upper_bound(kept_.begin(), kept_.end(), score,
                         [](double value, const Kept& other) { return value > other.score; });
    kept_.insert(place, {score, logical, got, want, bound});
    if (kept_.size() > kWorstKept) kept_.pop_back();
    if (kept_.size() == kWorstKept) weakest_kept_ = kept_.back().score;
  }

  const TensorDesc& desc_;
  std::vector<Kept> kept_;
  double weakest_kept_ = 0;
  double sum_ = 0, sum_squares_ = 0;
  std::int64_t finite_ = 0, unexpected_nan_ = 0, unexpected_inf_ = 0;
  bool all_zero_ = true;
};

// What losing one of `depth` equal terms would change, against the bound.
double term_over_bound(const JudgeInput& in, std::size_t i, double bound) {
  const double size = in.rule.tracked ? std::abs(in.value[i]) : in.magnitude[i];
  if (!(size > 0) || !std::isfinite(size)) return kInfinity;
  if (in.rule.tracked && size < std::ldexp(1.0, info(in.desc.dtype).min_exponent)) return kInfinity;
  return size / static_cast<double>(std::max<std::int64_t>(in.depth, 1)) / bound;
}

}  // namespace

double ulp_of(DType dtype, double value) {
  const DTypeInfo& type = info(dtype);
  if (!type.floating) return 1;
  int exponent = type.min_exponent;
  if (value != 0 && std::isfinite(value)) exponent = std::max(exponent, std::ilogb(value));
  return std::ldexp(1.0, exponent - type.precision + 1);
}

double bound_of(const BoundRule& rule, double value, double magnitude) {
  return rule.per_magnitude * magnitude + rule.per_value * std::abs(value) + rule.absolute;
}

TensorAccuracy judge(const JudgeInput& in) {
  const std::int64_t total = in.desc.elements();
  if (static_cast<std::int64_t>(in.value.size()) != total ||
      static_cast<std::int64_t>(in.magnitude.size()) != total)
    throw std::logic_error("judge: reference of '" + in.desc.name + "' has " +
                           std::to_string(in.value.size()) + " elements, the tensor " +
                           std::to_string(total));
  Statistics statistics(in.desc);
  const double max_finite = info(in.desc.dtype).max_finite;
  double detectability = kInfinity;
  bool degenerate = total > 0;
  std::vector<double> got_values(static_cast<std::size_t>(total));
  load_all(in.desc, in.storage, got_values);
  for (std::int64_t logical = 0; logical < total; ++logical) {
    const auto i = static_cast<std::size_t>(logical);
    const double got = got_values[i];
    double want = in.value[i], bound = 0;
    Comparison result;
    if (in.gate == Gate::indexing) {
      want = round_to(in.desc.dtype, want);
      result = compare_exact(got, want);
    } else {
      bound = bound_of(in.rule, want, in.magnitude[i]);
      result = compare_bound(got, want, bound, max_finite);
      detectability = std::min(detectability, term_over_bound(in, i, bound));
    }
    if (in.nan_may_spread && std::isnan(got)) result = {};
    if (!std::isfinite(want) || !(std::abs(want) <= bound)) degenerate = false;
    statistics.add(logical, got, want, bound, result);
  }
  TensorAccuracy accuracy = statistics.finish();
  accuracy.gate = in.gate;
  accuracy.degenerate = degenerate;
  accuracy.detectability = detectability;
  accuracy.bound_text = in.gate == Gate::indexing ? "bit for bit" : in.rule.text;
  return accuracy;
}

}  // namespace wm
