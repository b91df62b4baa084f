// conv_bwd_filter/implicit_gemm: dw[k, crs] = dy[k, npq] x[npq, crs] by block tiles; one block sums
// the whole of its tile, in order (cuDNN's BWD_FILTER_ALGO_1, deterministic).
//
// Mapping: as conv_fwd/implicit_gemm with taps (c, r, s) for positions and output positions for
// the depth. Each dw element is one fma chain over n, p, q.
// Traffic: an element reads npq / tile columns elements of dy and npq / tile rows of x.
// Wins: large filters tensors, where tiles alone fill the GPU. Loses where dw is small and npq
// long: few blocks, each with a long sum (split_atomic divides it).
#include "gpu/kernel.hpp"
#include "kernels/conv/parts/operands.cuh"
#include "registry/register.hpp"

namespace wm::WM_FLAVOUR {
namespace {

template <class T>
void launch_bwd_filter(const Problem& problem, const Config& config, const LaunchArgs& args) {
  const auto& p = problem.as<ConvProblem>();
  const ConvTensors tensors = conv_tensors(p, args);
  launch_implicit_gemm<T, FilterGemm<T>, false>(
      problem, config,
      {filter_gemm<T>(problem, tensors), tap_order(p, p.c_per_group(), channels_last(problem)),
       conv_output<T, false>(p, args, *tensors.filter)},
      args.stream);
}

Claims claims_of_filter_sum(const Problem& problem, const Config& config) {
  Claims claims = claims_padded_chain(problem, config);
  claims.batch_invariant = false;  // dw sums over the batch: it has no samples
  return claims;
}

}  // namespace

void register_conv_bwd_filter_implicit_gemm(Catalog& catalog) {
  for_conv_variants({"conv_bwd_filter", "implicit_gemm",
                     "block-tiled matrix product, one block sums all positions of its tile"},
                    [&]<class T>(Variant variant) {
                      variant.configure = configure_gemm;
                      variant.check_config = check_gemm;
                      variant.claims = claims_of_filter_sum;
                      variant.launch = launch_bwd_filter<T>;
                      catalog.add(std::move(variant));
                    });
}

}  // namespace wm::WM_FLAVOUR
