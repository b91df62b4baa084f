// matmul/tensor_core: mma.sync m16n8k16 on f16 or bf16 operands with f32 accumulators, operands
// through a three-stage cp.async pipeline in swizzled shared memory.
//
// Mapping: a block of 4 warps computes 64 x 64 of d in steps of 32 of k; a warp 32 x 32, as 2 x 4
// accumulator tiles of 16 x 8. ldmatrix reads the fragments, transposing where an operand is
// contiguous along its rows (parts/mma_tile.cuh). Operands that are not contiguous in either
// direction, or not aligned to 16 bytes, are copied element by element. Bytes per output: k / 16
// elements from global memory, k / 8 from shared memory. Wins: 16-bit m, n, k of 64 and more on
// tensor cores. Loses: outputs too few to fill the device; against 128 x 128 tiles and wgmma on
// large problems. Arithmetic: k ascending in the groups of the GPU's tensor core, which truncates
// (docs/tensor-cores.md); under the model "ieee" the bits of register_tiled. Technique: CUTLASS's
// multistage GEMM (sm_80).
#include "kernels/matmul/parts/mma_tile.cuh"

#include "kernels/matmul/parts/register_tiles.cuh"

namespace wm::WM_FLAVOUR {
namespace {

using Accumulators = float[MmaTile::kTilesM][MmaTile::kTilesN][4];

/// Applies the epilogue to the warp's outputs at (row0, col0) and writes those inside d, pairs of
/// columns together where `vector`.
template <class T>
__device__ inline void store_outputs(const MatmulArgs<T>& args, std::int64_t batch,
                                     std::int64_t row0, std::int64_t col0, bool vector,
                                     Accumulators& acc) {
  constexpr int kCount = MmaTile::kTilesM * MmaTile::kTilesN * 4;
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
  float values[kCount];
  const auto row_of = [&](int at) { return row0 + at / 16 * 16 + accumulator_row(lane, at % 4); };
  const auto col_of = [&](int at) {
    return col0 + at / 4 % MmaTile::kTilesN * 8 + accumulator_col(lane, at % 4);
  };
  WM_UNROLL
  for (int at = 0; at < kCount; ++at) {
    const std::int64_t row = row_of(at), col = col_of(at);
    const float sum = acc[at / 16][at / 4 % MmaTile::kTilesN][at % 4];
    values[at] = row < args.m && col < args.n ? args.blend(batch, row, col, sum) : 0.0F;
  }
  const Epilogue<T>& epilogue = args.epilogue;
  apply_activation_all(epilogue.act, values, epilogue.act_alpha, epilogue.act_beta);
  WM_UNROLL
  for (int at = 0; at < kCount; at += 2) {
    const std::int64_t row = row_of(at), col = col_of(at);
    if (row >= args.m) continue;
    T* to = args.d + args.d_strides.at(batch, row, col);
    const Vec<T, 2> pair{{from_acc<T>(values[at]), from_acc<T>(values[at + 1])}};
    if (vector && col + 1 < args.n) {
      store_vec(to, pair);
    } else {
      if (col < args.n) to[0] = pair[0];
      if (col + 1 < args.n) to[args.d_strides.col] = pair[1];
    }
  }
}

/// kDepthA, kDepthB: whether the operand's tiles are stored along the depth or along the rows.
template <class T, bool kDepthA, bool kDepthB>
__global__ void __launch_bounds__(MmaTile::kThreads)
    tensor_core_kernel(const MatmulArgs<T> args, const Operand<T> a, const Operand<T> b,
                       const TileGrid grid, const bool vector_store) {
  constexpr int kStages = MmaTile::kStages;
  using Chunk = Vec<T, MmaTile::kChunk>;
  WM_SHARED(Chunk, stages_a, [kStages][MmaTile::kElements / MmaTile::kChunk]);
  WM_SHARED(Chunk, stages_b, [kStages][MmaTile::kElements / MmaTile::kChunk]);
  const TileGrid::Tile tile = grid.tile(blockIdx.x);
  const TileCopier<T, kDepthA> copier_a(a, tile.batch, tile.m);
  const TileCopier<T, kDepthB> copier_b(b, tile.batch, tile.n);
  const int steps = static_cast<int>(wm::ceil_div<std::int64_t>(args.k, MmaTile::kDepth));
  const auto begin_copy = [&](int step) {
    if (step < steps) {
      const std::int64_t k = std::int64_t{step} * MmaTile::kDepth;
      copier_a.copy(stages_a[step % kStages][0].v, k, args.k);
      copier_b.copy(stages_b[step % kStages][0].v, k, args.k);
    }
    commit_copies();  // an empty group where there is nothing left, so that waits count alike
  };
  WM_UNROLL
  for (int step = 0; step < kStages - 1; ++step) begin_copy(step);

  const int warp = static_cast<int>(threadIdx.x) / kWarpSize;
  const int row = warp / 2 * MmaTile::kWarpTile, col = warp % 2 * MmaTile::kWarpTile;
  Accumulators acc = {};
  WM_NO_UNROLL
  for (int step = 0; step < steps; ++step) {
    wait_copies<kStages - 2>();
    __syncthreads();  // the stage has landed, and everyone is done with the one before it
    begin_copy(step + kStages - 1);
    multiply_fragments<T, kDepthA, kDepthB>(acc, stages_a[step % kStages][0].v,
                                            stages_b[step % kStages][0].v, row, col);
  }
  store_outputs(args, tile.batch, std::int64_t{tile.m} * MmaTile::kBlock + row,
                std::int64_t{tile.n} * MmaTile::kBlock + col, vector_store, acc);
}

template <class T, bool kDepthA>
void launch_stored(bool b_along_depth, const LaunchShape& shape, Stream stream,
                   const MatmulArgs<T>& args, const Operand<T>& a, const Operand<T>& b,
                   const TileGrid& grid, bool vector_store) {
  if (b_along_depth)
    launch<tensor_core_kernel<T, kDepthA, true>>(shape, stream, args, a, b, grid, vector_store);
  else
    launch<tensor_core_kernel<T, kDepthA, false>>(shape, stream, args, a, b, grid, vector_store);
}

template <class T>
void launch_tensor_core(const Problem& problem, const Config&, const LaunchArgs& launch_args) {
  const auto& p = problem.as<MatmulProblem>();
  const std::int64_t blocks = tile_count(p, MmaTile::kBlock, MmaTile::kBlock);
  if (blocks == 0) return;
  const MatmulArgs<T> args = matmul_args<T>(problem, launch_args);
  const Operand<T> a = operand_a(args, MmaTile::kChunk), b = operand_b(args, MmaTile::kChunk);
  const TileGrid grid = tile_grid(p, MmaTile::kBlock, MmaTile::kBlock);
  const LaunchShape shape{.grid = dim3(static_cast<unsigned>(blocks)),
                          .block = dim3(MmaTile::kThreads)};
  const bool vector_store = vector_columns(args.d, args.d_strides, 2);
  if (a.along_depth)
    launch_stored<T, true>(b.along_depth, shape, launch_args.stream, args, a, b, grid,
                           vector_store);
  else
    launch_stored<T, false>(b.along_depth, shape, launch_args.stream, args, a, b, grid,
                            vector_store);
}

template <class T>
Variant tensor_core() {
  Variant variant = matmul_variant<T>(
      "tensor_core", "Tensor cores (mma.sync) fed by an asynchronous three-stage pipeline.");
  variant.supports = [](const Problem& problem, const DeviceProps& device) {
    constexpr int kLeastCapability = 80;
    if (device.compute_capability < kLeastCapability)
      return Support::no("compute capability " + std::to_string(device.compute_capability) +
                         ": cp.async and bf16 mma need " + std::to_string(kLeastCapability));
    return grid_support(tile_count(problem.as<MatmulProblem>(), MmaTile::kBlock, MmaTile::kBlock));
  };
  variant.claims = [](const Problem& problem, const Config&) {
    const auto& p = problem.as<MatmulProblem>();
    Claims claims = matmul_claims<T>(p, static_cast<double>(p.k));
    claims.tensor_core = kUnknownMmaModel;
    claims.tensor_core_operand = kMmaOperandOf<T>;
    claims.bit_twin = false;  // no GPU has been compared with the emulator's model of it yet
    return claims;
  };
  variant.launch = launch_tensor_core<T>;
  return variant;
}

}  // namespace

void register_matmul_tensor_core(Catalog& catalog);
void register_matmul_tensor_core(Catalog& catalog) {
  for_types<f16, bf16>([&]<class T>() { catalog.add(tensor_core<T>()); });
}

}  // namespace wm::WM_FLAVOUR
