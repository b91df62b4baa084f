#pragma once
// The frame of a convolution variant: id, summary, and the functions most algorithms share.
#include <string>
#include <utility>

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

/// Blocks of a one-dimensional grid, checked against CUDA's limit.
inline dim3 flat_grid(std::int64_t blocks) {
  constexpr std::int64_t kLimit = std::numeric_limits<std::int32_t>::max();
  if (blocks > kLimit)
    throw KernelError("grid of " + std::to_string(blocks) + " blocks: at most 2147483647");
  return dim3(static_cast<unsigned>(blocks));
}

}  // namespace wm::WM_FLAVOUR
