#pragma once
// What the two split-K matmuls share: several blocks compute one tile of d, each over its own range
// of k. The plan, the kernel that makes partial sums, and the host side of both variants.
#include "kernels/matmul/parts/register_tiles.cuh"

namespace wm::WM_FLAVOUR {

inline constexpr std::int64_t kMaxSplits = 256;

/// The tiles split-K is compiled for: all but the largest, for outputs are few where it is of use.
template <class T>
std::vector<TileShape> split_shapes() {
  const auto all = tile_shapes<T>();
  return {all.begin() + 1, all.end()};
}

/// How a config cuts k: `count` ranges of `depth`, none empty; the last may be shorter.
struct SplitPlan {
  std::int64_t depth = 0, count = 0;
};
inline SplitPlan split_plan(std::int64_t k, std::int64_t splits, std::int64_t block_k) {
  if (k == 0) return {};
  const std::int64_t depth = split_depth(k, splits, block_k);
  return {depth, wm::ceil_div(k, depth)};
}
template <class T>
SplitPlan split_plan(const MatmulProblem& p, const Config& config) {
  return split_plan(p.k, config.integer("splits"), tile_shapes<T>()[0].block_k);
}

/// Where partial sums go: element (batch, row, col) of split s.
template <class Acc>
struct PartialSums {
  Acc* data = nullptr;
  MatrixStrides strides;
  std::int64_t split_stride = 0;
  bool vector = false;
};
/// A workspace of packed (batch, m, n) arrays.
template <class Acc>
PartialSums<Acc> packed_partials(const MatmulProblem& p, void* workspace, int width) {
  PartialSums<Acc> sums{static_cast<Acc*>(workspace), {p.m * p.n, p.n, 1}, p.batch * p.m * p.n};
  sums.vector = vector_columns(sums.data, sums.strides, width) && sums.split_stride % width == 0;
  return sums;
}

/// Block = (split, tile), tiles fastest. Atomic: adds into the array of split 0; else writes the
/// array of its own split.
template <class T, class Sizes, bool kAtomic>
__global__ void __launch_bounds__(GemmTile<acc_t<T>, Sizes>::kThreads)
    partial_sums_kernel(const MatmulArgs<T> args, const Operand<T> a, const Operand<T> b,
                        const TileGrid grid, const unsigned tiles, const std::int64_t depth,
                        const PartialSums<acc_t<T>> sums) {
  using Tile = GemmTile<acc_t<T>, Sizes>;
  WM_SHARED(typename Tile::StageM, stage_m, [2]);
  WM_SHARED(typename Tile::StageN, stage_n, [2]);
  const unsigned split = blockIdx.x / tiles;
  const TileGrid::Tile tile = grid.tile(blockIdx.x - split * tiles);
  StridedLoader<Tile, Tile::kBlockM, T> load_a(a, tile.batch, tile.m);
  StridedLoader<Tile, Tile::kBlockN, T> load_b(b, tile.batch, tile.n);
  acc_t<T> acc[Tile::kThreadM][Tile::kThreadN];
  const std::int64_t begin = split * depth;
  gemm_main_loop<Tile>(load_a, load_b, begin, wm::min(begin + depth, args.k), stage_m, stage_n,
                       acc);
  const std::int64_t row0 = std::int64_t{tile.m} * Tile::kBlockM;
  const std::int64_t col0 = std::int64_t{tile.n} * Tile::kBlockN;
  for_each_row<Tile>(acc, row0, args.m, [&](std::int64_t row, auto& values) {
    acc_t<T>* to = sums.data + sums.strides.at(tile.batch, row, 0);
    if constexpr (kAtomic) {
      WM_UNROLL
      for (int j = 0; j < Tile::kThreadN; ++j) {
        const std::int64_t col = col0 + Tile::col(j);
        if (col < args.n) atomicAdd(to + col * sums.strides.col, values[j]);
      }
    } else {
      store_row<Tile>(to + split * sums.split_stride, sums.strides.col, col0, args.n, sums.vector,
                      values);
    }
  });
}

template <class T, bool kAtomic>
void launch_partial_sums(const MatmulProblem& p, const Config& config, const MatmulArgs<T>& args,
                         const PartialSums<acc_t<T>>& sums, Stream stream) {
  const SplitPlan plan = split_plan<T>(p, config);
  with_tile<T, 1>(config.text("tile"), [&]<class Sizes>() {
    using Tile = GemmTile<acc_t<T>, Sizes>;
    const std::int64_t tiles = tile_count(p, Tile::kBlockM, Tile::kBlockN);
    if (tiles * plan.count == 0) return;
    launch<partial_sums_kernel<T, Sizes, kAtomic>>(
        LaunchShape{.grid = dim3(static_cast<unsigned>(tiles * plan.count)),
                    .block = dim3(Tile::kThreads),
                    .blocks_communicate = kAtomic},
        stream, args, operand_a(args, kPieceWidth<Tile, Tile::kBlockM, T>),
        operand_b(args, kPieceWidth<Tile, Tile::kBlockN, T>),
        tile_grid(p, Tile::kBlockM, Tile::kBlockN), static_cast<unsigned>(tiles), plan.depth, sums);
  });
}

/// Enough splits to give each multiprocessor two blocks, each with at least 8 steps of k.
template <class T>
Config choose_split(const MatmulProblem& p, const DeviceProps& device) {
  const std::vector<TileShape> shapes = split_shapes<T>();
  const TileShape shape = p.m >= 48 && p.n >= 48 ? shapes.front() : shapes.back();
  const std::int64_t tiles = wm::max<std::int64_t>(1, tile_count(p, shape.block_m, shape.block_n));
  const std::int64_t wanted = wm::ceil_div<std::int64_t>(2 * device.sm_count, tiles);
  const std::int64_t useful = wm::max<std::int64_t>(1, p.k / (8 * shape.block_k));
  return Config()
      .set("tile", shape.name())
      .set("splits", wm::min(wm::min(wanted, useful), kMaxSplits));
}

template <class T>
void check_split(const Config& config) {
  check_config_items(config, {"tile", "splits"});
  std::vector<std::string> names;
  for (const TileShape& shape : split_shapes<T>()) names.push_back(shape.name());
  check_config_item(config, "tile", names);
  const std::int64_t splits = config.integer("splits");
  if (splits < 1 || splits > kMaxSplits)
    throw UsageError("config item 'splits': " + std::to_string(splits) + " is not in 1.." +
                     std::to_string(kMaxSplits));
}

template <class T>
Support split_support(const MatmulProblem& p) {
  const TileShape smallest = split_shapes<T>().back();
  return grid_support(tile_count(p, smallest.block_m, smallest.block_n) * kMaxSplits);
}

/// Height: the chain of the longest range, then one addition for each further range.
template <class T>
Claims split_claims(const MatmulProblem& p, const Config& config) {
  const SplitPlan plan = split_plan<T>(p, config);
  const std::int64_t longest = wm::min(plan.depth, p.k);
  const std::int64_t additions = wm::max<std::int64_t>(plan.count - 1, 0);
  return matmul_claims<T>(p, static_cast<double>(longest + additions));
}

/// Coordinates of output `index` in (batch, m, n) order.
struct OutputIndex {
  std::int64_t batch, row, col;
};
__device__ inline OutputIndex output_index(std::int64_t index, std::int64_t m, std::int64_t n) {
  const std::int64_t line = index / n;
  const std::int64_t batch = line / m;
  return {batch, line - batch * m, index - line * n};
}

/// Blocks of an elementwise pass over the outputs.
inline constexpr int kPassThreads = 256;
inline LaunchShape pass_shape(const MatmulProblem& p) {
  const std::int64_t blocks = wm::ceil_div<std::int64_t>(p.batch * p.m * p.n, kPassThreads);
  return {.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(kPassThreads)};
}
__device__ inline std::int64_t pass_index() {
  return std::int64_t{blockIdx.x} * kPassThreads + threadIdx.x;
}

/// The host side both variants share; `nondeterministic` and `launch` are theirs.
template <class T>
Variant split_variant(const std::string& algorithm, std::string summary) {
  Variant variant = matmul_variant<T>(algorithm, std::move(summary));
  variant.supports = [](const Problem& problem, const DeviceProps&) {
    return split_support<T>(problem.as<MatmulProblem>());
  };
  variant.configure = [](const Problem& problem, const DeviceProps& device) {
    return choose_split<T>(problem.as<MatmulProblem>(), device);
  };
  variant.check_config = [](const Problem&, const Config& config) { check_split<T>(config); };
  variant.claims = [](const Problem& problem, const Config& config) {
    return split_claims<T>(problem.as<MatmulProblem>(), config);
  };
  return variant;
}

}  // namespace wm::WM_FLAVOUR
