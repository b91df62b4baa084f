#include "reference/conv.hpp"

#include "reference/activation_math.hpp"
#include "reference/conv_sums.hpp"

namespace wm {
namespace {

std::int64_t output_elements(const ConvProblem& p) {
  switch (p.direction) {
    case ConvDirection::fwd:
      return p.n * p.k * p.out_positions();
    case ConvDirection::bwd_data:
      return p.n * p.c * p.in_positions();
    case ConvDirection::bwd_filter:
      return p.k * p.c_per_group() * p.filter_taps();
  }
  throw UsageError("conv: no reference for direction " +
                   std::to_string(static_cast<int>(p.direction)));
}

template <class T>
Sums<T> conv_sums(const ConvProblem& p, const ConvArrays& arrays) {
  const bool uses_x = p.direction != ConvDirection::bwd_data;
  const bool uses_w = p.direction != ConvDirection::bwd_filter;
  const std::span<const double> a = uses_x ? arrays.x : arrays.dy;
  const std::span<const double> b = uses_w ? arrays.w : arrays.dy;
  const bool finite = all_finite(a) && all_finite(b);
  const auto kernel = [&]<class U>(const U* factor_a, const U* factor_b, U* out) {
    if (finite) {
      conv_sums_gemm(p, factor_a, factor_b, out);
    } else {
      conv_sums_by_definition(p, factor_a, factor_b, out);
    }
  };
  return sums_of_products<T>(a, b, static_cast<std::size_t>(output_elements(p)), conv_sum_path(p),
                             kernel);
}

template <class T>
ValuesAndMagnitudes conv_in(const ConvProblem& p, const ConvArrays& arrays) {
  const Sums<T> sums = conv_sums<T>(p, arrays);
  const bool forward = p.direction == ConvDirection::fwd;
  const std::size_t count = sums.value.size();
  const auto positions = static_cast<std::size_t>(forward ? p.out_positions() : 1);
  const double act_alpha = default_alpha(p.act);
  const double act_beta = default_beta(p.act);
  ValuesAndMagnitudes result{std::vector<double>(count), std::vector<double>(count)};
  for (std::size_t i = 0; i < count; ++i) {
    T value = T(p.alpha) * sums.value[i];
    T magnitude = std::abs(T(p.alpha)) * sums.magnitude[i];
    const auto add = [&](T term) {
      value += term;
      magnitude += std::abs(term);
    };
    if (p.beta != 0) add(T(p.beta) * arrays.prior[i]);
    if (forward && p.residual != 0) add(T(p.residual) * arrays.z[i]);
    if (forward && p.bias) add(arrays.bias[i / positions % static_cast<std::size_t>(p.k)]);
    if (forward) value = activation<T>(p.act, act_alpha, act_beta, value).value;
    result.value[i] = static_cast<double>(value);
    result.magnitude[i] = static_cast<double>(magnitude * (1 + T(0x1p-50)));  // rounding up
  }
  return result;
}

}  // namespace

ValuesAndMagnitudes conv_reference(const ConvProblem& problem, const ConvArrays& arrays,
                                   bool wide) {
  return wide ? conv_in<long double>(problem, arrays) : conv_in<double>(problem, arrays);
}

}  // namespace wm
