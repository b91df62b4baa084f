#pragma once
// Direct convolution by gathering, forward or backward to the data: a thread computes a register
// tile of kRows rows (filters, or channels of dx) at kPositions positions of the output.
//
// For each filter tap the thread finds the source element of each of its positions once, then runs
// over the channels with two additions an element: no division or bounds test in the inner loop.
// Filter values are the same for a whole warp (one broadcast), source values lie beside each other
// for neighbouring lanes in NCHW. Padding is skipped, not multiplied by zero.
#include "kernels/conv/parts/conv_output.cuh"
#include "kernels/conv/parts/variant.cuh"

namespace wm::WM_FLAVOUR {

inline constexpr int kDirectThreads = 128;

template <class T, class Window, bool kFused>
struct DirectGather {
  const T* source = nullptr;  ///< x or dy
  const T* filter = nullptr;
  Window window;
  SiteOrder positions;   ///< of the output
  SiteMap position_map;  ///< positions to places in the source
  SiteMap tap_map;       ///< (channel, r, s) to places in the source
  int position_count = 0;
  int channels = 0, taps_h = 0, taps_w = 0;  ///< reduction: channels a group, filter taps
  int rows = 0;                              ///< output rows a group
  std::int64_t source_group = 0, filter_group = 0;
  std::int64_t filter_row = 0;  ///< stride from one output row's weights to the next
  SiteMap filter_map;           ///< (channel, r, s) to filter elements
  FastDivisor row_tiles, position_tiles;
  ConvOutput<T, kFused> output;
};

/// Sums of one thread's tile: sums[position][row].
template <class T, int kRows, int kPositions, class Window, bool kFused>
__device__ inline void gather_sums(const DirectGather<T, Window, kFused>& args, const T* source,
                                   const T* filter, const std::int64_t (&row_offsets)[kRows],
                                   const Place (&places)[kPositions],
                                   acc_t<T> (&sums)[kPositions][kRows]) {
  using Acc = acc_t<T>;
  WM_NO_UNROLL
  for (int r = 0; r < args.taps_h; ++r) {
    WM_NO_UNROLL
    for (int s = 0; s < args.taps_w; ++s) {
      const Site tap{0, r, s};
      const Place tap_place = args.tap_map.place(tap);
      const T* elements[kPositions];
      bool inside[kPositions];
      bool any = false;
      WM_UNROLL
      for (int j = 0; j < kPositions; ++j) {
        std::int64_t offset = 0;
        inside[j] = args.window.find(places[j], tap_place, offset);
        elements[j] = source + (inside[j] ? offset : 0);
        any = any || inside[j];
      }
      if (!any) continue;
      const T* weights = filter + args.filter_map.place(tap).offset;
      for (int c = 0; c < args.channels; ++c) {
        Acc weight[kRows];
        WM_UNROLL
        for (int i = 0; i < kRows; ++i) weight[i] = to_acc(weights[row_offsets[i]]);
        WM_UNROLL
        for (int j = 0; j < kPositions; ++j) {
          if (!inside[j]) continue;
          const Acc value = to_acc(*elements[j]);
          elements[j] += args.tap_map.outer_stride;
          WM_UNROLL
          for (int i = 0; i < kRows; ++i) sums[j][i] = wm::fma(weight[i], value, sums[j][i]);
        }
        weights += args.filter_map.outer_stride;
      }
    }
  }
}

template <class T, int kRows, int kPositions, class Window, bool kFused>
__global__ void __launch_bounds__(kDirectThreads)
    direct_gather_kernel(DirectGather<T, Window, kFused> args) {
  int group = static_cast<int>(blockIdx.x);
  int row_tile = args.position_tiles.divide(group);
  const int position_tile = group - row_tile * args.position_tiles.value();
  group = args.row_tiles.divide(row_tile);
  row_tile -= group * args.row_tiles.value();

  Place places[kPositions];
  const int first = position_tile * (kDirectThreads * kPositions) + static_cast<int>(threadIdx.x);
  WM_UNROLL
  for (int j = 0; j < kPositions; ++j) {
    const int position = first + j * kDirectThreads;
    places[j] = position < args.position_count
                    ? args.position_map.place(args.positions.at(position))
                    : nowhere();
  }
  // Rows past the end repeat the last one and are not stored.
  const int first_row = row_tile * kRows;
  std::int64_t row_offsets[kRows];
  WM_UNROLL
  for (int i = 0; i < kRows; ++i) {
    const int row = first_row + i < args.rows ? first_row + i : args.rows - 1;
    row_offsets[i] = row * args.filter_row;
  }
  acc_t<T> sums[kPositions][kRows] = {};
  gather_sums<T, kRows, kPositions>(args, args.source + group * args.source_group,
                                    args.filter + group * args.filter_group, row_offsets, places,
                                    sums);
  WM_UNROLL
  for (int j = 0; j < kPositions; ++j) {
    const int position = first + j * kDirectThreads;
    if (position >= args.position_count) continue;
    const auto column = args.output.column(args.positions.at(position));
    WM_UNROLL
    for (int i = 0; i < kRows; ++i) {
      if (first_row + i < args.rows)
        args.output.store(column, std::int64_t{group} * args.rows + first_row + i, sums[j][i]);
    }
  }
}

/// Register tiles: rows x positions a thread.
inline const std::vector<std::string>& direct_tiles() {
  static const std::vector<std::string> tiles{"8x4", "4x2", "1x4"};
  return tiles;
}

/// The largest tile that still gives every SM a block; single rows for depthwise problems.
inline Config configure_direct(const Problem& problem, const DeviceProps& device) {
  const GemmShape gemm = gemm_shape(problem.as<ConvProblem>());
  Config config;
  if (gemm.rows < 3) return config.set("tile", "1x4");
  const std::int64_t large =
      ceil_div(gemm.rows, 8) * ceil_div(gemm.cols, std::int64_t{kDirectThreads} * 4) * gemm.groups;
  return config.set("tile", gemm.rows > 4 && large >= device.sm_count ? "8x4" : "4x2");
}

inline void check_direct(const Problem&, const Config& config) {
  check_config_items(config, {"tile"});
  check_config_item(config, "tile", direct_tiles());
}

template <class T, int kRows, int kPositions, class Window, bool kFused>
void launch_direct_tile(DirectGather<T, Window, kFused> args, std::int64_t groups, Stream stream) {
  const std::int64_t row_tiles = ceil_div(args.rows, kRows);
  const std::int64_t position_tiles =
      ceil_div(args.position_count, std::int64_t{kDirectThreads} * kPositions);
  const std::int64_t blocks = row_tiles * position_tiles * groups;
  if (blocks == 0) return;
  args.row_tiles = FastDivisor(row_tiles);
  args.position_tiles = FastDivisor(position_tiles);
  launch<direct_gather_kernel<T, kRows, kPositions, Window, kFused>>(
      LaunchShape{.grid = flat_grid(blocks), .block = dim3(kDirectThreads)}, stream, args);
}

template <class T, class Window, bool kFused>
void launch_direct(const Config& config, const DirectGather<T, Window, kFused>& args,
                   std::int64_t groups, Stream stream) {
  const std::string& tile = config.text("tile");
  if (tile == "8x4") return launch_direct_tile<T, 8, 4>(args, groups, stream);
  if (tile == "4x2") return launch_direct_tile<T, 4, 2>(args, groups, stream);
  launch_direct_tile<T, 1, 4>(args, groups, stream);
}

}  // namespace wm::WM_FLAVOUR
