// matmul/split_k_ordered: split-K whose partial sums go to a workspace and are added in order.
//
// Mapping: blocks (split, tile) run the main loop of register_tiled over their range of k and
// write packed partial tiles; then a thread an output adds the partials of all splits, first to
// last, and applies the epilogue.
//
// Bytes per output: register_tiled's, and splits accumulators written and read once.
//
// Wins: few outputs and a long k (m, n of a few hundred at most, k of thousands), where tiles
// alone leave most multiprocessors idle, and bits must not change. Loses: as soon as the tiles
// fill the device: the workspace is then pure traffic.
//
// Arithmetic: a chain of fused multiply-adds for each range, then the ranges added in ascending
// order: the same bits under any schedule. Bits depend on `splits`, and so does the heuristic on
// the batch: not batch invariant.
//
// Source: the two-kernel split-K of CUTLASS.
#include "kernels/matmul/parts/split_k.cuh"

namespace wm::WM_FLAVOUR {
namespace {

template <class T>
__global__ void __launch_bounds__(kPassThreads)
    add_partials_kernel(const MatmulArgs<T> args, const PartialSums<acc_t<T>> sums,
                        const std::int64_t count) {
  const std::int64_t index = pass_index();
  if (index >= sums.split_stride) return;
  const OutputIndex at = output_index(index, args.m, args.n);
  const acc_t<T> sum =
      count > 0 ? ordered_sum(sums.data + index, count, sums.split_stride) : acc_t<T>(0);
  args.store(at.batch, at.row, at.col, sum);
}

template <class T>
void launch_ordered(const Problem& problem, const Config& config, const LaunchArgs& launch_args) {
  using Acc = acc_t<T>;
  const auto& p = problem.as<MatmulProblem>();
  if (p.batch * p.m * p.n == 0) return;
  const MatmulArgs<T> args = matmul_args<T>(problem, launch_args);
  constexpr int kWidth = 16 / static_cast<int>(sizeof(Acc));
  const auto sums = packed_partials<Acc>(p, launch_args.workspace, kWidth);
  launch_partial_sums<T, false>(p, config, args, sums, launch_args.stream);
  launch<add_partials_kernel<T>>(pass_shape(p), launch_args.stream, args, sums,
                                 split_plan<T>(p, config).count);
}

template <class T>
Variant split_k_ordered() {
  Variant variant = split_variant<T>(
      "split_k_ordered", "Several blocks a tile over ranges of k, partial sums added in order.");
  variant.workspace_bytes = [](const Problem& problem, const Config& config) {
    const auto& p = problem.as<MatmulProblem>();
    const std::int64_t elements = split_plan<T>(p, config).count * p.batch * p.m * p.n;
    return static_cast<std::size_t>(elements) * sizeof(acc_t<T>);
  };
  const auto claims = variant.claims;
  variant.claims = [claims](const Problem& problem, const Config& config) {
    Claims result = claims(problem, config);
    result.batch_invariant = false;
    return result;
  };
  variant.launch = launch_ordered<T>;
  return variant;
}

}  // namespace

void register_matmul_split_k_ordered(Catalog& catalog);
void register_matmul_split_k_ordered(Catalog& catalog) {
  for_types<float, double, f16, bf16>([&]<class T>() { catalog.add(split_k_ordered<T>()); });
}

}  // namespace wm::WM_FLAVOUR
