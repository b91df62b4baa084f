#pragma once
// Points where an activation function, or its derivative, is exact in any arithmetic.
#include <string>
#include <vector>

#include "ops/activation.hpp"

namespace wm {

struct ExactPoints {
  std::vector<double> x;  ///< values of the input type
  std::string why_not;    ///< where x is empty
};

/// Points x where fn(x) (backward: dy fn'(x) for integers |dy| <= 8) is computed without rounding,
/// or where the true value rounds to what the saturated formula gives. Needs dtypes and acc of a
/// resolved activation problem.
ExactPoints exact_points(const Problem& problem);

}  // namespace wm
