#include "reference/softmax.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/text.hpp"
#include "ops/bounds.hpp"
#include "reference/parallel.hpp"
#include "reference/tracked.hpp"

namespace wm {
namespace {

/// How the additions of a row's sum grow its error.
struct SumError {
  double growth;
  double underflow_per_term;
};

SumError sum_error(const Claims& claims, const Arithmetic& arithmetic) {
  const double height = claims.tree_height;
  if (claims.error_formula.empty()) return {gamma_factor(height, arithmetic.unit), 0};
  if (claims.error_formula != "online") {
    throw UsageError(unknown_message("softmax error formula", claims.error_formula, {"online"}));
  }
  const double step = std::log1p(arithmetic.exp_relative) + 2 * std::log1p(arithmetic.unit);
  const double growth = std::expm1(height * step);
  return {growth, (1 + growth) * height * (arithmetic.exp_absolute + arithmetic.eta)};
}

/// Elements of one row: begin, begin + step, ...
struct Row {
  std::size_t begin, step, length;
  std::size_t at(std::size_t i) const { return begin + i * step; }
};

template <class Real>
struct Context {
  const SoftmaxProblem& problem;
  const SoftmaxArrays& arrays;
  const Arithmetic& arithmetic;
  SumError sum_error;
  ValuesAndMagnitudes& result;

  Tracked<Real> exact(double value) const { return {Real(value), 0, &arithmetic}; }
  Tracked<Real> finished(const TermSum<Real>& sum) const {
    return sum.finished(sum_error.growth, sum.count * sum_error.underflow_per_term, arithmetic);
  }
  void store(std::size_t i, const Tracked<Real>& y) const {
    result.value[i] = static_cast<double>(y.value);
    result.magnitude[i] = y.error;
  }
};

template <class Real>
void forward_row(const Context<Real>& context, const Row& row) {
  const std::span<const double> x = context.arrays.x;
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < row.length; ++i) largest = std::max(largest, x[row.at(i)]);
  const auto shifted = [&](std::size_t i) {
    return context.exact(x[row.at(i)]) - context.exact(largest);
  };
  TermSum<Real> terms;
  for (std::size_t i = 0; i < row.length; ++i) terms.add(exp(shifted(i)));
  const Tracked<Real> sum = context.finished(terms);
  const bool log_kind = context.problem.kind == SoftmaxKind::log;
  const Tracked<Real> log_sum = log_kind ? log(sum) : sum;
  for (std::size_t i = 0; i < row.length; ++i) {
    context.store(row.at(i), log_kind ? shifted(i) - log_sum : exp(shifted(i)) / sum);
  }
}

/// Which side of a limit of the accumulation type a device's positive number lies on.
enum class Side { below, unknown, above };
template <class Real>
Side side_of(const Tracked<Real>& a, double limit) {
  if (!std::isfinite(a.value)) return Side::above;
  const double distance = static_cast<double>(a.value - Real(limit));
  return std::abs(distance) <= a.error ? Side::unknown : distance > 0 ? Side::above : Side::below;
}

template <class Real>
void fast_row(const Context<Real>& context, const Row& row) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double max_finite = context.arithmetic.max_finite;
  const auto term = [&](std::size_t i) { return exp(context.exact(context.arrays.x[row.at(i)])); };
  TermSum<Real> terms;
  Real largest = 0;
  for (std::size_t i = 0; i < row.length; ++i) {
    terms.add(term(i));
    largest = std::max(largest, term(i).value);
  }
  const Tracked<Real> sum = context.finished(terms);
  const bool nan = std::isnan(sum.value);
  const bool vanishes = 2 * largest < Real(context.arithmetic.spacing);
  const Side sum_side = side_of(sum, max_finite);
  for (std::size_t i = 0; i < row.length; ++i) {
    const Tracked<Real> e = term(i);
    Tracked<Real> y = e / sum;
    const Side side = side_of(e, max_finite);
    if (nan || vanishes) {
      y = context.exact(kNaN);
    } else if (sum_side == Side::unknown || side == Side::unknown) {
      y.error = kInfinity;
    } else if (sum_side == Side::above) {
      y = context.exact(side == Side::above ? kNaN : 0.0);
    }
    context.store(row.at(i), y);
  }
}

template <class Real>
void backward_row(const Context<Real>& context, const Row& row) {
  const auto y = [&](std::size_t i) { return context.exact(context.arrays.y[row.at(i)]); };
  const auto dy = [&](std::size_t i) { return context.exact(context.arrays.dy[row.at(i)]); };
  const bool log_kind = context.problem.kind == SoftmaxKind::log;
  TermSum<Real> terms;
  for (std::size_t i = 0; i < row.length; ++i) {
    // The tree height counts the rounding of a separate product, so the product itself adds none.
    const Real product = log_kind ? dy(i).value : dy(i).value * y(i).value;
    const double underflow = log_kind ? 0 : context.arithmetic.eta;
    terms.add({product, underflow, &context.arithmetic});
  }
  const Tracked<Real> sum = context.finished(terms);
  for (std::size_t i = 0; i < row.length; ++i) {
    context.store(row.at(i), log_kind ? dy(i) - exp(y(i)) * sum : y(i) * (dy(i) - sum));
  }
}

template <class Real>
ValuesAndMagnitudes softmax_in(const SoftmaxProblem& p, const SoftmaxArrays& arrays,
                               const Claims& claims, bool wide) {
  const auto length = static_cast<std::size_t>(p.length());
  const auto rows = static_cast<std::size_t>(p.rows());
  const auto area = static_cast<std::size_t>(p.h * p.w);
  ValuesAndMagnitudes result{std::vector<double>(rows * length),
                             std::vector<double>(rows * length)};
  const Arithmetic arithmetic = arithmetic_of(claims, wide);
  const Context<Real> context{p, arrays, arithmetic, sum_error(claims, arithmetic), result};
  const std::size_t rows_per_task =
      std::max<std::size_t>(1, 4096 / std::max<std::size_t>(1, length));
  const auto tasks = static_cast<std::int64_t>((rows + rows_per_task - 1) / rows_per_task);
  parallel_for(tasks, [&](std::int64_t task) {
    const std::size_t first = static_cast<std::size_t>(task) * rows_per_task;
    for (std::size_t r = first; r < std::min(rows, first + rows_per_task); ++r) {
      const Row row = p.instance ? Row{r * length, 1, length}
                                 : Row{r / area * length * area + r % area, area, length};
      if (p.backward) {
        backward_row(context, row);
      } else if (p.kind == SoftmaxKind::fast) {
        fast_row(context, row);
      } else {
        forward_row(context, row);
      }
    }
  });
  return result;
}

}  // namespace

ValuesAndMagnitudes softmax_reference(const SoftmaxProblem& problem, const SoftmaxArrays& arrays,
                                      const Claims& claims, bool wide) {
  return wide ? softmax_in<long double>(problem, arrays, claims, wide)
              : softmax_in<double>(problem, arrays, claims, wide);
}

}  // namespace wm
