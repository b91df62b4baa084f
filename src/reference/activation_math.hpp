#pragma once
// The activation functions and their derivatives, written once over a number type: double and long
// double for values, Tracked (tracked.hpp) for values with a bound of their rounding error.
//
//   identity      x                                 swish      x sigmoid(beta x)
//   relu          max(x, 0)                         softplus   log(1 + exp(beta x)) / beta
//   sigmoid       1 / (1 + exp(-x))                 mish       x tanh(log(1 + exp(x)))
//   tanh          tanh(x)                           hardswish  x min(max(x + 3, 0), 6) / 6
//   clipped_relu  min(max(x, 0), alpha)             leaky_relu x > 0 ? x : alpha x
//   gelu          x (1 + erf(x / sqrt 2)) / 2       elu        x > 0 ? x : alpha (exp(x) - 1)
//   gelu_tanh     x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2
//
// NaN propagates through all of them; infinities follow IEEE arithmetic on the formula (swish(-inf)
// is -inf * 0 = NaN). Derivatives at a kink: relu'(0) = 0, leaky_relu'(0) = elu'(0) = alpha,
// clipped_relu' = 0 at both ends, hardswish' = 0 up to -3 and 1 from 3.
#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "ops/activation_fn.hpp"

namespace wm {

// What the formulas need beyond + - * / and std functions; tracked.hpp has the other overloads.
template <class Real>
Real sigmoid(Real x) {
  return 1 / (1 + std::exp(-x));
}
template <class Real>
Real clamp_to(Real x, double low, double high) {
  return x < low ? Real(low) : x > high ? Real(high) : x;  // NaN stays
}
template <class Real>
double value_of(Real x) {
  return static_cast<double>(x);
}
/// A real constant or parameter in the arithmetic of `like` (rounded there if it is narrower).
template <class Real>
Real constant(const Real& /*like*/, double value) {
  return Real(value);
}

template <class T>
T softplus(const T& x) {
  using std::abs, std::exp, std::log1p;
  return clamp_to(x, 0, std::numeric_limits<double>::infinity()) + log1p(exp(-abs(x)));
}

/// tanh's argument in gelu_tanh, sqrt(2/pi) (x + 0.044715 x^3).
template <class T>
T gelu_tanh_inner(const T& x) {
  const double scale = std::sqrt(2 * std::numbers::inv_pi);
  return constant(x, scale) * (x + constant(x, 0.044715) * x * x * x);
}

template <class T>
T activation(ActivationFn fn, double alpha, double beta, const T& x) {
  using std::erf, std::expm1, std::tanh;
  const auto param = [&](double value) { return constant(x, value); };
  const double at = value_of(x);
  switch (fn) {
    case ActivationFn::identity:
      return x;
    case ActivationFn::relu:
      return at < 0 ? T(0.0) : x;
    case ActivationFn::sigmoid:
      return sigmoid(x);
    case ActivationFn::tanh:
      return tanh(x);
    case ActivationFn::clipped_relu:
      return at < 0 ? T(0.0) : at > alpha ? param(alpha) : x;
    case ActivationFn::leaky_relu:
      return at < 0 ? param(alpha) * x : x;
    case ActivationFn::elu:
      return at < 0 ? param(alpha) * expm1(x) : x;
    case ActivationFn::gelu:
      return T(0.5) * x * (T(1.0) + erf(x * param(std::numbers::sqrt2 / 2)));
    case ActivationFn::gelu_tanh:
      return T(0.5) * x * (T(1.0) + tanh(gelu_tanh_inner(x)));
    case ActivationFn::swish:
      return x * sigmoid(param(beta) * x);
    case ActivationFn::softplus:
      return softplus(param(beta) * x) / param(beta);
    case ActivationFn::mish:
      return x * tanh(softplus(x));
    case ActivationFn::hardswish:
      return x * clamp_to(x + T(3.0), 0, 6) / T(6.0);
  }
  throw UsageError("activation: no reference for function number " +
                   std::to_string(static_cast<int>(fn)));
}

template <class T>
T gelu_derivative(const T& x) {
  using std::erf, std::exp;
  const double density = std::sqrt(std::numbers::inv_pi / 2);
  return T(0.5) * (T(1.0) + erf(x * constant(x, std::numbers::sqrt2 / 2))) +
         x * constant(x, density) * exp(T(-0.5) * x * x);
}

template <class T>
T gelu_tanh_derivative(const T& x) {
  using std::tanh;
  const T t = tanh(gelu_tanh_inner(x));
  const T slope = constant(x, std::sqrt(2 * std::numbers::inv_pi)) *
                  (T(1.0) + constant(x, 3 * 0.044715) * x * x);
  return T(0.5) * (T(1.0) + t) + T(0.5) * x * (T(1.0) - t * t) * slope;
}

template <class T>
T activation_derivative(ActivationFn fn, double alpha, double beta, const T& x) {
  using std::exp, std::tanh;
  const auto param = [&](double value) { return constant(x, value); };
  const double at = value_of(x);
  if (std::isnan(at)) return x;
  switch (fn) {
    case ActivationFn::identity:
      return T(1.0);
    case ActivationFn::relu:
      return T(at > 0 ? 1.0 : 0.0);
    case ActivationFn::sigmoid:
      return sigmoid(x) * (T(1.0) - sigmoid(x));
    case ActivationFn::tanh:
      return T(1.0) - tanh(x) * tanh(x);
    case ActivationFn::clipped_relu:
      return T(at > 0 && at < alpha ? 1.0 : 0.0);
    case ActivationFn::leaky_relu:
      return at > 0 ? T(1.0) : param(alpha);
    case ActivationFn::elu:
      return at > 0 ? T(1.0) : param(alpha) * exp(x);
    case ActivationFn::gelu:
      return gelu_derivative(x);
    case ActivationFn::gelu_tanh:
      return gelu_tanh_derivative(x);
    case ActivationFn::swish: {
      const T s = sigmoid(param(beta) * x);
      return s * (T(1.0) + param(beta) * x * (T(1.0) - s));
    }
    case ActivationFn::softplus:
      return sigmoid(param(beta) * x);
    case ActivationFn::mish: {
      const T t = tanh(softplus(x));
      return t + x * (T(1.0) - t * t) * sigmoid(x);
    }
    case ActivationFn::hardswish:
      return at <= -3 ? T(0.0) : at >= 3 ? T(1.0) : (x + x + T(3.0)) / T(6.0);
  }
  throw UsageError("activation: no reference for the derivative of function number " +
                   std::to_string(static_cast<int>(fn)));
}

}  // namespace wm
