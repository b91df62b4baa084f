#pragma once
// Errors of a function against MPFR, in units in the last place of the exact result.
#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace wm::test {

/// An MPFR number of a precision that leaves the error of the reference invisible next to a double.
class Exact {
 public:
  Exact() { mpfr_init2(value_, 128); }
  ~Exact() { mpfr_clear(value_); }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;
  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }

 private:
  mpfr_t value_;
};

/// Writes the function of the second argument to the first.
using Reference = void (*)(mpfr_ptr, mpfr_srcptr);

template <int (*kFunction)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)>
void reference(mpfr_ptr y, mpfr_srcptr x) {
  kFunction(y, x, MPFR_RNDN);
}

inline void reference_sigmoid(mpfr_ptr y, mpfr_srcptr x) {
  mpfr_neg(y, x, MPFR_RNDN);
  mpfr_exp(y, y, MPFR_RNDN);
  mpfr_add_ui(y, y, 1, MPFR_RNDN);
  mpfr_ui_div(y, 1, y, MPFR_RNDN);
}

inline void reference_rsqrt(mpfr_ptr y, mpfr_srcptr x) {
  mpfr_sqrt(y, x, MPFR_RNDN);
  mpfr_ui_div(y, 1, y, MPFR_RNDN);
}

/// |actual - exact| in ulp of the exact result, in the subnormal spacing below the smallest normal
/// number. Infinity counts as the power of two that follows the largest finite number, on both
/// sides. A NaN on one side only, or a wrong sign of zero, is an infinite error.
template <class T>
double ulp_error(T actual, const Exact& exact) {
  using Limits = std::numeric_limits<T>;
  constexpr double kWrong = std::numeric_limits<double>::infinity();
  const bool nan = mpfr_nan_p(exact.get()) != 0;
  if (nan || std::isnan(actual)) return nan == std::isnan(actual) ? 0 : kWrong;
  if (mpfr_zero_p(exact.get()) != 0 && actual == 0) {
    return (mpfr_signbit(exact.get()) != 0) == std::signbit(actual) ? 0 : kWrong;
  }
  const long top = Limits::max_exponent;
  Exact y;
  mpfr_set(y.get(), exact.get(), MPFR_RNDN);
  const bool beyond =
      mpfr_inf_p(y.get()) != 0 || (mpfr_zero_p(y.get()) == 0 && mpfr_get_exp(y.get()) > top);
  if (beyond) mpfr_set_si_2exp(y.get(), mpfr_signbit(y.get()) != 0 ? -1 : 1, top, MPFR_RNDN);
  // As numeric_limits', MPFR's exponent is that of a significand in [1/2, 1).
  long exponent = mpfr_zero_p(y.get()) != 0 ? Limits::min_exponent : mpfr_get_exp(y.get());
  exponent = std::min<long>(std::max<long>(exponent, Limits::min_exponent), top);
  Exact r;
  if (std::isinf(actual)) {
    mpfr_set_si_2exp(r.get(), actual < 0 ? -1 : 1, top, MPFR_RNDN);
  } else {
    mpfr_set_d(r.get(), static_cast<double>(actual), MPFR_RNDN);
  }
  mpfr_sub(y.get(), r.get(), y.get(), MPFR_RNDN);
  mpfr_mul_2si(y.get(), y.get(), Limits::digits - exponent, MPFR_RNDN);
  return std::fabs(mpfr_get_d(y.get(), MPFR_RNDN));
}

}  // namespace wm::test
