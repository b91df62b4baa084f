#include "reference/naive_softmax.hpp"

#include <cmath>

namespace wm {
namespace {

/// The row an element belongs to, as a number.
std::int64_t row_of(const SoftmaxProblem& p, std::int64_t i) {
  const std::int64_t w = i % p.w;
  const std::int64_t h = i / p.w % p.h;
  const std::int64_t n = i / (p.w * p.h * p.c);
  return p.instance ? n : (n * p.h + h) * p.w + w;
}

}  // namespace

std::vector<long double> naive_softmax(const SoftmaxProblem& p, const std::vector<double>& a,
                                       const std::vector<double>& b) {
  const auto count = static_cast<std::int64_t>(a.size());
  std::vector<long double> result(a.size());
  for (std::int64_t i = 0; i < count; ++i) {
    long double sum = 0;
    for (std::int64_t j = 0; j < count; ++j) {
      if (row_of(p, i) != row_of(p, j)) continue;
      const long double same = i == j ? 1 : 0;
      if (!p.backward) {
        sum += std::exp(static_cast<long double>(a[j]) - a[i]);
      } else if (p.kind == SoftmaxKind::log) {
        sum += (same - std::exp(static_cast<long double>(a[i]))) * b[j];
      } else {
        sum += (a[i] * same - static_cast<long double>(a[i]) * a[j]) * b[j];
      }
    }
    if (p.backward) {
      result[i] = sum;
    } else {
      result[i] = p.kind == SoftmaxKind::log ? -std::log(sum) : 1 / sum;
    }
  }
  return result;
}

}  // namespace wm
