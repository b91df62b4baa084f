// matmul/naive: one thread computes one output, straight from global memory.
//
// Mapping: a block of 32 x 8 threads covers 8 rows and 32 columns of d; a warp holds 32
// neighbouring columns, so reads of b and writes of d coalesce when n is contiguous, and all
// lanes share the element of a (one broadcast).
//
// Bytes per output: 2 k elements from L1/L2, none reused on purpose.
//
// Wins: nowhere on large problems; it is the plainest correct kernel, with the least to go wrong,
// and does well where k or the whole problem is tiny. Loses: as soon as m, n and k pass a few
// dozen: every product reads two elements through the caches.
//
// Arithmetic: one chain of k fused multiply-adds, k ascending, from +0.
#include "kernels/matmul/parts/matmul_args.cuh"

namespace wm::WM_FLAVOUR {
namespace {

constexpr int kBlockM = 8;
constexpr int kBlockN = 32;

template <class T>
__global__ void __launch_bounds__(kBlockM* kBlockN)
    naive_kernel(const MatmulArgs<T> args, const TileGrid grid) {
  const TileGrid::Tile tile = grid.tile(blockIdx.x);
  const std::int64_t row = std::int64_t{tile.m} * kBlockM + threadIdx.y;
  const std::int64_t col = std::int64_t{tile.n} * kBlockN + threadIdx.x;
  if (row >= args.m || col >= args.n) return;
  const T* a = args.a + args.a_strides.at(tile.batch, row, 0);
  const T* b = args.b + args.b_strides.at(tile.batch, 0, col);
  acc_t<T> sum = 0;
  for (std::int64_t k = 0; k < args.k; ++k) {
    sum = wm::fma(to_acc(*a), to_acc(*b), sum);
    a += args.a_strides.col;
    b += args.b_strides.row;
  }
  args.store(tile.batch, row, col, sum);
}

template <class T>
Variant naive() {
  Variant variant =
      matmul_variant<T>("naive", "One thread an output, operands from global memory.");
  variant.supports = [](const Problem& problem, const DeviceProps&) {
    return grid_support(tile_count(problem.as<MatmulProblem>(), kBlockM, kBlockN));
  };
  variant.claims = [](const Problem& problem, const Config&) {
    const auto& p = problem.as<MatmulProblem>();
    return matmul_claims<T>(p, static_cast<double>(p.k));
  };
  variant.launch = [](const Problem& problem, const Config&, const LaunchArgs& args) {
    const auto& p = problem.as<MatmulProblem>();
    const std::int64_t blocks = tile_count(p, kBlockM, kBlockN);
    if (blocks == 0) return;
    launch<naive_kernel<T>>(
        LaunchShape{.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(kBlockN, kBlockM)},
        args.stream, matmul_args<T>(problem, args), tile_grid(p, kBlockM, kBlockN));
  };
  return variant;
}

}  // namespace

void register_matmul_naive(Catalog& catalog);
void register_matmul_naive(Catalog& catalog) {
  for_types<float, double, f16, bf16>([&]<class T>() { catalog.add(naive<T>()); });
}

}  // namespace wm::WM_FLAVOUR
