#pragma once
// Implicit-GEMM convolution: the block-tiled matrix product of gemm_tile.cuh over two operands that
// are gathered from the tensors as they are needed, for one group a block. Used by the three
// implicit_gemm algorithms, by scatter_atomic and by split_atomic.
#include "kernels/conv/parts/conv_output.cuh"
#include "kernels/conv/parts/gather_loader.cuh"
#include "kernels/conv/parts/tile_visit.cuh"
#include "kernels/conv/parts/variant.cuh"

namespace wm::WM_FLAVOUR {

template <class LeftT, class RightT>
struct ConvGemm {
  using Left = LeftT;
  using Right = RightT;
  Left left;    ///< rows of the result
  Right right;  ///< columns of the result
  int depth = 0;
  FastDivisor row_tiles, col_tiles, groups;
};

/// A block's tile: row tiles innermost, so that blocks running together share columns (the image)
/// in L2; then column tiles, groups and splits of the depth.
struct TileIndex {
  int row_tile, col_tile, group, split;
};
template <class Gemm>
__device__ inline TileIndex tile_index(const Gemm& gemm) {
  TileIndex index;
  index.row_tile = static_cast<int>(blockIdx.x);
  index.col_tile = gemm.row_tiles.split(index.row_tile);
  index.group = gemm.col_tiles.split(index.col_tile);
  index.split = gemm.groups.split(index.group);
  return index;
}

/// The sums of the block's tile over depths [k_begin, k_end), handed to make_visitor(first row,
/// first column of the tile in the group, group) in memory order (tile_visit.cuh).
template <class Tile, class Gemm, class MakeVisitor>
__device__ inline void conv_gemm(const Gemm& gemm, const TileIndex& index, std::int64_t k_begin,
                                 std::int64_t k_end, bool rows_fastest,
                                 const MakeVisitor& make_visitor) {
  WM_SHARED(TileMemory<Tile>, memory, );
  const int first_row = index.row_tile * Tile::kBlockM;
  const int first_col = index.col_tile * Tile::kBlockN;
  typename Tile::Acc acc[Tile::kThreadM][Tile::kThreadN];
  {
    GatherLoader<Tile, Tile::kBlockM, typename Gemm::Left> left(gemm.left, index.group, first_row);
    GatherLoader<Tile, Tile::kBlockN, typename Gemm::Right> right(gemm.right, index.group,
                                                                  first_col);
    gemm_main_loop<Tile>(left, right, k_begin, k_end, memory.stages.m, memory.stages.n, acc);
  }
  visit_tile<Tile>(acc, memory, gemm.left.rows - first_row, gemm.right.rows - first_col,
                   rows_fastest, make_visitor(first_row, first_col));
}

template <class T, class Gemm, bool kFused>
struct ImplicitGemm {
  Gemm gemm;
  SiteOrder columns;
  ConvOutput<T, kFused> output;
};

template <class T, class Gemm, bool kFused>
struct StoreOutput {
  using Acc = acc_t<T>;
  const ImplicitGemm<T, Gemm, kFused>& args;
  std::int64_t first_row;  ///< over all groups
  int first_col;
  __device__ auto column(int col) const {
    return args.output.column(args.columns.at(first_col + col));
  }
  template <class Column>
  __device__ void visit(const Column& column, int row, Acc sum) const {
    args.output.store(column, first_row + row, sum);
  }
};

template <class T, class Sizes, class Gemm, bool kFused>
__global__ void __launch_bounds__((GemmTile<acc_t<T>, Sizes>::kThreads))
    implicit_gemm_kernel(ImplicitGemm<T, Gemm, kFused> args) {
  using Tile = GemmTile<acc_t<T>, Sizes>;
  const TileIndex index = tile_index(args.gemm);
  const std::int64_t group_row = std::int64_t{index.group} * args.gemm.left.rows;
  conv_gemm<Tile>(args.gemm, index, 0, args.gemm.depth, args.output.rows_nearer,
                  [&](int row, int col) {
                    return StoreOutput<T, Gemm, kFused>{args, group_row + row, col};
                  });
}

/// Tile shapes by name: rows x columns x depth of a step. Double has half the thread tile and no
/// large one, so that the accumulators stay in registers.
using TileLarge = TileSizes<128, 128, 8, 8, 8>;
using TileMedium = TileSizes<64, 64, 8, 8, 8>;
using TileMediumDouble = TileSizes<64, 64, 8, 4, 4>;
using TileSmall = TileSizes<32, 32, 16, 4, 4>;

inline std::vector<std::string> gemm_tiles(DType acc) {
  if (acc == DType::f64) return {"64x64x8", "32x32x16"};
  return {"128x128x8", "64x64x8", "32x32x16"};
}

/// Rows and columns of a tile by its name; both are equal in all of them.
inline std::int64_t tile_edge(const std::string& tile) {
  return tile == "128x128x8" ? 128 : tile == "64x64x8" ? 64 : 32;
}
/// Depths of one step.
inline std::int64_t tile_depth(const std::string& tile) { return tile == "32x32x16" ? 16 : 8; }

inline std::int64_t count_tiles(const GemmShape& gemm, std::int64_t edge) {
  return ceil_div(gemm.rows, edge) * ceil_div(gemm.cols, edge) * gemm.groups;
}

/// The largest tile that gives every SM a block (of `splits` a tile) and computes at most half as
/// much again as the smallest tile would; else the smallest.
inline std::string choose_tile(const GemmShape& gemm, DType acc, const DeviceProps& device,
                               std::int64_t splits = 1) {
  const std::vector<std::string> tiles = gemm_tiles(acc);
  const auto area = [&](const std::string& tile) {
    const std::int64_t edge = tile_edge(tile);
    return count_tiles(gemm, edge) * edge * edge;
  };
  for (const std::string& tile : tiles) {
    if (count_tiles(gemm, tile_edge(tile)) * splits >= device.sm_count &&
        2 * area(tile) <= 3 * area(tiles.back()))
      return tile;
  }
  return tiles.back();
}

inline Config configure_gemm(const Problem& problem, const DeviceProps& device) {
  return Config().set("tile",
                      choose_tile(gemm_shape(problem.as<ConvProblem>()), problem.acc, device));
}
inline void check_gemm(const Problem& problem, const Config& config) {
  check_config_items(config, {"tile"});
  check_config_item(config, "tile", gemm_tiles(problem.acc));
}

/// Calls run.template operator()<Sizes>() with the tile shape of a name.
template <class T, class Run>
void with_tile(const std::string& tile, Run&& run) {
  if constexpr (sizeof(acc_t<T>) == 8) {
    if (tile == "64x64x8") return run.template operator()<TileMediumDouble>();
  } else {
    if (tile == "128x128x8") return run.template operator()<TileLarge>();
    if (tile == "64x64x8") return run.template operator()<TileMedium>();
  }
  run.template operator()<TileSmall>();
}

/// Fills in the tile counts; gives the blocks of the grid without splits.
template <class Gemm>
std::int64_t set_tiles(Gemm& gemm, const GemmShape& shape, std::int64_t edge) {
  const std::int64_t row_tiles = ceil_div(shape.rows, edge);
  const std::int64_t col_tiles = ceil_div(shape.cols, edge);
  gemm.row_tiles = FastDivisor(std::max<std::int64_t>(row_tiles, 1));
  gemm.col_tiles = FastDivisor(std::max<std::int64_t>(col_tiles, 1));
  gemm.groups = FastDivisor(shape.groups);
  return row_tiles * col_tiles * shape.groups;
}

template <class T, class Gemm, bool kFused>
void launch_implicit_gemm(const Problem& problem, const Config& config,
                          ImplicitGemm<T, Gemm, kFused> args, Stream stream) {
  const std::string& tile = config.text("tile");
  const std::int64_t blocks =
      set_tiles(args.gemm, gemm_shape(problem.as<ConvProblem>()), tile_edge(tile));
  if (blocks == 0) return;
  with_tile<T>(tile, [&]<class Sizes>() {
    constexpr unsigned kThreads = GemmTile<acc_t<T>, Sizes>::kThreads;
    launch<implicit_gemm_kernel<T, Sizes, Gemm, kFused>>(
        LaunchShape{.grid = flat_grid(blocks), .block = dim3(kThreads)}, stream, args);
  });
}

}  // namespace wm::WM_FLAVOUR
