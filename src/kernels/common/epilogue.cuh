#pragma once
// What happens to a finished sum: out = act(alpha sum + beta prior + residual z + bias), the blend
// rule of cuDNN with a fused residual, bias and activation. Each term that is absent costs nothing:
// its pointer is null (beta = 0 never reads the prior) and a factor of 1 is exact.
//
// Roundings after the sum, each at most once: alpha sum, + beta prior, + residual z, + bias.
#include <cstdint>

#include "gpu/kernel.hpp"
#include "kernels/common/activation_device.cuh"

namespace wm::WM_FLAVOUR {

template <class T>
struct Epilogue {
  using Acc = acc_t<T>;

  Acc alpha = 1;
  Acc beta = 0;
  Acc residual = 0;
  const T* prior = nullptr;  ///< null where beta = 0
  const T* z = nullptr;      ///< null where residual = 0
  const T* bias = nullptr;
  ActivationFn act = ActivationFn::identity;
  Acc act_alpha = 0;
  Acc act_beta = 0;

  /// alpha sum + beta prior. Offsets here and below are in elements from the respective pointers;
  /// those of absent terms are ignored.
  __device__ Acc scale(Acc sum, std::int64_t prior_offset) const {
    const Acc value = alpha * sum;
    return prior != nullptr ? wm::fma(beta, to_acc(prior[prior_offset]), value) : value;
  }
  /// The value before activation and rounding.
  __device__ Acc blend(Acc sum, std::int64_t prior_offset, std::int64_t z_offset,
                       std::int64_t bias_offset) const {
    Acc value = scale(sum, prior_offset);
    if (z != nullptr) value = wm::fma(residual, to_acc(z[z_offset]), value);
    if (bias != nullptr) value += to_acc(bias[bias_offset]);
    return value;
  }
  __device__ T finish(Acc sum, std::int64_t prior_offset, std::int64_t z_offset,
                      std::int64_t bias_offset) const {
    return from_acc<T>(apply_activation(act, blend(sum, prior_offset, z_offset, bias_offset),
                                        act_alpha, act_beta));
  }
};

}  // namespace wm::WM_FLAVOUR
