#pragma once
// The frame of a convolution variant: id, summary, and the functions most algorithms share.
#include <string>
#include <utility>

#include "kernels/common/activation_error.cuh"
#include "kernels/conv/parts/geometry.cuh"

namespace wm::WM_FLAVOUR {

/// What an algorithm of the family has to say for itself, the rest follows.
struct ConvAlgorithm {
  std::string op;
  std::string name;
  std::string summary;
};

/// Calls add.template operator()<T>(variant) with a variant frame for each type and layout.
template <class Add>
void for_conv_variants(const ConvAlgorithm& algorithm, Add&& add) {
  for_types<float, double, f16, bf16>([&]<class T>() {
    for (const Layout layout : kBothLayouts) {
      Variant variant;
      variant.id = variant_id<T>(algorithm.op, algorithm.name, layout);
      variant.id.has_weights = true;
      variant.summary = algorithm.summary;
      variant.supports = [](const Problem& problem, const DeviceProps&) {
        return conv_index_support(problem);
      };
      variant.workspace_bytes = [](const Problem&, const Config&) { return std::size_t{0}; };
      add.template operator()<T>(std::move(variant));
    }
  });
}

/// Claims of an algorithm that sums an output's products in one chain of fused multiply-adds.
inline Claims claims_one_chain(const Problem& problem, const Config&) {
  Claims claims;
  claims.acc = problem.acc;
  claims.tree_height = static_cast<double>(products_per_output(problem.as<ConvProblem>()));
  claims.function_ulp = activation_value_ulp(problem.as<ConvProblem>().act);
  return claims;
}

/// The same where padding is multiplied like data: zeros change no finite sum, but an infinite or
/// NaN factor beside padding gives NaN.
inline Claims claims_padded_chain(const Problem& problem, const Config& config) {
  Claims claims = claims_one_chain(problem, config);
  claims.nan_policy = "propagate; padding is multiplied as zeros (0 * inf = NaN)";
  return claims;
}

/// Blocks of a one-dimensional grid, checked against CUDA's limit.
inline dim3 flat_grid(std::int64_t blocks) {
  constexpr std::int64_t kLimit = std::numeric_limits<std::int32_t>::max();
  if (blocks > kLimit)
    throw KernelError("grid of " + std::to_string(blocks) + " blocks: at most 2147483647");
  return dim3(static_cast<unsigned>(blocks));
}

}  // namespace wm::WM_FLAVOUR
