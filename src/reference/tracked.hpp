#pragma once
// A number with a bound of the rounding error a device may have made: running error analysis
// (Higham, Accuracy and Stability, 3.3). `value` is what exact arithmetic gives; `error` bounds
// |computed - value| for a computation in the accumulation type that performs the same operations
// with the errors the claims allow. u is the unit roundoff, eta half the subnormal spacing:
//   a +- b   ea + eb + u (|v| + ea + eb)
//   a b      |a| eb + |b| ea + ea eb, then u of the result + eta
//   a / b    (ea + |v| eb) / (|b| - eb), then 2 u of the result + (|a| + 1) eta, which covers a
//            product with a rounded reciprocal; infinite where eb >= |b|
//   exp a    e^a (e^ea - 1), then exp_ulp ulp of the result, an ulp being at most 2 u |result| or
//            one subnormal spacing
//   log a    log(a / (a - ea)), then function_ulp ulp of the result
// Non-finite values carry no error: they are compared as patterns. The reference's own rounding
// (2^-53 or 2^-64) is part of u, exp and log.
#include <cmath>
#include <limits>

#include "ops/claims.hpp"

namespace wm {

/// Error constants of one computation.
struct Arithmetic {
  double unit;          ///< u of the accumulation type, plus that of the reference
  double spacing;       ///< between its subnormal numbers
  double eta;           ///< at least half of it: the error of one underflow
  double max_finite;    ///< of the accumulation type
  double exp_relative;  ///< error of exp relative to its result
  double exp_absolute;  ///< and near underflow
  double log_relative;
  double function_relative;
  double function_absolute;
  double reference_unit;  ///< of the reference alone
};
/// `wide`: the reference computes in long double.
Arithmetic arithmetic_of(const Claims& claims, bool wide);

template <class Real>
struct Tracked {
  Real value = 0;
  double error = 0;
  const Arithmetic* arithmetic = nullptr;

  /// The result of an operation whose error was `propagated` before its own rounding.
  Tracked rounded(Real v, double propagated, double roundings, double absolute) const {
    if (!std::isfinite(v)) return {v, 0, arithmetic};
    const double size = static_cast<double>(std::abs(v)) + propagated;
    return {v, propagated + roundings * arithmetic->unit * size + absolute, arithmetic};
  }
};

template <class Real>
double size_of(const Tracked<Real>& a) {
  return static_cast<double>(std::abs(a.value));
}

template <class Real>
Tracked<Real> operator+(const Tracked<Real>& a, const Tracked<Real>& b) {
  return a.rounded(a.value + b.value, a.error + b.error, 1, 0);
}
template <class Real>
Tracked<Real> operator-(const Tracked<Real>& a, const Tracked<Real>& b) {
  return a.rounded(a.value - b.value, a.error + b.error, 1, 0);
}
template <class Real>
Tracked<Real> operator*(const Tracked<Real>& a, const Tracked<Real>& b) {
  const double propagated = size_of(a) * b.error + size_of(b) * a.error + a.error * b.error;
  return a.rounded(a.value * b.value, propagated, 1, a.arithmetic->eta);
}
template <class Real>
Tracked<Real> operator/(const Tracked<Real>& a, const Tracked<Real>& b) {
  const Real v = a.value / b.value;
  const double margin = size_of(b) - b.error;
  const double propagated = margin > 0
                                ? (a.error + static_cast<double>(std::abs(v)) * b.error) / margin
                                : std::numeric_limits<double>::infinity();
  return a.rounded(v, propagated, 2.001, (size_of(a) + a.error + 1) * a.arithmetic->eta);
}

template <class Real>
Tracked<Real> exp(const Tracked<Real>& a) {
  const Real v = std::exp(a.value);
  if (!std::isfinite(a.value)) return {v, 0, a.arithmetic};
  const double propagated = static_cast<double>(v) * std::expm1(a.error);
  const double size = static_cast<double>(v) + propagated;
  return {v, propagated + a.arithmetic->exp_relative * size + a.arithmetic->exp_absolute,
          a.arithmetic};
}

template <class Real>
Tracked<Real> log(const Tracked<Real>& a) {
  const Real v = std::log(a.value);
  if (!std::isfinite(v)) return {v, 0, a.arithmetic};
  const double margin = static_cast<double>(a.value) - a.error;
  const double propagated =
      margin > 0 ? std::log1p(a.error / margin) : std::numeric_limits<double>::infinity();
  const double size = static_cast<double>(std::abs(v)) + propagated;
  return {v, propagated + a.arithmetic->log_relative * size, a.arithmetic};
}

/// Terms of a sum and of their errors, before the errors of the additions.
template <class Real>
struct TermSum {
  Real value = 0;
  double absolute = 0;  ///< sum of |term|
  double error = 0;     ///< sum of the terms' errors
  double count = 0;

  void add(const Tracked<Real>& term) {
    value += term.value;
    absolute += size_of(term);
    error += term.error;
    count += 1;
  }
  /// The sum where each term is multiplied by at most `growth` + 1 on its way and the additions
  /// add `underflow` in all; also counts the reference's own `count` additions.
  Tracked<Real> finished(double growth, double underflow, const Arithmetic& arithmetic) const {
    if (!std::isfinite(value)) return {value, 0, &arithmetic};
    const double own = count * arithmetic.reference_unit;
    return {value, (error + (growth + own) * (absolute + error) + underflow) * (1 + 0x1p-40),
            &arithmetic};
  }
};

}  // namespace wm
