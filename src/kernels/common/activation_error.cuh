#pragma once
// The claimed errors of the functions in activation_device.cuh.
#include "ops/activation_fn.hpp"

namespace wm::WM_FLAVOUR {

/// Largest errors in ulp of the accumulation type, for claims: of the result, or of the largest
/// term of a derivative whose terms cancel. Measured against long double over 3 million points a
/// function and type (at most 6.2), rounded up; tests/kernels/activation_test.cpp asserts them.
inline double activation_value_ulp(ActivationFn fn) {
  switch (fn) {
    case ActivationFn::identity:
    case ActivationFn::relu:
      return 0;
    case ActivationFn::clipped_relu:
      return 1;  // alpha rounded to the type
    case ActivationFn::sigmoid:
    case ActivationFn::tanh:
    case ActivationFn::leaky_relu:
      return 2;
    case ActivationFn::elu:
    case ActivationFn::hardswish:
      return 3;
    case ActivationFn::softplus:
      return 4;
    default:
      return 5;
  }
}
inline double activation_slope_ulp(ActivationFn fn) {
  switch (fn) {
    case ActivationFn::identity:
    case ActivationFn::relu:
    case ActivationFn::clipped_relu:
      return 0;
    case ActivationFn::leaky_relu:
      return 1;  // alpha rounded to the type
    case ActivationFn::hardswish:
      return 2;
    case ActivationFn::elu:
      return 3;
    case ActivationFn::softplus:
      return 4;
    case ActivationFn::sigmoid:
    case ActivationFn::tanh:
    case ActivationFn::gelu:
      return 5;
    case ActivationFn::gelu_tanh:
      return 7;
    default:
      return 6;
  }
}

}  // namespace wm::WM_FLAVOUR
