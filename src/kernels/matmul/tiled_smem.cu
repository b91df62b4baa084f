// matmul/tiled_smem: 32 x 32 tiles of a and b in shared memory, four outputs a thread.
//
// Mapping: 32 x 8 threads compute a 32 x 32 tile of d, thread (x, y) the column x of rows y, y +
// 8, y + 16, y + 24. Tiles are read along whichever direction has the smaller stride, so both
// reads coalesce for any combination of transposes; a pitch of 33 keeps transposing stores and
// reads free of bank conflicts.
//
// Bytes per output: 2 k / 32 elements from global memory, 1.25 k from shared memory, which is the
// limit: 32 words a clock and multiprocessor serve a fifth of its 128 fma.
//
// Wins: small problems, where register_tiled's tiles are mostly empty. Loses: everywhere else.
//
// Arithmetic: one chain of k fused multiply-adds, k ascending, from +0.
//
// Source: CUDA C++ Programming Guide, shared memory matrix multiplication.
#include "kernels/matmul/parts/matmul_args.cuh"

namespace wm::WM_FLAVOUR {
namespace {

constexpr int kTile = 32;
constexpr int kThreadRows = 8;
constexpr int kOutputs = kTile / kThreadRows;

/// Copies a kTile x kTile tile from a matrix (rows x depth) into tile[row][depth], zero outside.
template <class T, class Acc>
__device__ inline void load_tile(Acc (&tile)[kTile][kTile + 1], const T* from,
                                 std::int64_t row_stride, std::int64_t depth_stride,
                                 std::int64_t rows, std::int64_t depths) {
  const bool depth_fastest = depth_stride <= row_stride;
  const int lane = static_cast<int>(threadIdx.x);
  WM_UNROLL
  for (int i = 0; i < kOutputs; ++i) {
    const int slow = static_cast<int>(threadIdx.y) + i * kThreadRows;
    const int row = depth_fastest ? slow : lane;
    const int depth = depth_fastest ? lane : slow;
    const bool inside = row < rows && depth < depths;
    tile[row][depth] = inside ? to_acc(from[row * row_stride + depth * depth_stride]) : Acc(0);
  }
}

template <class T>
__global__ void __launch_bounds__(kTile* kThreadRows)
    tiled_smem_kernel(const MatmulArgs<T> args, const TileGrid grid) {
  using Acc = acc_t<T>;
  WM_SHARED(Acc, tile_a, [kTile][kTile + 1]);
  WM_SHARED(Acc, tile_b, [kTile][kTile + 1]);
  const TileGrid::Tile tile = grid.tile(blockIdx.x);
  const std::int64_t row0 = std::int64_t{tile.m} * kTile;
  const std::int64_t col0 = std::int64_t{tile.n} * kTile;
  const MatrixStrides& sa = args.a_strides;
  const MatrixStrides& sb = args.b_strides;
  const T* a = args.a + sa.at(tile.batch, row0, 0);
  const T* b = args.b + sb.at(tile.batch, 0, col0);
  Acc sum[kOutputs] = {};
  for (std::int64_t k0 = 0; k0 < args.k; k0 += kTile) {
    load_tile(tile_a, a + k0 * sa.col, sa.row, sa.col, args.m - row0, args.k - k0);
    load_tile(tile_b, b + k0 * sb.row, sb.col, sb.row, args.n - col0, args.k - k0);
    __syncthreads();
    WM_UNROLL
    for (int k = 0; k < kTile; ++k) {
      const Acc right = tile_b[threadIdx.x][k];
      WM_UNROLL
      for (int i = 0; i < kOutputs; ++i)
        sum[i] = wm::fma(tile_a[static_cast<int>(threadIdx.y) + i * kThreadRows][k], right, sum[i]);
    }
    __syncthreads();
  }
  const std::int64_t col = col0 + threadIdx.x;
  WM_UNROLL
  for (int i = 0; i < kOutputs; ++i) {
    const std::int64_t row = row0 + threadIdx.y + i * kThreadRows;
    if (row < args.m && col < args.n) args.store(tile.batch, row, col, sum[i]);
  }
}

template <class T>
Variant tiled_smem() {
  Variant variant =
      matmul_variant<T>("tiled_smem", "32 x 32 tiles of both operands in shared memory.");
  variant.supports = [](const Problem& problem, const DeviceProps&) {
    return grid_support(tile_count(problem.as<MatmulProblem>(), kTile, kTile));
  };
  variant.claims = [](const Problem& problem, const Config&) {
    const auto& p = problem.as<MatmulProblem>();
    return matmul_claims<T>(p, static_cast<double>(p.k));
  };
  variant.launch = [](const Problem& problem, const Config&, const LaunchArgs& args) {
    const auto& p = problem.as<MatmulProblem>();
    const std::int64_t blocks = tile_count(p, kTile, kTile);
    if (blocks == 0) return;
    launch<tiled_smem_kernel<T>>(
        LaunchShape{.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(kTile, kThreadRows)},
        args.stream, matmul_args<T>(problem, args), tile_grid(p, kTile, kTile));
  };
  return variant;
}

}  // namespace

void register_matmul_tiled_smem(Catalog& catalog);
void register_matmul_tiled_smem(Catalog& catalog) {
  for_types<float, double, f16, bf16>([&]<class T>() { catalog.add(tiled_smem<T>()); });
}

}  // namespace wm::WM_FLAVOUR
