#include "ops/linear.hpp"

#include <algorithm>
#include <cmath>

#include "ops/bounds.hpp"

namespace wm {
namespace {

double factor_roundings(double factor, DType acc) {
  if (factor == 0 || std::abs(factor) == 1) return 0;
  return 1 + (round_to(acc, factor) == factor ? 0 : 1);
}

}  // namespace

double epilogue_roundings(const LinearForm& form, DType acc, DType out) {
  const DType arithmetic = info(acc).floating ? acc : DType::f32;
  double factors = 0;
  for (const double factor : {form.alpha, form.beta, form.residual}) {
    factors = std::max(factors, factor_roundings(factor, arithmetic));
  }
  const int additions =
      (form.beta != 0 ? 1 : 0) + (form.residual != 0 ? 1 : 0) + (form.bias ? 1 : 0);
  // The prior output and z are read in the output type: one rounding more if acc is narrower.
  const bool reads_wider =
      (form.beta != 0 || form.residual != 0) && info(out).precision > info(arithmetic).precision;
  return factors + additions + (reads_wider ? 1 : 0);
}

double lipschitz_constant(ActivationFn fn, double alpha, double beta) {
  switch (fn) {
    case ActivationFn::sigmoid:
      return 0.25;
    case ActivationFn::leaky_relu:
      return std::max(1.0, std::abs(alpha));
    case ActivationFn::elu:
      return std::max(1.0, std::abs(alpha));
    case ActivationFn::gelu:
      return 1.12890415;  // at x = sqrt 2
    case ActivationFn::gelu_tanh:
      return 1.12899307;  // at x = 1.4185
    case ActivationFn::swish:
      // s(t) + t s(t) (1 - s(t)) at t = beta x = 2.3994; a constant 1/2 where beta is 0.
      return beta == 0 ? 0.5 : 1.09983933;
    case ActivationFn::mish:
      return 1.08849817;  // at x = 1.4906
    case ActivationFn::hardswish:
      return 1.5;  // at x = 3
    case ActivationFn::identity:
    case ActivationFn::relu:
    case ActivationFn::tanh:
    case ActivationFn::clipped_relu:
    case ActivationFn::softplus:
      return 1;
  }
  return 1;
}

BoundRule linear_rule(const LinearForm& form, const Claims& claims, DType out) {
  const double alpha = default_alpha(form.act);
  const double lipschitz = lipschitz_constant(form.act, alpha, default_beta(form.act));
  const bool exact_function = form.act == ActivationFn::identity ||
                              form.act == ActivationFn::relu ||
                              form.act == ActivationFn::clipped_relu;
  return linear_bound(claims, out, epilogue_roundings(form, claims.acc, out), lipschitz,
                      exact_function ? 0 : claims.function_ulp, static_cast<double>(form.depth),
                      std::abs(form.alpha), form.wide_reference ? 0x1p-64 : 0x1p-53);
}

}  // namespace wm
