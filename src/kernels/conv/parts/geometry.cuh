#pragma once
// Host side shared by the convolution launchers: sizes and strides in 2D form, the limits of the
// kernels' 32-bit indices, and exact counts of products for the claims.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/conv/parts/coordinates.cuh"
#include "ops/conv.hpp"
#include "registry/register.hpp"

namespace wm::WM_FLAVOUR {

/// Element strides of an image (n, c, h, w) or a filter (k, c/g, r, s); 1D tensors have no rows.
struct Strides {
  std::int64_t outer = 0, channel = 0, row = 0, col = 0;
};

inline Strides strides_of(const TensorDesc& desc) {
  const std::size_t rank = desc.strides.size();
  return {desc.strides[0], desc.strides[1], rank > 3 ? desc.strides[2] : 0, desc.strides[rank - 1]};
}

/// One spatial dimension.
struct Extent {
  std::int64_t in, filter, out, pad, stride, dilation;
};

inline Extent rows_of(const ConvProblem& p) {
  return {p.in[1], p.filter[1], p.out[1], p.pad_begin[1], p.stride[1], p.dilation[1]};
}
inline Extent cols_of(const ConvProblem& p) {
  return {p.in[2], p.filter[2], p.out[2], p.pad_begin[2], p.stride[2], p.dilation[2]};
}

/// The problem seen as a GEMM: rows x cols outputs a group, `depth` products each.
struct GemmShape {
  std::int64_t rows = 0, cols = 0, depth = 0, groups = 1;
};

inline GemmShape gemm_shape(const ConvProblem& p) {
  const std::int64_t taps = p.filter_taps();
  switch (p.direction) {
    case ConvDirection::fwd:
      return {p.k_per_group(), p.n * p.out_positions(), p.c_per_group() * taps, p.groups};
    case ConvDirection::bwd_data:
      return {p.c_per_group(), p.n * p.in_positions(), p.k_per_group() * taps, p.groups};
    case ConvDirection::bwd_filter:
      return {p.k_per_group(), p.c_per_group() * taps, p.n * p.out_positions(), p.groups};
  }
  return {};
}

inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Largest count a kernel may index: 32-bit, with room for the last, partly filled block.
inline constexpr std::int64_t kIndexLimit = std::numeric_limits<std::int32_t>::max() - 65535;

/// What every convolution kernel here shares: one and two spatial dimensions, and GEMM indices and
/// image coordinates of 32 bits (element offsets have 64).
inline Support conv_index_support(const Problem& problem) {
  const auto& p = problem.as<ConvProblem>();
  if (p.rank > 2) return Support::no(std::to_string(p.rank) + " spatial dimensions: only 1 and 2");
  const auto past = [](const std::string& what, std::int64_t value, std::int64_t limit) {
    return Support::no(what + " = " + std::to_string(value) + ": at most " + std::to_string(limit));
  };
  const std::int64_t in = p.n * p.in_positions();
  const std::int64_t out = p.n * p.out_positions();
  if (in > kIndexLimit) return past("n*h*w", in, kIndexLimit);
  if (out > kIndexLimit) return past("n*p*q", out, kIndexLimit);
  const std::int64_t image = p.c_per_group() * p.filter_taps();
  const std::int64_t filters = p.k_per_group() * p.filter_taps();
  if (image > kIndexLimit) return past("c/groups*r*s", image, kIndexLimit);
  if (filters > kIndexLimit) return past("k/groups*r*s", filters, kIndexLimit);
  if (p.groups > kIndexLimit) return past("groups", p.groups, kIndexLimit);
  for (const Extent& e : {rows_of(p), cols_of(p)}) {
    const std::int64_t reach =
        e.in + (e.filter - 1) * e.dilation + e.out * e.stride + std::max<std::int64_t>(e.pad, 0);
    if (reach > kCoordinateLimit) return past("largest padded coordinate", reach, kCoordinateLimit);
  }
  return Support::yes();
}

/// Products of a dimension that fall on real elements, at most, for one output of the direction:
/// taps inside the image, taps that reach an input element, or output positions a tap serves.
inline std::int64_t most_contributions(const Extent& e, ConvDirection direction) {
  const auto inside = [&](std::int64_t out, std::int64_t tap) {
    const std::int64_t at = out * e.stride + tap * e.dilation - e.pad;
    return at >= 0 && at < e.in;
  };
  std::int64_t most = 0;
  if (direction == ConvDirection::bwd_filter) {
    for (std::int64_t tap = 0; tap < e.filter; ++tap) {
      std::int64_t count = 0;
      for (std::int64_t out = 0; out < e.out; ++out) count += inside(out, tap) ? 1 : 0;
      most = std::max(most, count);
    }
    return most;
  }
  if (direction == ConvDirection::fwd) {
    for (std::int64_t out = 0; out < e.out; ++out) {
      std::int64_t count = 0;
      for (std::int64_t tap = 0; tap < e.filter; ++tap) count += inside(out, tap) ? 1 : 0;
      most = std::max(most, count);
      if (most == e.filter) break;
    }
    return most;
  }
  std::vector<std::int64_t> hits(static_cast<std::size_t>(e.in), 0);
  for (std::int64_t out = 0; out < e.out; ++out) {
    for (std::int64_t tap = 0; tap < e.filter; ++tap) {
      if (!inside(out, tap)) continue;
      auto& hit = hits[static_cast<std::size_t>(out * e.stride + tap * e.dilation - e.pad)];
      most = std::max(most, ++hit);
    }
  }
  return most;
}

/// Products summed into one output, at most: those with padding are exact zeros and do not count.
inline std::int64_t products_per_output(const ConvProblem& p) {
  const std::int64_t spatial =
      most_contributions(rows_of(p), p.direction) * most_contributions(cols_of(p), p.direction);
  switch (p.direction) {
    case ConvDirection::fwd:
      return p.c_per_group() * spatial;
    case ConvDirection::bwd_data:
      return p.k_per_group() * spatial;
    case ConvDirection::bwd_filter:
      return p.n * spatial;
  }
  return 0;
}

/// The tensors of a launch by their part in the forward formula.
struct ConvTensors {
  const TensorArg* image = nullptr;   ///< x or dx
  const TensorArg* filter = nullptr;  ///< w or dw
  const TensorArg* output = nullptr;  ///< y or dy
};

inline ConvTensors conv_tensors(const ConvProblem& p, const LaunchArgs& args) {
  switch (p.direction) {
    case ConvDirection::fwd:
      return {&args.tensor("x"), &args.tensor("w"), &args.tensor("y")};
    case ConvDirection::bwd_data:
      return {&args.tensor("dx"), &args.tensor("w"), &args.tensor("dy")};
    case ConvDirection::bwd_filter:
      return {&args.tensor("x"), &args.tensor("dw"), &args.tensor("dy")};
  }
  return {};
}

/// Filter strides by cross-correlation tap: mode=convolution reads taps backwards, so it starts at
/// the last one (`origin` elements further) with negative strides.
struct FilterStrides {
  std::int64_t k = 0, c = 0, row = 0, col = 0, origin = 0;
};

inline FilterStrides filter_strides(const ConvProblem& p, const TensorDesc& filter) {
  const Strides s = strides_of(filter);
  if (!p.flip) return {s.outer, s.channel, s.row, s.col, 0};
  const std::int64_t last = (p.filter[1] - 1) * s.row + (p.filter[2] - 1) * s.col;
  return {s.outer, s.channel, -s.row, -s.col, last};
}

/// Sites of an image's positions and of a filter's taps. Taps follow memory: channels innermost
/// where the filter has them innermost.
inline SiteOrder position_order(std::int64_t n, std::int64_t rows, std::int64_t cols) {
  return {n, rows, cols, false};
}
inline SiteOrder tap_order(const ConvProblem& p, std::int64_t channels, bool channels_innermost) {
  return {channels, p.filter[1], p.filter[2], channels_innermost};
}

/// Output positions (n, p, q) as places of x around which taps are read.
inline SiteMap windows_in_image(const ConvProblem& p, const Strides& image) {
  const Extent r = rows_of(p);
  const Extent s = cols_of(p);
  SiteMap map;
  map.origin = -(r.pad * image.row + s.pad * image.col);
  map.outer_stride = image.outer;
  map.row_stride = r.stride * image.row;
  map.col_stride = s.stride * image.col;
  map.row_step = static_cast<int>(r.stride);
  map.col_step = static_cast<int>(s.stride);
  map.row_origin = static_cast<int>(-r.pad);
  map.col_origin = static_cast<int>(-s.pad);
  return map;
}
/// Taps (c, r, s) relative to a window.
inline SiteMap taps_in_image(const ConvProblem& p, const Strides& image) {
  SiteMap map;
  map.outer_stride = image.channel;
  map.row_stride = p.dilation[1] * image.row;
  map.col_stride = p.dilation[2] * image.col;
  map.row_step = static_cast<int>(p.dilation[1]);
  map.col_step = static_cast<int>(p.dilation[2]);
  return map;
}
/// Positions (n, p, q) as elements.
inline SiteMap elements_of(const Strides& image) {
  SiteMap map;
  map.outer_stride = image.outer;
  map.row_stride = image.row;
  map.col_stride = image.col;
  return map;
}
/// Taps (channel, r, s) as filter elements; `channel_stride` is that of c or of k.
inline SiteMap taps_in_filter(const FilterStrides& filter, std::int64_t channel_stride) {
  SiteMap map;
  map.origin = filter.origin;
  map.outer_stride = channel_stride;
  map.row_stride = filter.row;
  map.col_stride = filter.col;
  return map;
}
inline bool unit_stride(const ConvProblem& p) { return p.stride[1] == 1 && p.stride[2] == 1; }

/// Input positions (n, h, w) and taps (k, r, s) for a StridedWindow over dy. At unit stride they
/// carry the offsets of rows and columns, else the window adds those of the quotients.
inline SiteMap positions_in_output(const ConvProblem& p, const Strides& output) {
  SiteMap map;
  map.outer_stride = output.outer;
  map.row_step = 1;
  map.col_step = 1;
  map.row_origin = static_cast<int>(p.pad_begin[1]);
  map.col_origin = static_cast<int>(p.pad_begin[2]);
  if (unit_stride(p)) {
    map.origin = p.pad_begin[1] * output.row + p.pad_begin[2] * output.col;
    map.row_stride = output.row;
    map.col_stride = output.col;
  }
  return map;
}
inline SiteMap taps_in_output(const ConvProblem& p, const Strides& output) {
  SiteMap map;
  map.outer_stride = output.channel;
  map.row_step = static_cast<int>(-p.dilation[1]);
  map.col_step = static_cast<int>(-p.dilation[2]);
  if (unit_stride(p)) {
    map.row_stride = -p.dilation[1] * output.row;
    map.col_stride = -p.dilation[2] * output.col;
  }
  return map;
}
inline ImageWindow image_window(const ConvProblem& p) {
  return {static_cast<int>(p.in[1]), static_cast<int>(p.in[2])};
}
inline StridedWindow strided_window(const ConvProblem& p, const Strides& output) {
  StridedWindow window;
  window.rows = static_cast<int>(p.out[1]);
  window.cols = static_cast<int>(p.out[2]);
  window.unit = unit_stride(p);
  window.row_step = FastDivisor(p.stride[1]);
  window.col_step = FastDivisor(p.stride[2]);
  window.row_stride = output.row;
  window.col_stride = output.col;
  return window;
}

}  // namespace wm::WM_FLAVOUR
