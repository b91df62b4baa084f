#pragma once
// Softmax and its gradient from the textbook definition in long double, with the gradient as a
// product with the full Jacobian; shares nothing with src/reference.
#include <vector>

#include "ops/softmax.hpp"

namespace wm {

/// Forward: a = x. Backward: a = y, b = dy.
std::vector<long double> naive_softmax(const SoftmaxProblem& problem, const std::vector<double>& a,
                                       const std::vector<double>& b);

}  // namespace wm
