#include "reference/activation.hpp"

#include "reference/activation_math.hpp"
#include "reference/parallel.hpp"
#include "reference/tracked.hpp"

namespace wm {
namespace {

/// Size of the exponent in a function's tail (0 outside it), up to where float64 underflows: the
/// relative error of a tail is the exponent's rounding times this.
double tail_exponent(const ActivationProblem& p, double x) {
  const double t = p.fn == ActivationFn::gelu        ? -x * std::abs(x)
                   : p.fn == ActivationFn::gelu_tanh ? gelu_tanh_argument(x)
                   : p.fn == ActivationFn::swish || p.fn == ActivationFn::softplus ? p.beta * x
                                                                                   : x;
  // sigmoid' and tanh' have both tails; the others' upper side is far from any tail.
  const bool tail = t < 0 || p.backward;
  return tail ? std::min(std::abs(t), 1500.0) : 0;
}

template <class Real>
ValuesAndMagnitudes activation_in(const ActivationProblem& p, const ActivationArrays& arrays,
                                  const Claims& claims, bool wide) {
  const std::size_t count = arrays.x.size();
  const Arithmetic arithmetic = arithmetic_of(claims, wide);
  ValuesAndMagnitudes result{std::vector<double>(count), std::vector<double>(count)};
  const auto evaluate = [&](std::size_t i) {
    const double x = arrays.x[i];
    const FunctionValue<Real> f = p.backward
                                      ? activation_slope<Real>(p.fn, p.alpha, p.beta, Real(x))
                                      : activation<Real>(p.fn, p.alpha, p.beta, Real(x));
    const double own = (16 + 4 * tail_exponent(p, x)) * arithmetic.reference_unit;
    const auto scale = static_cast<double>(f.scale);
    const bool exact = scale == 0 || !std::isfinite(f.value);
    Tracked<Real> y{f.value, 0, &arithmetic};
    if (!exact) {
      y.error = (arithmetic.function_relative + own) * scale + arithmetic.function_absolute;
    }
    if (p.backward) {
      const Tracked<Real> dy{Real(arrays.dy[i]), 0, &arithmetic};
      const bool trivial = exact && (f.value == 0 || f.value == 1);
      y = trivial ? Tracked<Real>{dy.value * f.value, 0, &arithmetic} : dy * y;
    }
    result.value[i] = static_cast<double>(y.value);
    result.magnitude[i] = y.error;
  };
  constexpr std::size_t kPerTask = 4096;
  parallel_for(static_cast<std::int64_t>((count + kPerTask - 1) / kPerTask),
               [&](std::int64_t task) {
                 const std::size_t begin = static_cast<std::size_t>(task) * kPerTask;
                 const std::size_t end = std::min(count, begin + kPerTask);
                 for (std::size_t i = begin; i < end; ++i) evaluate(i);
               });
  return result;
}

}  // namespace

ValuesAndMagnitudes activation_reference(const ActivationProblem& problem,
                                         const ActivationArrays& arrays, const Claims& claims,
                                         bool wide) {
  return wide ? activation_in<long double>(problem, arrays, claims, wide)
              : activation_in<double>(problem, arrays, claims, wide);
}

}  // namespace wm
