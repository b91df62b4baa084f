// conv_bwd_data/implicit_gemm: dx[c, nhw] = w[c, krs] dy[krs, nhw] by block tiles; dy is gathered,
// with a zero wherever the stride does not divide (cuDNN's BWD_DATA_ALGO_1, deterministic).
//
// Mapping: as conv_fwd/implicit_gemm with channels for filters and input positions for output
// positions. Each dx element is one fma chain over k, r, s (r, s, k in NHWC).
// Traffic: an element reads depth / tile columns weights and depth / tile rows elements of dy.
// Wins: unit stride, many channels and filters. Loses at stride u x v, where all but 1/(u v) of
// the products are with zeros.
#include "gpu/kernel.hpp"
#include "kernels/conv/parts/operands.cuh"
#include "registry/register.hpp"

namespace wm::WM_FLAVOUR {
namespace {

template <class T>
void launch_bwd_data(const Problem& problem, const Config& config, const LaunchArgs& args) {
  const auto& p = problem.as<ConvProblem>();
  const ConvTensors tensors = conv_tensors(p, args);
  launch_implicit_gemm<T, DataGemm<T>, false>(
      problem, config,
      {data_gemm<T>(problem, tensors), position_order(p.n, p.in[1], p.in[2]),
       conv_output<T, false>(p, args, *tensors.image)},
      args.stream);
}

}  // namespace

void register_conv_bwd_data_implicit_gemm(Catalog& catalog) {
  for_conv_variants({"conv_bwd_data", "implicit_gemm",
                     "block-tiled matrix product, dy gathered where the stride divides"},
                    [&]<class T>(Variant variant) {
                      variant.configure = configure_gemm;
                      variant.check_config = check_gemm;
                      variant.claims = claims_padded_chain;
                      variant.launch = launch_bwd_data<T>;
                      catalog.add(std::move(variant));
                    });
}

}  // namespace wm::WM_FLAVOUR
