// Derivation of linear_bound. Notation: u_acc, u_out unit roundoffs of the accumulation and output
// types, eta = half their subnormal spacing, h = tree height, e = epilogue roundings, n = products
// of one sum, S = the reference's magnitude, r its value.
//
// 1. Sum. Every term (a product scaled by alpha, beta c, bias, residual z) passes at most h + e
//    rounded operations, each a factor (1 + delta), |delta| <= u_acc; so the computed
//    pre-activation t^ is sum of terms (1 + theta), |theta| <= gamma_{h+e}(u_acc) (Higham, lemma
//    3.1), and |t^ - t| <= gamma_{h+e} S in any order of summation.
//    Tensor cores do not round products and additions: they add groups of m products and the
//    accumulator after alignment to the largest of their exponents, every term cut at 23 + x
//    fraction bits, and cut the sum to 23. With T the sum of a group's magnitudes, cutting m + 1
//    terms loses less than (m + 1) 2^-(23+x) T and the last cut less than 2^-23 of the result: q =
//    (m + 1) 2^-(23+x) + 2^-23 (to first order) of T. The accumulator passes ceil(n / m) groups;
//    groups of zeros change nothing. So |t^ - t| <= gamma_{ceil(n/m)}(q) S for the sum, then the
//    epilogue's roundings as above. Subnormal operands are aligned by a larger exponent than their
//    own, which adds an absolute term a group (core/mma_model.hpp).
// 2. Down-conversion. Operands a (1 + d1), b (1 + d2), |di| <= u_in: each product moves by a factor
//    within d = 2 u_in + u_in^2; together (1 + d)(1 + gamma) - 1 = gamma + d + gamma d.
// 3. Underflow. Sums do not underflow in gradual underflow; each of the n products and e epilogue
//    operations adds at most eta_acc, enlarged afterwards by at most (1 + gamma), and those inside
//    the sum by `sum_scale` = |alpha| as well.
// 4. Activation: |f(t^) - f(t)| <= L |t^ - t|; its own error of k ulp is at most 2 k u_acc |f(t^)|
//    plus k subnormal spacings.
// 5. Output rounding, only where the output type cannot hold every accumulation value: u_out |v| +
//    eta_out with |v| <= |r| + everything above. Integer outputs round to nearest: 1/2.
// 6. The reference itself: gamma_{n+e+1}(2^-53) S for float64 sums (2^-64 for problems with
//    float64 operands, whose reference is long double), and 2^-53 |r| for its rounding to double.
// 7. Float atomics on global memory flush subnormals: each addition loses at most 2^-126 in each
//    operand and in its result, enlarged and scaled as in step 3.
#include "ops/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.hpp"

