// conv_bwd_data/direct: each dx element gathers the outputs that its x element went into.
//
// Mapping: a thread owns `tile` = channels x positions (8x4, 4x2 or 1x4) of one group of dx; the
// lanes of a warp take neighbouring positions n*h*w. For each tap (r, s) a position finds the one
// output it contributed to (none where the stride does not divide), then runs over the filters:
// sum order r, s, k. No atomics, so dx has the same bits every time.
// Traffic: an element reads K/G * (taps that reach it) elements of dy / channels of the tile and as
// many weights / (32 lanes * positions of the tile).
// Wins: few channels or filters, grouped and depthwise problems, large strides. Loses to
// implicit_gemm where both are many: no reuse across the block.
#include "gpu/kernel.hpp"
#include "kernels/conv/parts/direct_gather.cuh"
#include "registry/register.hpp"

namespace wm::WM_FLAVOUR {
namespace {

template <class T>
DirectGather<T, StridedWindow, false> gather_output(const ConvProblem& p,
                                                    const LaunchArgs& launch_args) {
  const ConvTensors tensors = conv_tensors(p, launch_args);
  const Strides output = strides_of(*tensors.output->desc);
  const FilterStrides filter = filter_strides(p, *tensors.filter->desc);
  DirectGather<T, StridedWindow, false> args;
  args.source = static_cast<const T*>(tensors.output->data);
  args.filter = static_cast<const T*>(tensors.filter->data);
  args.window = strided_window(p, output);
  args.positions = position_order(p.n, p.in[1], p.in[2]);
  args.position_map = positions_in_output(p, output);
  args.tap_map = taps_in_output(p, output);
  args.position_count = static_cast<int>(p.n * p.in_positions());
  args.channels = static_cast<int>(p.k_per_group());
  args.taps_h = static_cast<int>(p.filter[1]);
  args.taps_w = static_cast<int>(p.filter[2]);
  args.rows = static_cast<int>(p.c_per_group());
  args.source_group = p.k_per_group() * output.channel;
  args.filter_group = p.k_per_group() * filter.k;
  args.filter_row = filter.c;
  args.filter_map = taps_in_filter(filter, filter.k);
  args.output = conv_output<T, false>(p, launch_args, *tensors.image);
  return args;
}

template <class T>
void launch_bwd_data_direct(const Problem& problem, const Config& config, const LaunchArgs& args) {
  const auto& p = problem.as<ConvProblem>();
  launch_direct<T>(config, gather_output<T>(p, args), p.groups, args.stream);
}

}  // namespace

void register_conv_bwd_data_direct(Catalog& catalog) {
  for_conv_variants(
      {"conv_bwd_data", "direct", "a register tile of dx a thread, gathered tap by tap"},
      [&]<class T>(Variant variant) {
        variant.configure = configure_direct;
        variant.check_config = check_direct;
        variant.claims = claims_one_chain;
        variant.launch = launch_bwd_data_direct<T>;
        catalog.add(std::move(variant));
      });
}

}  // namespace wm::WM_FLAVOUR
