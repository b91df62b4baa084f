// matmul/split_k_atomic: split-K whose partial sums are added by atomics, in whatever order
// blocks finish. Non-deterministic by design from three ranges of k on (0 + x + y has only one
// value).
//
// Mapping: blocks (split, tile) run the main loop of register_tiled over their range of k and
// atomicAdd their tiles into zeroed accumulators: d itself for f32 and f64, an f32 workspace for
// 16-bit types. Where there is an epilogue or a conversion, a last pass applies it.
//
// Bytes per output: register_tiled's, an atomic a split, and the passes.
//
// Wins: few outputs and a long k; no workspace for f32 and f64. Loses: as soon as the tiles fill
// the device; wherever bits must repeat (split_k_ordered costs little more).
//
// Arithmetic: a chain of fused multiply-adds for each range, the ranges added in any order.
// Global float atomics flush subnormal partial sums to zero.
//
// Source: CUTLASS's and cuBLAS's atomic split-K.
#include "kernels/matmul/parts/split_k.cuh"

namespace wm::WM_FLAVOUR {
namespace {

enum class Pass : int { clear, finish };

/// Before the sums: sets accumulators to zero. After: d = epilogue(accumulator).
template <class T>
__global__ void __launch_bounds__(kPassThreads)
    accumulator_pass_kernel(const MatmulArgs<T> args, const PartialSums<acc_t<T>> sums,
                            const Pass pass) {
  const std::int64_t index = pass_index();
  if (index >= args.batch * args.m * args.n) return;
  const OutputIndex at = output_index(index, args.m, args.n);
  acc_t<T>& sum = sums.data[sums.strides.at(at.batch, at.row, at.col)];
  if (pass == Pass::clear) {
    sum = 0;
  } else {
    args.store(at.batch, at.row, at.col, sum);
  }
}

template <class T>
inline constexpr bool kSumsInOutput = sizeof(T) == sizeof(acc_t<T>);

template <class T>
void launch_atomic(const Problem& problem, const Config& config, const LaunchArgs& launch_args) {
  using Acc = acc_t<T>;
  const auto& p = problem.as<MatmulProblem>();
  if (p.batch * p.m * p.n == 0) return;
  const MatmulArgs<T> args = matmul_args<T>(problem, launch_args);
  PartialSums<Acc> sums = packed_partials<Acc>(p, launch_args.workspace, 1);
  if constexpr (kSumsInOutput<T>) sums = {args.d, args.d_strides, 0, false};
  launch<accumulator_pass_kernel<T>>(pass_shape(p), launch_args.stream, args, sums, Pass::clear);
  launch_partial_sums<T, true>(p, config, args, sums, launch_args.stream);
  const bool plain = p.alpha == 1 && p.beta == 0 && !p.bias && p.act == ActivationFn::identity;
  if (kSumsInOutput<T> && plain) return;
  launch<accumulator_pass_kernel<T>>(pass_shape(p), launch_args.stream, args, sums, Pass::finish);
}

template <class T>
Variant split_k_atomic() {
  Variant variant = split_variant<T>(
      "split_k_atomic", "Several blocks a tile over ranges of k, partial sums added by atomics.");
  variant.workspace_bytes = [](const Problem& problem, const Config&) {
    const auto& p = problem.as<MatmulProblem>();
    if (kSumsInOutput<T>) return std::size_t{0};
    return static_cast<std::size_t>(p.batch * p.m * p.n) * sizeof(acc_t<T>);
  };
  const auto claims = variant.claims;
  variant.claims = [claims](const Problem& problem, const Config& config) {
    Claims result = claims(problem, config);
    const std::int64_t count = split_plan<T>(problem.as<MatmulProblem>(), config).count;
    if (count > 2)
      result.nondeterministic = "atomicAdd of " + std::to_string(count) + " partial sums an output";
    if (result.acc == DType::f32) result.flushing_additions = static_cast<double>(count);
    result.batch_invariant = false;
    return result;
  };
  variant.launch = launch_atomic<T>;
  return variant;
}

}  // namespace

void register_matmul_split_k_atomic(Catalog& catalog);
void register_matmul_split_k_atomic(Catalog& catalog) {
  for_types<float, double, f16, bf16>([&]<class T>() { catalog.add(split_k_atomic<T>()); });
}

}  // namespace wm::WM_FLAVOUR
