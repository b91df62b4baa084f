#pragma once
// Softmax references over the typed problem and plain arrays in logical order (n, c, h, w). A row
// is all c of one (n, h, w), or all (c, h, w) of one n (instance).
//   fast      y = exp(x) / sum exp(x)               accurate  y = exp(x - m) / sum exp(x - m)
//   log       y = (x - m) - log(sum exp(x - m))     with m = max x
//   backward  dx = y (dy - sum dy y)                log       dx = dy - exp(y) sum dy
// magnitude = running error (tracked.hpp) of an implementation that evaluates these formulas in the
// accumulation type with the claimed tree height, exp and log errors.
//
// Error of the sum. A tree of height h multiplies each term by at most (1 + u)^h. One-pass softmax
// (error_formula "online") keeps (m', d) of the elements seen so far and computes d exp(m' - m'') +
// exp(x - m'') when the maximum grows to m'', likewise when two partial results meet. A term then
// ends as exp(x - m1) exp(m1 - m2) ... exp(mr - m): the exponents have one sign and add up to x -
// m, so the rounding of all the differences together moves the exponent by at most u |x - m|, as in
// the two-pass form. Each of at most h steps multiplies by one computed exp (1 + exp error), rounds
// the product and the addition (1 + u)^2, and may lose an exp and a product to underflow: growth =
// ((1 + exp error)(1 + u)^2)^h - 1.
//
// Special values. exp(-inf - m) is 0 without error (masked elements). NaN anywhere, +inf anywhere
// (accurate, log) or -inf everywhere makes the whole row NaN. `fast` follows the accumulation
// type's range: where exp(x) or the sum overflow it, y is NaN for the elements whose exp overflows
// and 0 for the others; where every exp is below half its smallest subnormal, y is 0 / 0 = NaN.
// A sum too near either limit to decide has an infinite magnitude.
#include <span>

#include "ops/claims.hpp"
#include "ops/softmax.hpp"
#include "reference/sums.hpp"

namespace wm {

struct SoftmaxArrays {
  std::span<const double> x;      ///< forward
  std::span<const double> y, dy;  ///< backward
};

/// `wide`: compute in long double (float64 problems). Throws UsageError for an unknown
/// error_formula.
ValuesAndMagnitudes softmax_reference(const SoftmaxProblem& problem, const SoftmaxArrays& arrays,
                                      const Claims& claims, bool wide);

}  // namespace wm
