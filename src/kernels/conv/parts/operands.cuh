#pragma once
// The four matrix products convolutions are computed by, as operands for conv_gemm.cuh:
//   forward       y[k, npq]    = w[k, crs]    x[crs, npq]
//   backward data dx[c, nhw]   = w[c, krs]    dy[krs, nhw]    (dy where the stride divides)
//   scatter       t[crs, npq]  = w[crs, k]    dy[k, npq]      (then added into dx)
//   filter        dw[k, crs]   = dy[k, npq]   x[npq, crs]
// In channels-last layouts channels are innermost in crs and krs. The order of a sum follows the
// layout of the problem, never the strides of a tensor: padded copies give the same bits.
#include <cstdlib>

#include "kernels/conv/parts/conv_gemm.cuh"

namespace wm::WM_FLAVOUR {

template <class T>
using FilterByTaps = Operand<T, LinearAxis, SiteAxis, NoWindow>;
template <class T>
using ForwardGemm = ConvGemm<FilterByTaps<T>, Operand<T, SiteAxis, SiteAxis, ImageWindow>>;
template <class T>
using DataGemm = ConvGemm<FilterByTaps<T>, Operand<T, SiteAxis, SiteAxis, StridedWindow>>;
template <class T>
using ScatterGemm = ConvGemm<Operand<T, SiteAxis, LinearAxis, NoWindow>,
                             Operand<T, SiteAxis, LinearAxis, NoWindow>>;
template <class T>
using FilterGemm = ConvGemm<Operand<T, LinearAxis, SiteAxis, NoWindow>,
                            Operand<T, SiteAxis, SiteAxis, ImageWindow>>;

inline bool nearer(std::int64_t stride, std::int64_t other) {
  return std::llabs(stride) < std::llabs(other);
}
inline bool channels_last(const Problem& problem) { return problem.layout == Layout::nhwc; }

template <class T>
ForwardGemm<T> forward_gemm(const Problem& problem, const ConvTensors& tensors) {
  const auto& p = problem.as<ConvProblem>();
  const Strides image = strides_of(*tensors.image->desc);
  const FilterStrides filter = filter_strides(p, *tensors.filter->desc);
  const SiteOrder taps = tap_order(p, p.c_per_group(), channels_last(problem));
  ForwardGemm<T> gemm;
  gemm.left.data = static_cast<const T*>(tensors.filter->data);
  gemm.left.group_stride = p.k_per_group() * filter.k;
  gemm.left.row_axis = LinearAxis(filter.k);
  gemm.left.depth_axis = SiteAxis(taps, taps_in_filter(filter, filter.c));
  gemm.left.rows = static_cast<int>(p.k_per_group());
  gemm.left.depth_fastest = filter.k != 1;
  gemm.right.data = static_cast<const T*>(tensors.image->data);
  gemm.right.group_stride = p.c_per_group() * image.channel;
  gemm.right.row_axis =
      SiteAxis(position_order(p.n, p.out[1], p.out[2]), windows_in_image(p, image));
  gemm.right.depth_axis = SiteAxis(taps, taps_in_image(p, image));
  gemm.right.window = image_window(p);
  gemm.right.rows = static_cast<int>(p.n * p.out_positions());
  gemm.right.depth_fastest = nearer(image.channel, image.col);
  gemm.depth = static_cast<int>(p.c_per_group() * p.filter_taps());
  return gemm;
}

template <class T>
DataGemm<T> data_gemm(const Problem& problem, const ConvTensors& tensors) {
  const auto& p = problem.as<ConvProblem>();
  const Strides output = strides_of(*tensors.output->desc);
  const FilterStrides filter = filter_strides(p, *tensors.filter->desc);
  const SiteOrder taps = tap_order(p, p.k_per_group(), channels_last(problem));
  DataGemm<T> gemm;
  gemm.left.data = static_cast<const T*>(tensors.filter->data);
  gemm.left.group_stride = p.k_per_group() * filter.k;
  gemm.left.row_axis = LinearAxis(filter.c);
  gemm.left.depth_axis = SiteAxis(taps, taps_in_filter(filter, filter.k));
  gemm.left.rows = static_cast<int>(p.c_per_group());
  gemm.left.depth_fastest = nearer(filter.col, filter.c);
  gemm.right.data = static_cast<const T*>(tensors.output->data);
  gemm.right.group_stride = p.k_per_group() * output.channel;
  gemm.right.row_axis =
      SiteAxis(position_order(p.n, p.in[1], p.in[2]), positions_in_output(p, output));
  gemm.right.depth_axis = SiteAxis(taps, taps_in_output(p, output));
  gemm.right.window = strided_window(p, output);
  gemm.right.rows = static_cast<int>(p.n * p.in_positions());
  gemm.right.depth_fastest = nearer(output.channel, output.col);
  gemm.depth = static_cast<int>(p.k_per_group() * p.filter_taps());
  return gemm;
}

template <class T>
ScatterGemm<T> scatter_gemm(const Problem& problem, const ConvTensors& tensors) {
  const auto& p = problem.as<ConvProblem>();
  const Strides output = strides_of(*tensors.output->desc);
  const FilterStrides filter = filter_strides(p, *tensors.filter->desc);
  ScatterGemm<T> gemm;
  gemm.left.data = static_cast<const T*>(tensors.filter->data);
  gemm.left.group_stride = p.k_per_group() * filter.k;
  gemm.left.row_axis = SiteAxis(tap_order(p, p.c_per_group(), channels_last(problem)),
                                taps_in_filter(filter, filter.c));
  gemm.left.depth_axis = LinearAxis(filter.k);
  gemm.left.rows = static_cast<int>(p.c_per_group() * p.filter_taps());
  gemm.left.depth_fastest = filter.k == 1;
  gemm.right.data = static_cast<const T*>(tensors.output->data);
  gemm.right.group_stride = p.k_per_group() * output.channel;
  gemm.right.row_axis = SiteAxis(position_order(p.n, p.out[1], p.out[2]), elements_of(output));
  gemm.right.depth_axis = LinearAxis(output.channel);
  gemm.right.rows = static_cast<int>(p.n * p.out_positions());
  gemm.right.depth_fastest = nearer(output.channel, output.col);
  gemm.depth = static_cast<int>(p.k_per_group());
  return gemm;
}

template <class T>
FilterGemm<T> filter_gemm(const Problem& problem, const ConvTensors& tensors) {
  const auto& p = problem.as<ConvProblem>();
  const Strides image = strides_of(*tensors.image->desc);
  const Strides output = strides_of(*tensors.output->desc);
  const SiteOrder positions = position_order(p.n, p.out[1], p.out[2]);
  FilterGemm<T> gemm;
  gemm.left.data = static_cast<const T*>(tensors.output->data);
  gemm.left.group_stride = p.k_per_group() * output.channel;
  gemm.left.row_axis = LinearAxis(output.channel);
  gemm.left.depth_axis = SiteAxis(positions, elements_of(output));
  gemm.left.rows = static_cast<int>(p.k_per_group());
  gemm.left.depth_fastest = nearer(output.col, output.channel);
  gemm.right.data = static_cast<const T*>(tensors.image->data);
  gemm.right.group_stride = p.c_per_group() * image.channel;
  gemm.right.row_axis =
      SiteAxis(tap_order(p, p.c_per_group(), channels_last(problem)), taps_in_image(p, image));
  gemm.right.depth_axis = SiteAxis(positions, windows_in_image(p, image));
  gemm.right.window = image_window(p);
  gemm.right.rows = static_cast<int>(p.c_per_group() * p.filter_taps());
  gemm.right.depth_fastest = nearer(image.col, image.channel);
  gemm.depth = static_cast<int>(p.n * p.out_positions());
  return gemm;
}

}  // namespace wm::WM_FLAVOUR
