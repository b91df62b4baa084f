#pragma once
// Where a convolution writes: the output tensor, its prior content and its residual, each with its
// own strides, and the epilogue between sum and store.
#include <cstdlib>

#include "kernels/common/epilogue.cuh"
#include "kernels/conv/parts/geometry.cuh"

namespace wm::WM_FLAVOUR {

/// The output as rows (channels or filters) at a constant stride and columns at sites. Only forward
/// convolution is fused with a residual, a bias and an activation.
template <class T, bool kFused>
struct ConvOutput {
  using Acc = acc_t<T>;

  T* out = nullptr;
  Epilogue<T> epilogue;
  std::int64_t out_row = 0, prior_row = 0, z_row = 0, bias_row = 0;
  SiteMap out_map, prior_map, z_map;

  /// Whether neighbouring rows lie closer together than neighbouring columns.
  bool rows_nearer = false;

  /// Offsets of a column in each tensor.
  struct Column {
    std::int64_t out = 0, prior = 0, z = 0;
  };
  __device__ Column column(const Site& site) const {
    Column column;
    column.out = out_map.place(site).offset;
    if (epilogue.prior != nullptr) column.prior = prior_map.place(site).offset;
    if (kFused && epilogue.z != nullptr) column.z = z_map.place(site).offset;
    return column;
  }
  /// `row` counts over all groups.
  __device__ void store(const Column& column, std::int64_t row, Acc sum) const {
    T& element = out[row * out_row + column.out];
    const std::int64_t prior = row * prior_row + column.prior;
    if constexpr (kFused) {
      element = epilogue.finish(sum, prior, row * z_row + column.z, row * bias_row);
    } else {
      element = from_acc<T>(epilogue.scale(sum, prior));
    }
  }
};

/// Name of the tensor that holds the prior content of the direction's output.
inline std::string_view prior_name(ConvDirection direction) {
  switch (direction) {
    case ConvDirection::fwd:
      return "y_in";
    case ConvDirection::bwd_data:
      return "dx_in";
    case ConvDirection::bwd_filter:
      return "dw_in";
  }
  return {};
}

/// Strides of an output-like tensor as (row stride, map of columns).
struct OutputLayout {
  std::int64_t row = 0;
  SiteMap columns;
};
inline OutputLayout output_layout(const ConvProblem& p, const TensorDesc& desc) {
  if (p.direction == ConvDirection::bwd_filter) {
    const FilterStrides filter = filter_strides(p, desc);
    return {filter.k, taps_in_filter(filter, filter.c)};
  }
  const Strides image = strides_of(desc);
  return {image.channel, elements_of(image)};
}

template <class T, bool kFused>
ConvOutput<T, kFused> conv_output(const ConvProblem& p, const LaunchArgs& args,
                                  const TensorArg& target) {
  using Acc = acc_t<T>;
  ConvOutput<T, kFused> output;
  output.out = static_cast<T*>(target.data);
  const OutputLayout out = output_layout(p, *target.desc);
  output.out_row = out.row;
  output.out_map = out.columns;
  output.rows_nearer = std::llabs(out.row) < std::llabs(out.columns.col_stride);
  Epilogue<T>& epilogue = output.epilogue;
  epilogue.alpha = static_cast<Acc>(p.alpha);
  if (p.beta != 0) {
    const TensorArg& prior = args.tensor(prior_name(p.direction));
    const OutputLayout layout = output_layout(p, *prior.desc);
    epilogue.beta = static_cast<Acc>(p.beta);
    epilogue.prior = static_cast<const T*>(prior.data);
    output.prior_row = layout.row;
    output.prior_map = layout.columns;
  }
  if constexpr (!kFused) return output;
  if (p.residual != 0) {
    const TensorArg& z = args.tensor("z");
    const OutputLayout layout = output_layout(p, *z.desc);
    epilogue.residual = static_cast<Acc>(p.residual);
    epilogue.z = static_cast<const T*>(z.data);
    output.z_row = layout.row;
    output.z_map = layout.columns;
  }
  if (p.bias) {
    const TensorArg& bias = args.tensor("bias");
    epilogue.bias = static_cast<const T*>(bias.data);
    output.bias_row = bias.desc->strides.size() > 1 ? bias.desc->strides[1] : bias.desc->strides[0];
  }
  epilogue.act = p.act;
  epilogue.act_alpha = static_cast<Acc>(default_alpha(p.act));
  epilogue.act_beta = static_cast<Acc>(default_beta(p.act));
  return output;
}

}  // namespace wm::WM_FLAVOUR
