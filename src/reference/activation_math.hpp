#pragma once
// The activation functions and their derivatives over a real type (double, long double).
//
//   identity      x                                 swish      x sigmoid(beta x)
//   relu          max(x, 0)                         softplus   log(1 + exp(beta x)) / beta
//   sigmoid       1 / (1 + exp(-x))                 mish       x tanh(log(1 + exp(x)))
//   tanh          tanh(x)                           hardswish  x min(max(x + 3, 0), 6) / 6
//   clipped_relu  min(max(x, 0), alpha)             leaky_relu x > 0 ? x : alpha x
//   gelu          x (1 + erf(x / sqrt 2)) / 2       elu        x > 0 ? x : alpha (exp(x) - 1)
//   gelu_tanh     x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2
//
// Evaluated in forms that keep full relative accuracy in the tails, as (1 + erf(z)) / 2 =
// erfc(-z) / 2 and (1 + tanh z) / 2 = sigmoid(2z). NaN propagates; at infinity the functions take
// their limits (swish(-inf) = 0). Derivatives at a kink: relu'(0) = 0, leaky_relu'(0) = elu'(0) =
// alpha, clipped_relu' = 0 at both ends, hardswish' = 0 up to -3 and 1 from 3.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/error.hpp"
#include "ops/activation_fn.hpp"

namespace wm {

/// A function value and the size its error is relative to: 0 where the value is exact, |value|
/// otherwise, and the sum of the absolute terms where the terms of a derivative cancel.
template <class Real>
struct FunctionValue {
  Real value;
  Real scale;
};

template <class Real>
Real sigmoid(Real x) {
  return 1 / (1 + std::exp(-x));
}

template <class Real>
Real softplus(Real x) {
  return std::isnan(x) ? x : std::max(x, Real(0)) + std::log1p(std::exp(-std::abs(x)));
}

/// x * factor where a vanishing factor wins over an infinite x.
template <class Real>
Real damped(Real x, Real factor) {
  return factor == 0 ? Real(0) : x * factor;
}

/// Twice tanh's argument in gelu_tanh, 2 sqrt(2/pi) (x + 0.044715 x^3).
template <class Real>
Real gelu_tanh_argument(Real x) {
  const Real scale = 2 * std::sqrt(2 * std::numbers::inv_pi_v<Real>);
  return scale * x * (1 + Real(0.044715L) * x * x);
}

template <class Real>
FunctionValue<Real> activation(ActivationFn fn, double alpha, double beta, Real x) {
  const auto exact = [](Real value) { return FunctionValue<Real>{value, 0}; };
  const auto rounded = [](Real value) { return FunctionValue<Real>{value, std::abs(value)}; };
  if (std::isnan(x)) return exact(x);
  switch (fn) {
    case ActivationFn::identity:
      return exact(x);
    case ActivationFn::relu:
      return exact(std::max(x, Real(0)));
    case ActivationFn::sigmoid:
      return rounded(sigmoid(x));
    case ActivationFn::tanh:
      return rounded(std::tanh(x));
    case ActivationFn::clipped_relu:
      return x >= alpha ? rounded(Real(alpha)) : exact(std::max(x, Real(0)));
    case ActivationFn::leaky_relu:
      return x > 0 ? exact(x) : rounded(Real(alpha) * x);
    case ActivationFn::elu:
      return x > 0 ? exact(x) : rounded(Real(alpha) * std::expm1(x));
    case ActivationFn::gelu:
      return rounded(damped(x, std::erfc(-x * (std::numbers::sqrt2_v<Real> / 2)) / 2));
    case ActivationFn::gelu_tanh:
      return rounded(damped(x, sigmoid(gelu_tanh_argument(x))));
    case ActivationFn::swish:
      return rounded(damped(x, sigmoid(Real(beta) * x)));
    case ActivationFn::softplus:
      return rounded(softplus(Real(beta) * x) / Real(beta));
    case ActivationFn::mish:
      return rounded(damped(x, std::tanh(softplus(x))));
    case ActivationFn::hardswish:
      return x <= -3 ? exact(0) : x >= 3 ? exact(x) : rounded(x * (x + 3) / 6);
  }
  throw UsageError("activation: no reference for function number " +
                   std::to_string(static_cast<int>(fn)));
}

/// a + b whose parts may cancel.
template <class Real>
FunctionValue<Real> cancelling(Real a, Real b) {
  return {a + b, std::abs(a) + std::abs(b)};
}

/// d/dx of x sigmoid(t(x)), given t and x t'(x).
template <class Real>
FunctionValue<Real> sigmoid_product_slope(Real t, Real x_slope) {
  return cancelling(sigmoid(t), damped(damped(x_slope, sigmoid(-t)), sigmoid(t)));
}

template <class Real>
FunctionValue<Real> activation_slope(ActivationFn fn, double alpha, double beta, Real x) {
  const auto exact = [](Real value) { return FunctionValue<Real>{value, 0}; };
  const auto rounded = [](Real value) { return FunctionValue<Real>{value, std::abs(value)}; };
  if (std::isnan(x)) return exact(fn == ActivationFn::identity ? 1 : x);
  switch (fn) {
    case ActivationFn::identity:
      return exact(1);
    case ActivationFn::relu:
      return exact(x > 0 ? 1 : 0);
    case ActivationFn::sigmoid:
      return rounded(sigmoid(x) * sigmoid(-x));
    case ActivationFn::tanh:
      return rounded(4 * sigmoid(2 * x) * sigmoid(-2 * x));
    case ActivationFn::clipped_relu:
      return exact(x > 0 && x < alpha ? 1 : 0);
    case ActivationFn::leaky_relu:
      return x > 0 ? exact(1) : rounded(Real(alpha));
    case ActivationFn::elu:
      return x > 0 ? exact(1) : rounded(Real(alpha) * std::exp(x));
    case ActivationFn::gelu: {
      const Real density = std::exp(-x * x / 2) * std::sqrt(std::numbers::inv_pi_v<Real> / 2);
      return cancelling(std::erfc(-x * (std::numbers::sqrt2_v<Real> / 2)) / 2, damped(x, density));
    }
    case ActivationFn::gelu_tanh: {
      const Real scale = 2 * std::sqrt(2 * std::numbers::inv_pi_v<Real>);
      return sigmoid_product_slope(gelu_tanh_argument(x),
                                   scale * x * (1 + Real(3 * 0.044715L) * x * x));
    }
    case ActivationFn::swish:
      return sigmoid_product_slope(Real(beta) * x, Real(beta) * x);
    case ActivationFn::softplus:
      return rounded(sigmoid(Real(beta) * x));
    case ActivationFn::mish: {
      const Real s = softplus(x);
      return cancelling(std::tanh(s),
                        damped(damped(x, 4 * sigmoid(2 * s) * sigmoid(-2 * s)), sigmoid(x)));
    }
    case ActivationFn::hardswish:
      return x <= -3 ? exact(0) : x >= 3 ? exact(1) : cancelling((x + x) / 6, Real(0.5));
  }
  throw UsageError("activation: no reference for the derivative of function number " +
                   std::to_string(static_cast<int>(fn)));
}

}  // namespace wm
