#pragma once
// Elementwise activation: y = fn(x); backward dx = dy fn'(x) with x, dy the inputs.
#include <cstdint>

#include "ops/activation_fn.hpp"
#include "ops/op.hpp"

namespace wm {

struct ActivationProblem {
  bool backward = false;
  std::int64_t n = 1, c = 1, h = 1, w = 1;
  ActivationFn fn = ActivationFn::relu;
  double alpha = 0, beta = 0;
};

}  // namespace wm
