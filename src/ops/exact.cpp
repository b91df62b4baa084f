#include "ops/exact.hpp"

#include <algorithm>
#include <cmath>

#include "core/rng.hpp"
#include "core/text.hpp"
#include "ops/recipes.hpp"

namespace wm {
namespace {

/// Large enough that sums need more bits than f16 has, small enough to leave a transform room.
constexpr std::int64_t kLargest = 16;
constexpr std::int64_t kLargestExtra = 8;

/// Largest integer up to which every integer is a value of the type, at most `limit`.
std::int64_t integer_cap(DType dtype, std::int64_t limit) {
  const DTypeInfo& type = info(dtype);
  const double dense = std::min(std::ldexp(1.0, type.precision), type.max_finite);
  return std::min(limit, static_cast<std::int64_t>(std::min(dense, 0x1p52)));
}

bool has_epilogue(const LinearForm& form) {
  return form.alpha != 1 || form.beta != 0 || form.residual != 0 || form.bias;
}

/// Significand bits of the arithmetic: an integer sum goes through f32 where an epilogue follows,
/// and never past what the float64 reference holds.
int exact_bits(const LinearForm& form, DType acc) {
  if (info(acc).floating) return info(acc).precision;
  return std::min(info(acc).precision, has_epilogue(form) ? 24 : 52);
}

double granule(const LinearForm& form) {
  int exponent = 0;
  for (const double factor : {form.alpha, form.beta, form.residual}) {
    if (factor != 0) exponent = std::min(exponent, dyadic(factor).exponent);
  }
  return std::ldexp(1.0, exponent);
}

bool exact_function(ActivationFn fn) {
  return fn == ActivationFn::identity || fn == ActivationFn::relu ||
         fn == ActivationFn::clipped_relu;
}

std::string factors_text(const LinearForm& form) {
  return "alpha=" + format_real(form.alpha) + " beta=" + format_real(form.beta) +
         " residual=" + format_real(form.residual);
}

/// T may reach this much.
double total_limit(const LinearForm& form, const LinearTypes& types) {
  const DType arithmetic = info(types.acc).floating ? types.acc : DType::f32;
  const double bits = std::ldexp(1.0, exact_bits(form, types.acc));
  return std::min({bits * granule(form), info(types.out).max_finite, info(arithmetic).max_finite});
}

/// sum |a||b| may reach this much beside the extra terms; below 1 there is no exact domain.
double sum_limit(const LinearForm& form, const LinearTypes& types, double extras) {
  const double bits = std::ldexp(1.0, exact_bits(form, types.acc));
  const double total = total_limit(form, types);
  if (extras > total) return 0;
  if (form.alpha == 0) return bits;
  return std::floor(std::min(bits, (total - extras) / std::abs(form.alpha)));
}

double extras_per_unit(const LinearForm& form) {
  return std::abs(form.beta) + std::abs(form.residual) + (form.bias ? 1 : 0);
}

/// Product a_max b_max: within the limit for the depth, and not so large that typical sums of
/// random signs (a_max b_max sqrt(n) / 3) lose their last bits in a narrow output type, unless
/// below 4.
double wanted_product(const LinearForm& form, const LinearTypes& types, double limit) {
  const double depth = static_cast<double>(std::max<std::int64_t>(form.depth, 1));
  const double scale = std::max(std::abs(form.alpha), 1e-6);
  const double visible =
      3 * std::ldexp(1.0, info(types.out).precision) / (std::sqrt(depth) * scale);
  return std::min(limit / depth, std::max(4.0, visible));
}

}  // namespace

Dyadic dyadic(double value) {
  int exponent = 0;
  double odd = std::frexp(value, &exponent);
  while (odd != std::trunc(odd)) {
    odd *= 2;
    --exponent;
  }
  return {odd, exponent};
}

ExactPlan plan_exact(const LinearForm& form, const LinearTypes& types) {
  ExactPlan plan;
  if (!exact_function(form.act)) {
    plan.why_not = "no exact recipe: activation " + std::string(name_of(form.act)) +
                   " is not exact on integers";
    return plan;
  }
  const DType arithmetic = info(types.acc).floating ? types.acc : DType::f32;
  plan.extra_max =
      std::min(integer_cap(types.out, kLargestExtra), integer_cap(types.bias, kLargestExtra));
  const double room = total_limit(form, types) / 4;
  while (plan.extra_max > 1 && static_cast<double>(plan.extra_max) * extras_per_unit(form) > room) {
    plan.extra_max /= 2;
  }
  const double limit =
      sum_limit(form, types, static_cast<double>(plan.extra_max) * extras_per_unit(form));
  if (limit < 1 || granule(form) < std::ldexp(1.0, info(arithmetic).min_exponent)) {
    plan.why_not = "no exact recipe: sums with " + factors_text(form) + " are not exact in acc " +
                   std::string(name_of(types.acc)) + " or pass " + std::string(name_of(types.out)) +
                   "'s largest value";
    return plan;
  }
  const auto product = static_cast<std::int64_t>(std::clamp(
      wanted_product(form, types, limit), 1.0, static_cast<double>(kLargest * kLargest)));
  const std::int64_t root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(product)));
  plan.first_max = std::clamp<std::int64_t>(root, 1, integer_cap(types.first, kLargest));
  plan.second_max =
      std::clamp<std::int64_t>(product / plan.first_max, 1, integer_cap(types.second, kLargest));
  plan.first_max =
      std::clamp<std::int64_t>(product / plan.second_max, 1, integer_cap(types.first, kLargest));
  const double depth = static_cast<double>(form.depth);
  plan.period = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(depth / limit)));
  return plan;
}

void fill_integers(const FillRequest& request, const TensorDesc& tensor, std::int64_t max,
                   std::span<double> values, std::int64_t period, const ReductionIndex& reduction) {
  const Random random(request.seed, stream_of(tensor.name));
  const Random kept(request.seed, stream_of(tensor.name + ".kept"));
  const bool negative = tensor.dtype != DType::u8;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = 0;
    if (period > 1) {
      const auto [row, index] = reduction(static_cast<std::int64_t>(i));
      const std::uint64_t block =
          (static_cast<std::uint64_t>(row) << 32) ^ static_cast<std::uint64_t>(index / period);
      if (index % period != kept.integer(block, 0, period - 1)) continue;
    }
    const std::int64_t drawn = random.integer(i, 1, negative ? 2 * max : max);
    values[i] = static_cast<double>(drawn <= max ? drawn : max - drawn);
  }
}

}  // namespace wm
