// conv_bwd_filter/split_atomic: the product of bwd_filter/implicit_gemm with its long sum over
// positions divided among `splits` blocks, whose partial tiles are added by atomicAdd (cuDNN's
// BWD_FILTER_ALGO_0). Non-deterministic from three splits up.
//
// Mapping: a block owns a `tile` of filters x taps of one group and one range of the positions.
// float and double accumulate in dw, 16-bit types in a float workspace.
// Traffic: per element npq / tile columns elements of dy, npq / tile rows of x, one atomic a split.
// Wins: small filters over large images, where whole tiles do not fill the GPU. Loses where they
// do: the atomics and the pass that clears dw come on top.
#include "gpu/kernel.hpp"
#include "kernels/conv/parts/accumulate.cuh"
#include "kernels/conv/parts/operands.cuh"
#include "registry/register.hpp"

namespace wm::WM_FLAVOUR {
namespace {

template <class T>
struct SplitFilter {
  using Acc = acc_t<T>;
  FilterGemm<T> gemm;
  SiteOrder taps;
  ElementGrid<Acc> target;
  Acc alpha = 1;
  std::int64_t splits = 1;
  bool rows_fastest = false;
};

template <class T>
struct SplitVisitor {
  using Acc = acc_t<T>;
  const SplitFilter<T>& args;
  std::int64_t first_row;  ///< over all groups
  int first_col;
  __device__ Acc* column(int col) const {
    return args.target.data + args.target.columns.place(args.taps.at(first_col + col)).offset;
  }
  __device__ void visit(Acc* column, int row, Acc sum) const {
    atomicAdd(column + (first_row + row) * args.target.row, args.alpha * sum);
  }
};

template <class T, class Sizes>
__global__ void __launch_bounds__((GemmTile<acc_t<T>, Sizes>::kThreads))
    split_filter_kernel(SplitFilter<T> args) {
  using Tile = GemmTile<acc_t<T>, Sizes>;
  const TileIndex index = tile_index(args.gemm);
  const DepthRange range = split_range(args.gemm.depth, args.splits, Tile::kBlockK, index.split);
  if (range.begin == range.end) return;
  const std::int64_t group_row = std::int64_t{index.group} * args.gemm.left.rows;
  conv_gemm<Tile>(args.gemm, index, range.begin, range.end, args.rows_fastest,
                  [&](int row, int col) {
                    return SplitVisitor<T>{args, group_row + row, col};
                  });
}

/// Positions a split should have at least, so that its products outweigh its atomics.
constexpr std::int64_t kLeastSplitDepth = 256;

/// The tile as for implicit_gemm, were each tile divided as finely as is sensible; then as many
/// splits as give every SM two blocks.
Config configure_split(const Problem& problem, const DeviceProps& device) {
  const GemmShape gemm = gemm_shape(problem.as<ConvProblem>());
  const std::int64_t finest = std::max<std::int64_t>(gemm.depth / kLeastSplitDepth, 1);
  const std::string tile = choose_tile(gemm, problem.acc, device, finest);
  const std::int64_t tiles = std::max<std::int64_t>(count_tiles(gemm, tile_edge(tile)), 1);
  const std::int64_t wanted = ceil_div(2 * std::int64_t{device.sm_count}, tiles);
  return Config().set("tile", tile).set("splits", std::min(wanted, finest));
}

void check_split(const Problem& problem, const Config& config) {
  check_config_items(config, {"tile", "splits"});
  check_config_item(config, "tile", gemm_tiles(problem.acc));
  const std::int64_t depth = gemm_shape(problem.as<ConvProblem>()).depth;
  const std::int64_t step = tile_depth(config.text("tile"));
  const std::int64_t splits = config.integer("splits");
  const std::int64_t most = std::max<std::int64_t>(ceil_div(depth, step), 1);
  if (splits < 1 || splits > most)
    throw UsageError("config: splits=" + std::to_string(splits) + ": allowed are 1 to " +
                     std::to_string(most) + " (n*p*q = " + std::to_string(depth) + " in steps of " +
                     std::to_string(step) + ")");
}

Claims claims_split(const Problem& problem, const Config& config) {
  const auto& p = problem.as<ConvProblem>();
  const std::int64_t depth = gemm_shape(p).depth;
  const std::int64_t each =
      split_depth(depth, config.integer("splits"), tile_depth(config.text("tile")));
  const std::int64_t partials = depth == 0 ? 0 : ceil_div(depth, each);
  Claims claims = claims_atomic(problem, std::min(each, products_per_output(p)), partials);
  claims.batch_invariant = false;  // dw sums over the batch: it has no samples
  return claims;
}

template <class T>
void launch_split(const Problem& problem, const Config& config, const LaunchArgs& args) {
  const auto& p = problem.as<ConvProblem>();
  const Accumulation<T> accumulation(problem, args);
  accumulation.begin();
  SplitFilter<T> split;
  split.gemm = filter_gemm<T>(problem, conv_tensors(p, args));
  split.taps = tap_order(p, p.c_per_group(), channels_last(problem));
  split.target = element_grid<acc_t<T>>(p, accumulation.desc(), accumulation.data());
  split.alpha = static_cast<acc_t<T>>(p.alpha);
  split.splits = config.integer("splits");
  split.rows_fastest = nearer(split.target.row, split.target.columns.col_stride);
  const std::string& tile = config.text("tile");
  const std::int64_t blocks = set_tiles(split.gemm, gemm_shape(p), tile_edge(tile)) * split.splits;
  if (blocks > 0) {
    with_tile<T>(tile, [&]<class Sizes>() {
      constexpr unsigned kThreads = GemmTile<acc_t<T>, Sizes>::kThreads;
      launch<split_filter_kernel<T, Sizes>>(
          LaunchShape{
              .grid = flat_grid(blocks), .block = dim3(kThreads), .blocks_communicate = true},
          args.stream, split);
    });
  }
  accumulation.end();
}

}  // namespace

void register_conv_bwd_filter_split_atomic(Catalog& catalog) {
  for_conv_variants({"conv_bwd_filter", "split_atomic",
                     "matrix product whose sum is split over blocks, added by atomicAdd"},
                    [&]<class T>(Variant variant) {
                      variant.configure = configure_split;
                      variant.check_config = check_split;
                      variant.workspace_bytes = accumulation_workspace<T>;
                      variant.claims = claims_split;
                      variant.launch = launch_split<T>;
                      catalog.add(std::move(variant));
                    });
}

}  // namespace wm::WM_FLAVOUR
