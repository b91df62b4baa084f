#pragma once
// The part shared by conv and matmul: a bilinear map (sums of products a[i] b[j]) evaluated twice,
// on the values and on the absolute values. The second gives S = sum |a||b|, which every error
// bound of such a sum is proportional to, and may be evaluated in a narrower type.
//
// Why a narrower type is enough: the terms of S are not negative, so a sum in which every term
// passes at most m roundings is at least S (1 - u)^m >= S (1 - m u). Then S <= computed (1 + 2 m u)
// for m u <= 1/2. `path` is the number of products summed on one path; blocked evaluation adds
// partial sums, at most path / 2 + 8 more roundings, so 2 (2 path + 16) u is safe and the factor is
// 1 + 4 (path + 8) u. Float is used only where no product or sum can underflow or overflow.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace wm {

/// Numeric result of a reference: values, and the magnitudes of reference.hpp.
struct ValuesAndMagnitudes {
  std::vector<double> value;
  std::vector<double> magnitude;
};

template <class T>
struct Sums {
  std::vector<T> value;
  std::vector<double> magnitude;  ///< upper bound of sum |a||b|
};

bool all_finite(std::span<const double> values);

/// Whether products of these values and sums of `path` of them stay well inside float's range.
bool float_holds_products(std::span<const double> a, std::span<const double> b, double path);

/// fn(value) for each value, as T.
template <class T, class Fn>
std::vector<T> converted(std::span<const double> values, Fn&& fn) {
  std::vector<T> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(),
                 [&](double value) { return static_cast<T>(fn(value)); });
  return result;
}

template <class M, class Kernel>
std::vector<double> absolute_sums(std::span<const double> a, std::span<const double> b,
                                  std::size_t outputs, double path, Kernel& kernel) {
  const auto magnitude = [](double value) { return std::abs(value); };
  const std::vector<M> abs_a = converted<M>(a, magnitude);
  const std::vector<M> abs_b = converted<M>(b, magnitude);
  std::vector<M> sum(outputs);
  kernel(abs_a.data(), abs_b.data(), sum.data());
  constexpr double kUnit = std::numeric_limits<M>::epsilon() / 2.0;
  const double factor = 1 + 4 * (path + 8) * kUnit;
  const double underflow = path * std::numeric_limits<double>::denorm_min();
  std::vector<double> result(outputs);
  for (std::size_t i = 0; i < outputs; ++i) result[i] = sum[i] * factor + underflow;
  return result;
}

/// kernel(const U* a, const U* b, U* out) for U = T, double and float computes all `outputs` sums,
/// at most `path` products on one path. T is double, or long double for float64 problems.
template <class T, class Kernel>
Sums<T> sums_of_products(std::span<const double> a, std::span<const double> b, std::size_t outputs,
                         double path, Kernel&& kernel) {
  Sums<T> sums;
  sums.value.resize(outputs);
  if constexpr (std::is_same_v<T, double>) {
    kernel(a.data(), b.data(), sums.value.data());
    sums.magnitude = float_holds_products(a, b, path)
                         ? absolute_sums<float>(a, b, outputs, path, kernel)
                         : absolute_sums<double>(a, b, outputs, path, kernel);
  } else {
    const auto same = [](double value) { return value; };
    const std::vector<T> wide_a = converted<T>(a, same);
    const std::vector<T> wide_b = converted<T>(b, same);
    kernel(wide_a.data(), wide_b.data(), sums.value.data());
    sums.magnitude = absolute_sums<double>(a, b, outputs, path, kernel);
  }
  return sums;
}

}  // namespace wm
