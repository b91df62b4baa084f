// conv_bwd_filter/direct: each thread (or warp) sums a register tile of dw over all output
// positions.
//
// Mapping: a thread owns `tile` = filters x channels (8x4 or 1x1) of dw at one tap (r, s), so that
// one bounds test serves the whole tile and padding is skipped. lanes=1: neighbouring lanes take
// neighbouring taps and each sums all positions n, p, q in order. lanes=32: a warp shares a tile,
// lane l sums positions l, l + 32, ..., and the lanes' sums are added by a butterfly that leaves
// each lane an equal share of the results (31 shuffles for 32 sums). Traffic: an element reads npq
// / channels of the tile elements of dy and npq / filters of x, from L1 and L2 for the most part.
// Wins: depthwise and grouped problems, few channels. Loses to implicit_gemm where there are many.
#include "gpu/kernel.hpp"
#include "kernels/conv/parts/conv_output.cuh"
#include "kernels/conv/parts/variant.cuh"
#include "registry/register.hpp"

namespace wm::WM_FLAVOUR {
namespace {

constexpr int kThreads = 128;

template <class T>
struct DirectFilter {
  const T* x = nullptr;
  const T* dy = nullptr;
  SiteOrder positions;
  Site step;  ///< from one position of a lane to its next
  SiteMap windows, taps, outputs;
  ImageWindow window;
  int position_count = 0;
  int lanes = 1;
  int filters = 0, channels = 0, taps_h = 0, taps_w = 0;  ///< a group
  std::int64_t filter_stride = 0, channel_stride = 0;     ///< of dy and of x
  std::int64_t dy_group = 0, x_group = 0;
  std::int64_t units = 0;  ///< tiles of dw
  int filter_tiles = 0, channel_tiles = 0;
  ConvOutput<T, false> output;
};

/// The part of dw a unit owns. Taps vary fastest, then channels: neighbours read neighbouring x.
struct Unit {
  int group, filter, channel, r, s;
};
template <class T>
__device__ Unit unit_at(const DirectFilter<T>& args, std::int64_t unit) {
  Unit result;
  result.s = static_cast<int>(unit % args.taps_w);
  unit /= args.taps_w;
  result.r = static_cast<int>(unit % args.taps_h);
  unit /= args.taps_h;
  result.channel = static_cast<int>(unit % args.channel_tiles);
  unit /= args.channel_tiles;
  result.filter = static_cast<int>(unit % args.filter_tiles);
  result.group = static_cast<int>(unit / args.filter_tiles);
  return result;
}

/// Sums of a lane's positions: sums[channel * kFilters + filter]. Filters and channels past the end
/// repeat the last one.
template <int kFilters, int kChannels, class T>
__device__ inline void sum_positions(const DirectFilter<T>& args, const Unit& unit, int lane,
                                     acc_t<T> (&sums)[kFilters * kChannels]) {
  using Acc = acc_t<T>;
  const T* x = args.x + unit.group * args.x_group + unit.channel * args.channel_stride;
  const T* dy = args.dy + unit.group * args.dy_group + unit.filter * args.filter_stride;
  const int last_filter = args.filters - 1 - unit.filter;
  const int last_channel = args.channels - 1 - unit.channel;
  const Place tap = args.taps.place({0, unit.r, unit.s});
  Site site = args.positions.at(lane < args.position_count ? lane : 0);
  for (int index = lane; index < args.position_count; index += args.lanes) {
    std::int64_t offset = 0;
    const bool inside = args.window.find(args.windows.place(site), tap, offset);
    const std::int64_t dy_offset = args.outputs.place(site).offset;
    args.positions.advance_by(site, args.step);
    if (!inside) continue;
    Acc gradient[kFilters];
    WM_UNROLL
    for (int i = 0; i < kFilters; ++i)
      gradient[i] =
          to_acc(dy[dy_offset + (i < last_filter ? i : last_filter) * args.filter_stride]);
    WM_UNROLL
    for (int j = 0; j < kChannels; ++j) {
      const Acc value =
          to_acc(x[offset + (j < last_channel ? j : last_channel) * args.channel_stride]);
      WM_UNROLL
      for (int i = 0; i < kFilters; ++i)
        sums[j * kFilters + i] = wm::fma(gradient[i], value, sums[j * kFilters + i]);
    }
  }
}

/// Sums kCount values over a warp. Each step halves the values a lane is responsible for, then the
/// rest is a butterfly: values[0] of lane l becomes the sum of value l * kCount / 32, always by the
/// same tree of height 5.
template <int kCount, int kOffset = kWarpSize / 2, class Acc>
__device__ inline void warp_sum_many(Acc* values) {
  if constexpr (kCount > 1) {
    constexpr int kHalf = kCount / 2;
    const bool upper = (threadIdx.x & kOffset) != 0;
    WM_UNROLL
    for (int i = 0; i < kHalf; ++i) {
      const Acc sent = upper ? values[i] : values[i + kHalf];
      const Acc kept = upper ? values[i + kHalf] : values[i];
      values[i] = kept + __shfl_xor_sync(kFullMask, sent, kOffset);
    }
    warp_sum_many<kHalf, kOffset / 2>(values);
  } else if constexpr (kOffset > 0) {
    values[0] = values[0] + __shfl_xor_sync(kFullMask, values[0], kOffset);
    warp_sum_many<1, kOffset / 2>(values);
  }
}

template <int kFilters, class T>
__device__ inline void store_sum(const DirectFilter<T>& args, const Unit& unit, int index,
                                 acc_t<T> sum) {
  const int filter = unit.filter + index % kFilters;
  const int channel = unit.channel + index / kFilters;
  if (filter >= args.filters || channel >= args.channels) return;
  args.output.store(args.output.column({channel, unit.r, unit.s}),
                    std::int64_t{unit.group} * args.filters + filter, sum);
}

template <class T, int kFilters, int kChannels>
__global__ void __launch_bounds__(kThreads) direct_filter_kernel(DirectFilter<T> args) {
  constexpr int kSums = kFilters * kChannels;
  static_assert(kWarpSize % kSums == 0);
  const std::int64_t thread = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  const std::int64_t unit_index = thread / args.lanes;
  if (unit_index >= args.units) return;
  const int lane = static_cast<int>(thread % args.lanes);
  Unit unit = unit_at(args, unit_index);
  unit.filter *= kFilters;
  unit.channel *= kChannels;
  acc_t<T> sums[kSums] = {};
  sum_positions<kFilters, kChannels>(args, unit, lane, sums);
  if (args.lanes == 1) {
    WM_UNROLL
    for (int i = 0; i < kSums; ++i) store_sum<kFilters>(args, unit, i, sums[i]);
    return;
  }
  warp_sum_many<kSums>(sums);
  constexpr int kLanesPerSum = kWarpSize / kSums;
  if (lane % kLanesPerSum == 0) store_sum<kFilters>(args, unit, lane / kLanesPerSum, sums[0]);
}

struct FilterTile {
  int filters, channels;
};
FilterTile filter_tile(const std::string& tile) {
  return tile == "8x4" ? FilterTile{8, 4} : FilterTile{1, 1};
}

std::int64_t count_units(const ConvProblem& p, const FilterTile& tile) {
  return ceil_div(p.k_per_group(), tile.filters) * ceil_div(p.c_per_group(), tile.channels) *
         p.filter_taps() * p.groups;
}

/// Large tiles unless they would be mostly empty; warps where threads alone are too few to fill the
/// GPU and there are positions enough for 32 lanes.
Config configure_filter(const Problem& problem, const DeviceProps& device) {
  const auto& p = problem.as<ConvProblem>();
  const bool small = p.k_per_group() < 3 || p.c_per_group() < 2;
  const std::string tile = small ? "1x1" : "8x4";
  const std::int64_t positions = p.n * p.out_positions();
  const bool few = count_units(p, filter_tile(tile)) < std::int64_t{device.sm_count} * 512;
  return Config().set("tile", tile).set("lanes", few && positions >= 128 ? "32" : "1");
}

void check_filter(const Problem&, const Config& config) {
  check_config_items(config, {"tile", "lanes"});
  check_config_item(config, "tile", {"8x4", "1x1"});
  check_config_item(config, "lanes", {"1", "32"});
}

Claims claims_filter(const Problem& problem, const Config& config) {
  const auto& p = problem.as<ConvProblem>();
  Claims claims = claims_one_chain(problem, config);
  if (config.integer("lanes") == kWarpSize) {
    const std::int64_t lane = ceil_div(p.n * p.out_positions(), kWarpSize);
    constexpr int kButterfly = 5;
    claims.tree_height = static_cast<double>(std::min(lane, products_per_output(p)) + kButterfly);
  }
  claims.batch_invariant = false;  // dw sums over the batch: it has no samples
  return claims;
}

template <class T>
DirectFilter<T> filter_args(const ConvProblem& p, const Config& config,
                            const LaunchArgs& launch_args) {
  const ConvTensors tensors = conv_tensors(p, launch_args);
  const Strides image = strides_of(*tensors.image->desc);
  const Strides output = strides_of(*tensors.output->desc);
  const FilterTile tile = filter_tile(config.text("tile"));
  DirectFilter<T> args;
  args.x = static_cast<const T*>(tensors.image->data);
  args.dy = static_cast<const T*>(tensors.output->data);
  args.positions = position_order(p.n, p.out[1], p.out[2]);
  args.windows = windows_in_image(p, image);
  args.taps = taps_in_image(p, image);
  args.outputs = elements_of(output);
  args.window = image_window(p);
  args.position_count = static_cast<int>(p.n * p.out_positions());
  args.lanes = static_cast<int>(config.integer("lanes"));
  args.step = args.positions.at(args.lanes);
  args.filters = static_cast<int>(p.k_per_group());
  args.channels = static_cast<int>(p.c_per_group());
  args.taps_h = static_cast<int>(p.filter[1]);
  args.taps_w = static_cast<int>(p.filter[2]);
  args.filter_stride = output.channel;
  args.channel_stride = image.channel;
  args.dy_group = p.k_per_group() * output.channel;
  args.x_group = p.c_per_group() * image.channel;
  args.units = count_units(p, tile);
  args.filter_tiles = static_cast<int>(ceil_div(p.k_per_group(), tile.filters));
  args.channel_tiles = static_cast<int>(ceil_div(p.c_per_group(), tile.channels));
  args.output = conv_output<T, false>(p, launch_args, *tensors.filter);
  return args;
}

template <class T>
void launch_filter(const Problem& problem, const Config& config, const LaunchArgs& launch_args) {
  const DirectFilter<T> args = filter_args<T>(problem.as<ConvProblem>(), config, launch_args);
  if (args.units == 0) return;
  const LaunchShape shape{.grid = flat_grid(ceil_div(args.units * args.lanes, kThreads)),
                          .block = dim3(kThreads)};
  if (config.text("tile") == "8x4")
    launch<direct_filter_kernel<T, 8, 4>>(shape, launch_args.stream, args);
  else
    launch<direct_filter_kernel<T, 1, 1>>(shape, launch_args.stream, args);
}

}  // namespace

void register_conv_bwd_filter_direct(Catalog& catalog) {
  for_conv_variants(
      {"conv_bwd_filter", "direct", "a register tile of dw a thread or warp, at one filter tap"},
      [&]<class T>(Variant variant) {
        variant.configure = configure_filter;
        variant.check_config = check_filter;
        variant.claims = claims_filter;
        variant.launch = launch_filter<T>;
        catalog.add(std::move(variant));
      });
}

}  // namespace wm::WM_FLAVOUR
