// Saturation is taken where it is certain, whichever way the function is written: with S = 128
// (1024 where float64 is involved) exp(-S) is below half the smallest subnormal of f32 (f64), so
// sigmoid(-S) = 0, tanh(-S) = -1, elu(-S) = -alpha, x sigmoid(x) = 0 at -S; and from x = 64 on
// exp(-x) < 2^-92 vanishes beside 1 in every type, so sigmoid = 1, softplus(x) = swish(x) = x. The
// Gaussian functions saturate sooner: erfc(16 / sqrt 2) < 2^-180. S and the integers are values of
// every floating-point type, or are left out.
#include "ops/activation_exact.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "ops/exact.hpp"

namespace wm {
namespace {

class Points {
 public:
  explicit Points(DType in) : in_(in) {}
  void add(double x) {
    if (round_to(in_, x) == x) x_.push_back(x);
  }
  void add_range(int first, int last) {
    for (int x = first; x <= last; ++x) add(x);
  }
  std::vector<double> take() { return std::move(x_); }

 private:
  DType in_;
  std::vector<double> x_;
};

struct Context {
  const ActivationProblem& activation;
  DType in, out, acc;
  double saturated;  ///< S
};

/// Whether factor * integer is exact for integers up to 16, and stays finite in the output.
bool exact_factor(const Context& at, double factor) {
  if (factor == 0) return true;
  const Dyadic parts = dyadic(factor);
  return std::abs(parts.odd) * 16 <= std::ldexp(1.0, info(at.acc).precision) &&
         parts.exponent >= info(at.acc).min_exponent &&
         std::abs(factor) * 16 <= std::min(info(at.out).max_finite, 0x1p16);
}

/// x = 1..16 passes unchanged; 0 and below where the factor alpha is exact there.
void add_scaled_relu(const Context& at, Points& points, double lowest) {
  points.add_range(1, 16);
  if (!exact_factor(at, at.activation.alpha)) return;
  points.add(0);
  if (lowest < -16) {
    points.add(lowest);
  } else {
    points.add_range(static_cast<int>(lowest), -1);
  }
}

void add_clipped(const Context& at, Points& points) {
  points.add_range(-16, 16);
  points.add(at.activation.alpha);
}

/// Derivative of mish at 0 is 3/5; the others are 0, 1/4, 1/2 or 1 there. softplus(0) is log 2.
bool exact_at_zero(const Context& at) {
  const ActivationFn fn = at.activation.fn;
  if (fn == ActivationFn::mish) return !at.activation.backward;
  if (fn == ActivationFn::softplus) return at.activation.backward;
  return true;
}

void add_saturating(const Context& at, Points& points, int first_identity) {
  if (exact_at_zero(at)) points.add(0);
  points.add(-at.saturated);
  points.add_range(first_identity, first_identity + 16);
}

void add_hardswish(const Context& at, Points& points) {
  points.add_range(-16, -3);
  points.add(0);
  points.add_range(3, 16);
  if (at.activation.backward) return;
  points.add(1.5);  // 1.5 * 4.5 / 6 = 1.125
}

void add_points(const Context& at, Points& points) {
  switch (at.activation.fn) {
    case ActivationFn::identity:
    case ActivationFn::relu:
      return points.add_range(-16, 16);
    case ActivationFn::leaky_relu:
      return add_scaled_relu(at, points, -16);
    case ActivationFn::elu:
      return add_scaled_relu(at, points, -at.saturated);
    case ActivationFn::clipped_relu:
      return add_clipped(at, points);
    case ActivationFn::sigmoid:
    case ActivationFn::tanh:
      points.add(0);
      points.add(-at.saturated);
      return points.add(at.saturated);
    case ActivationFn::gelu:
    case ActivationFn::gelu_tanh:
      return add_saturating(at, points, 16);
    case ActivationFn::swish:
    case ActivationFn::softplus:
    case ActivationFn::mish:
      return add_saturating(at, points, 64);
    case ActivationFn::hardswish:
      return add_hardswish(at, points);
  }
}

/// Why the parameters leave no exact points; empty where they do.
std::string why_not(const Context& at) {
  const ActivationProblem& activation = at.activation;
  const std::string start = "no exact recipe: " + std::string(name_of(activation.fn));
  const std::string beta = " beta=" + format_real(activation.beta);
  if (activation.fn == ActivationFn::swish && (activation.beta < 1 || activation.beta > 64)) {
    return start + beta + ": saturation needs beta from 1 to 64";
  }
  if (activation.fn == ActivationFn::softplus) {
    const bool power_of_two = std::abs(dyadic(activation.beta).odd) == 1;
    if (!power_of_two || activation.beta < 1 || activation.beta > 64) {
      return start + beta + ": dividing by beta is exact for 1, 2, 4, ..., 64 only";
    }
  }
  if (activation.fn == ActivationFn::clipped_relu) {
    for (const DType dtype : {at.acc, at.out}) {
      if (round_to(dtype, activation.alpha) == activation.alpha) continue;
      return start + " alpha=" + format_real(activation.alpha) + " is no value of " +
             std::string(name_of(dtype));
    }
  }
  return {};
}

}  // namespace

ExactPoints exact_points(const Problem& problem) {
  const auto& activation = problem.as<ActivationProblem>();
  const DTypes& types = problem.dtypes;
  const bool wide = types.in == DType::f64 || types.out == DType::f64 || problem.acc == DType::f64;
  const DType out = activation.backward ? types.in : types.out;
  const Context at{activation, types.in, out, problem.acc, wide ? 1024.0 : 128.0};
  ExactPoints result;
  result.why_not = why_not(at);
  if (!result.why_not.empty()) return result;
  Points points(types.in);
  add_points(at, points);
  result.x = points.take();
  return result;
}

}  // namespace wm
