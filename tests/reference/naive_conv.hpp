#pragma once
// Convolution straight from its definition, one output element at a time in long double, sharing
// nothing with src/reference: it pads and dilates explicitly instead of computing positions, and
// the gradients are the transposes of the forward map found by probing which input meets which
// output.
#include <vector>

#include "ops/conv.hpp"

namespace wm {

struct NaiveResult {
  std::vector<long double> value;
  std::vector<long double> magnitude;
};

struct NaiveConvData {
  std::vector<double> x, w, dy, prior, z, bias;
};

/// Without activation.
NaiveResult naive_conv(const ConvProblem& problem, const NaiveConvData& data);

}  // namespace wm