namespace wm {
namespace {

constexpr double kReferenceRounding = 0x1p-53;
/// Step 7: what one flushing addition can lose, both operands and the result below 2^-126.
constexpr double kFlushedAddition = 3 * 0x1p-126;

/// Input error of one down-converted operand.
double down_conversion_roundoff(const Claims& claims) {
  if (claims.down_conversion.empty()) return 0;
  if (claims.down_conversion == "tf32_rounded") return 0x1p-11;
  if (claims.down_conversion == "tf32_truncated") return 0x1p-10;
  throw UsageError(unknown_message("down_conversion claim", claims.down_conversion,
                                   {"tf32_rounded", "tf32_truncated"}));
}

/// Whether every value of `from` is a value of `to`.
bool holds(DType to, DType from) {
  const DTypeInfo& wide = info(to);
  const DTypeInfo& narrow = info(from);
  return wide.floating == narrow.floating && wide.precision >= narrow.precision &&
         wide.min_exponent <= narrow.min_exponent && wide.max_finite >= narrow.max_finite;
}

struct OutputRounding {
  double relative = 0;
  double absolute = 0;
};

OutputRounding output_rounding(DType out) {
  if (!info(out).floating) return {0, 0.5};
  return {unit_roundoff(out), subnormal_spacing(out) / 2};
}

struct SumError {
  double relative = 0;   ///< of S
  double underflow = 0;  ///< one operation
  double absolute = 0;   ///< of the sum of products, before alpha
  std::string text;
};

/// Step 1 on a tensor core, for `products` products: a relative and an absolute error.
struct TensorCoreError {
  double relative = 0;
  double absolute = 0;
  std::string text;
};

TensorCoreError tensor_core_error(const MmaModel& model, MmaOperand operand, double products) {
  TensorCoreError error;
  if (model.ieee) {
    error.relative = gamma_factor(products, unit_roundoff(DType::f32));
    error.text = "fused multiply-adds: gamma_" + format_real(products) + "(2^-24)";
    return error;
  }
  const MmaBlock& block = model.block(operand);
  const double groups = std::ceil(products / block.products);
  const double unit = mma_group_error(block);
  error.relative = gamma_factor(groups, unit);
  error.absolute = groups * mma_group_underflow(block, mma_format(operand)) * (1 + error.relative);
  error.text = "tensor core " + std::string(model.name) + ": gamma_" + format_real(groups) + "(" +
               format_real(unit) + ")";
  return error;
}

/// Of the claimed model; of the weakest that has the operand where the model is not known.
TensorCoreError tensor_core_error(const Claims& claims, double products) {
  if (claims.tensor_core != kUnknownMmaModel)
    return tensor_core_error(mma_model(claims.tensor_core), claims.tensor_core_operand, products);
  TensorCoreError weakest;
  for (const MmaModel& model : kMmaModels) {
    if (!model.ieee && !model.block(claims.tensor_core_operand).published()) continue;
    const TensorCoreError error = tensor_core_error(model, claims.tensor_core_operand, products);
    weakest.relative = std::max(weakest.relative, error.relative);
    weakest.absolute = std::max(weakest.absolute, error.absolute);
    if (weakest.relative == error.relative) weakest.text = "weakest, " + error.text;
  }
  return weakest;
}

/// Steps 1 and 2. Integer accumulation is exact; its epilogue runs in f32.
SumError sum_error(const Claims& claims, double epilogue_roundings, double products) {
  const bool floating = info(claims.acc).floating;
  const DType arithmetic = floating ? claims.acc : DType::f32;
  const bool tensor_core = floating && !claims.tensor_core.empty();
  const double height = tensor_core ? 0 : claims.tree_height;
  const double roundings = floating                 ? height + epilogue_roundings
                           : epilogue_roundings > 0 ? epilogue_roundings + 1
                                                    : 0;
  const TensorCoreError matrix =
      tensor_core ? tensor_core_error(claims, products) : TensorCoreError{};
  const double rounded = gamma_factor(roundings, unit_roundoff(arithmetic));
  const double gamma = rounded + matrix.relative + rounded * matrix.relative;
  const double u_in = down_conversion_roundoff(claims);
  const double d = 2 * u_in + u_in * u_in;
  SumError error;
  error.relative = gamma + d + gamma * d;
  error.underflow = roundings > 0 || tensor_core ? subnormal_spacing(arithmetic) / 2 : 0;
  error.absolute = matrix.absolute;
  error.text = matrix.text.empty() ? "" : matrix.text + ", ";
  error.text +=
      "gamma_" + format_real(roundings) + "(2^-" + std::to_string(info(arithmetic).precision) + ")";
  if (d > 0) error.text += " and down-conversion " + format_real(d);
  return error;
}

std::string rule_text(const BoundRule& rule, const std::string& origin) {
  return "B = " + format_real(rule.per_magnitude) + " S + " + format_real(rule.per_value) +
         " |r| + " + format_real(rule.absolute) + " (" + origin + ")";
}

BoundRule undefined_rule(const std::string& origin) {
  BoundRule rule;
  rule.defined = false;
  rule.per_magnitude = std::numeric_limits<double>::infinity();
  rule.text = "undefined: h u >= 1 (" + origin + ")";
  return rule;
}

}  // namespace

double gamma_factor(double n, double unit_roundoff) {
  const double product = n * unit_roundoff;
  return product < 1 ? product / (1 - product) : std::numeric_limits<double>::infinity();
}

BoundRule linear_bound(const Claims& claims, DType out, double epilogue_roundings, double lipschitz,
                       double activation_ulp, double products_per_sum, double sum_scale,
                       double reference_unit) {
  const SumError sum = sum_error(claims, epilogue_roundings, products_per_sum);
  const double reference = gamma_factor(products_per_sum + epilogue_roundings + 1, reference_unit);
  if (!std::isfinite(sum.relative) || !std::isfinite(reference)) return undefined_rule(sum.text);
  const bool exact_output = holds(out, claims.acc);
  const OutputRounding rounding = exact_output ? OutputRounding{} : output_rounding(out);
  const DType arithmetic = info(claims.acc).floating ? claims.acc : DType::f32;
  const double function = 2 * activation_ulp * unit_roundoff(arithmetic);
  const double grow = 1 + rounding.relative;
  BoundRule rule;
  rule.per_magnitude = grow * (1 + function) * lipschitz * sum.relative + lipschitz * reference;
  rule.per_value = rounding.relative + grow * function + kReferenceRounding;
  const double underflow = (products_per_sum * std::max(1.0, sum_scale) + epilogue_roundings) *
                               sum.underflow * (1 + sum.relative) +
                           std::max(1.0, sum_scale) * sum.absolute * (1 + sum.relative);
  const double flushed = claims.flushing_additions * kFlushedAddition * std::max(1.0, sum_scale);
  rule.absolute = grow * ((1 + function) * lipschitz * (underflow + flushed * (1 + sum.relative)) +
                          activation_ulp * subnormal_spacing(arithmetic)) +
                  rounding.absolute;
  rule.text = rule_text(rule, sum.text + (exact_output ? ", exact output conversion" : "") +
                                  (lipschitz != 1 ? ", L " + format_real(lipschitz) : ""));
  return rule;
}

BoundRule tracked_bound(const Claims&, DType out) {
  const OutputRounding rounding = output_rounding(out);
  BoundRule rule;
  rule.per_magnitude = 1 + rounding.relative;
  rule.per_value = rounding.relative + kReferenceRounding;
  rule.absolute = rounding.absolute;
  rule.tracked = true;
  rule.text = rule_text(rule, "S is the running error of the reference");
  return rule;
}

}  // namespace wm
