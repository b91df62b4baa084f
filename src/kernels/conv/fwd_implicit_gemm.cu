// conv_fwd/implicit_gemm: y[k, npq] = w[k, crs] x[crs, npq] by block tiles, the image matrix
// gathered element by element instead of stored (cuDNN's IMPLICIT_GEMM).
//
// Mapping: a block owns a `tile` of filters x positions of one group, a thread 8x8 (4x4) outputs;
// double-buffered shared tiles, one barrier a step of 8 (16) depths. Lanes load along whichever of
// (position, channel) is contiguous. Each output is one fma chain over c, r, s (r, s, c in NHWC),
// the same for every tile shape.
// Traffic: an output reads depth / tile columns weights and depth / tile rows image elements.
// Wins: many filters and channels. Loses: depthwise (a tile has one real row), 1x1 filters against
// a plain matrix product, tiny problems.
// Source: S. Chetlur et al., cuDNN: Efficient Primitives for Deep Learning (arXiv 1410.0759).
#include "gpu/kernel.hpp"
#include "kernels/conv/parts/operands.cuh"
#include "registry/register.hpp"

namespace wm::WM_FLAVOUR {
namespace {

template <class T>
void launch_fwd(const Problem& problem, const Config& config, const LaunchArgs& args) {
  const auto& p = problem.as<ConvProblem>();
  const ConvTensors tensors = conv_tensors(p, args);
  launch_implicit_gemm<T, ForwardGemm<T>, true>(
      problem, config,
      {forward_gemm<T>(problem, tensors), position_order(p.n, p.out[1], p.out[2]),
       conv_output<T, true>(p, args, *tensors.output)},
      args.stream);
}

}  // namespace

void register_conv_fwd_implicit_gemm(Catalog& catalog) {
  for_conv_variants({"conv_fwd", "implicit_gemm",
                     "block-tiled matrix product, the image gathered without an im2col buffer"},
                    [&]<class T>(Variant variant) {
                      variant.configure = configure_gemm;
                      variant.check_config = check_gemm;
                      variant.claims = claims_padded_chain;
                      variant.launch = launch_fwd<T>;
                      catalog.add(std::move(variant));
                    });
}

}  // namespace wm::WM_FLAVOUR
