// conv_fwd/direct: the definition, computed output by output without shared memory.
//
// Mapping: a thread owns `tile` = filters x positions (8x4, 4x2 or 1x4) of one group; the lanes of
// a warp take neighbouring positions n*p*q, so image reads coalesce in NCHW and filter reads are
// one broadcast a warp. Tap by tap, then channel by channel: sum order r, s, c.
// Traffic: an output reads C/G*R*S image elements / filters of the tile and as many weights /
// (32 lanes * positions of the tile); L1 carries the reuse between taps.
// Wins: small or oddly shaped problems, few channels, grouped and depthwise ones. Loses to
// implicit_gemm where there are many filters and channels: no reuse across the block.
#include "gpu/kernel.hpp"
#include "kernels/conv/parts/direct_gather.cuh"
#include "registry/register.hpp"

namespace wm::WM_FLAVOUR {
namespace {

template <class T>
DirectGather<T, ImageWindow, true> gather_image(const ConvProblem& p,
                                                const LaunchArgs& launch_args) {
  const ConvTensors tensors = conv_tensors(p, launch_args);
  const Strides image = strides_of(*tensors.image->desc);
  const FilterStrides filter = filter_strides(p, *tensors.filter->desc);
  DirectGather<T, ImageWindow, true> args;
  args.source = static_cast<const T*>(tensors.image->data);
  args.filter = static_cast<const T*>(tensors.filter->data);
  args.window = image_window(p);
  args.positions = position_order(p.n, p.out[1], p.out[2]);
  args.position_map = windows_in_image(p, image);
  args.tap_map = taps_in_image(p, image);
  args.position_count = static_cast<int>(p.n * p.out_positions());
  args.channels = static_cast<int>(p.c_per_group());
  args.taps_h = static_cast<int>(p.filter[1]);
  args.taps_w = static_cast<int>(p.filter[2]);
  args.rows = static_cast<int>(p.k_per_group());
  args.source_group = p.c_per_group() * image.channel;
  args.filter_group = p.k_per_group() * filter.k;
  args.filter_row = filter.k;
  args.filter_map = taps_in_filter(filter, filter.c);
  args.output = conv_output<T, true>(p, launch_args, *tensors.output);
  return args;
}

template <class T>
void launch_fwd_direct(const Problem& problem, const Config& config, const LaunchArgs& args) {
  const auto& p = problem.as<ConvProblem>();
  launch_direct<T>(config, gather_image<T>(p, args), p.groups, args.stream);
}

}  // namespace

void register_conv_fwd_direct(Catalog& catalog) {
  for_conv_variants(
      {"conv_fwd", "direct", "a register tile of outputs a thread, filter taps outermost"},
      [&]<class T>(Variant variant) {
        variant.configure = configure_direct;
        variant.check_config = check_direct;
        variant.claims = claims_one_chain;
        variant.launch = launch_fwd_direct<T>;
        catalog.add(std::move(variant));
      });
}

}  // namespace wm::WM_FLAVOUR
