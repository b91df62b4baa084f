// matmul/register_tiled: block tiles in double-buffered shared memory, an 8 x 8 (small tile: 4 x
// 4) tile of outputs a thread in registers.
//
// Mapping: a block computes a tile of d; a thread's rows and columns are groups of 16 bytes
// spread over the tile (common/gemm_tile.cuh). Global loads are 16-byte vectors where strides and
// alignment allow, of the next step while this one is multiplied.
//
// Bytes per output: k (1 / block_m + 1 / block_n) elements from global memory, k (1 / thread_m +
// 1 / thread_n) elements from shared memory: at 128 x 128 and 8 x 8 the fma units are the limit.
//
// Wins: m, n of 64 and more; the best of the SIMT algorithms there. Loses: outputs too few to
// fill the device (split_k_*), 16-bit types on tensor cores.
//
// Arithmetic: one chain of k fused multiply-adds, k ascending, from +0: the bits of naive and
// tiled_smem, whatever the tile.
//
// Technique: V. Volkov, J. Demmel, Benchmarking GPUs to tune dense linear algebra, SC 2008.
#include "kernels/matmul/parts/register_tiles.cuh"

namespace wm::WM_FLAVOUR {
namespace {

template <class T, class Sizes>
__global__ void __launch_bounds__(GemmTile<acc_t<T>, Sizes>::kThreads)
    register_tiled_kernel(const MatmulArgs<T> args, const Operand<T> a, const Operand<T> b,
                          const TileGrid grid, const bool vector_store) {
  using Tile = GemmTile<acc_t<T>, Sizes>;
  WM_SHARED(typename Tile::StageM, stage_m, [2]);
  WM_SHARED(typename Tile::StageN, stage_n, [2]);
  const TileGrid::Tile tile = grid.tile(blockIdx.x);
  StridedLoader<Tile, Tile::kBlockM, T> load_a(a, tile.batch, tile.m);
  StridedLoader<Tile, Tile::kBlockN, T> load_b(b, tile.batch, tile.n);
  acc_t<T> acc[Tile::kThreadM][Tile::kThreadN];
  gemm_main_loop<Tile>(load_a, load_b, 0, args.k, stage_m, stage_n, acc);
  const std::int64_t row0 = std::int64_t{tile.m} * Tile::kBlockM;
  const std::int64_t col0 = std::int64_t{tile.n} * Tile::kBlockN;
  for_each_row<Tile>(acc, row0, args.m, [&](std::int64_t row, auto& values) {
    finish_row<Tile>(args, tile.batch, row, col0, values);
    store_row<Tile>(args.d + args.d_strides.at(tile.batch, row, 0), args.d_strides.col, col0,
                    args.n, vector_store, values);
  });
}

template <class T>
Variant register_tiled() {
  Variant variant = matmul_variant<T>(
      "register_tiled", "Block tiles in double-buffered shared memory, thread tiles in registers.");
  variant.supports = [](const Problem& problem, const DeviceProps&) {
    const TileShape smallest = tile_shapes<T>().back();
    return grid_support(
        tile_count(problem.as<MatmulProblem>(), smallest.block_m, smallest.block_n));
  };
  variant.configure = [](const Problem& problem, const DeviceProps& device) {
    return Config().set("tile", choose_tile<T>(problem.as<MatmulProblem>(), device).name());
  };
  variant.check_config = [](const Problem&, const Config& config) {
    check_config_items(config, {"tile"});
    check_config_item(config, "tile", tile_names<T>());
  };
  variant.claims = [](const Problem& problem, const Config&) {
    const auto& p = problem.as<MatmulProblem>();
    return matmul_claims<T>(p, static_cast<double>(p.k));
  };
  variant.launch = [](const Problem& problem, const Config& config, const LaunchArgs& launch_args) {
    const auto& p = problem.as<MatmulProblem>();
    const MatmulArgs<T> args = matmul_args<T>(problem, launch_args);
    with_tile<T>(config.text("tile"), [&]<class Sizes>() {
      using Tile = GemmTile<acc_t<T>, Sizes>;
      const std::int64_t blocks = tile_count(p, Tile::kBlockM, Tile::kBlockN);
      if (blocks == 0) return;
      launch<register_tiled_kernel<T, Sizes>>(
          LaunchShape{.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(Tile::kThreads)},
          launch_args.stream, args, operand_a(args, kPieceWidth<Tile, Tile::kBlockM, T>),
          operand_b(args, kPieceWidth<Tile, Tile::kBlockN, T>),
          tile_grid(p, Tile::kBlockM, Tile::kBlockN),
          vector_columns(args.d, args.d_strides, Tile::kGroup));
    });
  };
  return variant;
}

}  // namespace

void register_matmul_register_tiled(Catalog& catalog);
void register_matmul_register_tiled(Catalog& catalog) {
  for_types<float, double, f16, bf16>([&]<class T>() { catalog.add(register_tiled<T>()); });
}

}  // namespace wm::WM_FLAVOUR
