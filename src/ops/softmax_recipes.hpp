#pragma once
// How the softmax ops fill their inputs.
#include <cstdint>
#include <span>

#include "ops/softmax.hpp"

namespace wm {

/// Element `position` of row `row` in logical order.
std::int64_t softmax_index(const SoftmaxProblem& softmax, std::int64_t row, std::int64_t position);

/// Empty, or why there is no exact recipe for the problem.
std::string softmax_why_not_exact(const Problem& problem);

/// Fills x, y or dy with the exact recipe (softmax_recipes.cpp states why it is exact).
void fill_softmax_exact(const Problem& problem, const FillRequest& request,
                        const TensorDesc& tensor, std::span<double> values);

/// y of the backward op: rows of positive numbers with sum 1 (log: logarithms of such a size).
void fill_softmax_output(const Problem& problem, const FillRequest& request,
                         const TensorDesc& tensor, std::span<double> values);

}  // namespace wm
