// conv_bwd_data/scatter_atomic: t[crs, npq] = w[k, crs]^T dy[k, npq] by block tiles, each finished
// sum added by atomicAdd to the dx element its tap and position meet at (col2im without the column
// buffer; cuDNN's BWD_DATA_ALGO_0). Non-deterministic wherever three or more taps reach an element.
//
// Mapping: a block owns a `tile` of taps x output positions of one group, a thread 8x8 (4x4) sums;
// products are summed in registers over k, so there is one atomic per tap and position, none per
// product. float and double accumulate in dx, 16-bit types in a float workspace.
// Traffic: a sum reads k / tile columns weights and k / tile rows elements of dy and makes one
// atomic. Wins: stride above the filter's extent, where no two taps meet and no product is with a
// zero. Loses: small k (one atomic per k products), dense 3x3 filters (nine atomics an element).
#include "gpu/kernel.hpp"
#include "kernels/conv/parts/accumulate.cuh"
#include "kernels/conv/parts/operands.cuh"
#include "registry/register.hpp"

namespace wm::WM_FLAVOUR {
namespace {

template <class T>
struct Scatter {
  using Acc = acc_t<T>;
  ScatterGemm<T> gemm;
  SiteOrder positions, taps;
  SiteMap position_map, tap_map;  ///< both in the target, as forward reads x
  ImageWindow window;
  Acc* target = nullptr;
  std::int64_t target_group = 0;
  Acc alpha = 1;
  bool rows_fastest = false;
};

template <class T>
struct ScatterVisitor {
  using Acc = acc_t<T>;
  const Scatter<T>& args;
  Acc* target;
  int first_row, first_col;
  __device__ Place column(int col) const {
    return args.position_map.place(args.positions.at(first_col + col));
  }
  __device__ void visit(const Place& column, int row, Acc sum) const {
    const Place tap = args.tap_map.place(args.taps.at(first_row + row));
    std::int64_t offset = 0;
    if (args.window.find(column, tap, offset)) atomicAdd(target + offset, args.alpha * sum);
  }
};

template <class T, class Sizes>
__global__ void __launch_bounds__((GemmTile<acc_t<T>, Sizes>::kThreads))
    scatter_kernel(Scatter<T> args) {
  using Tile = GemmTile<acc_t<T>, Sizes>;
  const TileIndex index = tile_index(args.gemm);
  acc_t<T>* target = args.target + index.group * args.target_group;
  conv_gemm<Tile>(args.gemm, index, 0, args.gemm.depth, args.rows_fastest, [&](int row, int col) {
    return ScatterVisitor<T>{args, target, row, col};
  });
}

/// Rows are taps, columns are output positions.
GemmShape scatter_shape(const ConvProblem& p) {
  return {p.c_per_group() * p.filter_taps(), p.n * p.out_positions(), p.k_per_group(), p.groups};
}

Config configure_scatter(const Problem& problem, const DeviceProps& device) {
  const GemmShape shape = scatter_shape(problem.as<ConvProblem>());
  return Config().set("tile", choose_tile(shape, problem.acc, device));
}

Claims claims_scatter(const Problem& problem, const Config&) {
  const auto& p = problem.as<ConvProblem>();
  const std::int64_t partials =
      most_contributions(rows_of(p), p.direction) * most_contributions(cols_of(p), p.direction);
  Claims claims = claims_atomic(problem, p.k_per_group(), partials);
  claims.nan_policy = "propagate";  // sums that fall on padding are dropped
  return claims;
}

template <class T>
void launch_scatter(const Problem& problem, const Config& config, const LaunchArgs& args) {
  const auto& p = problem.as<ConvProblem>();
  const Accumulation<T> accumulation(problem, args);
  accumulation.begin();
  const Strides target = strides_of(accumulation.desc());
  Scatter<T> scatter;
  scatter.gemm = scatter_gemm<T>(problem, conv_tensors(p, args));
  scatter.positions = position_order(p.n, p.out[1], p.out[2]);
  scatter.taps = tap_order(p, p.c_per_group(), channels_last(problem));
  scatter.position_map = windows_in_image(p, target);
  scatter.tap_map = taps_in_image(p, target);
  scatter.window = image_window(p);
  scatter.target = accumulation.data();
  scatter.target_group = p.c_per_group() * target.channel;
  scatter.alpha = static_cast<acc_t<T>>(p.alpha);
  scatter.rows_fastest = nearer(target.channel, target.col);
  const std::string& tile = config.text("tile");
  const std::int64_t blocks = set_tiles(scatter.gemm, scatter_shape(p), tile_edge(tile));
  if (blocks > 0) {
    with_tile<T>(tile, [&]<class Sizes>() {
      constexpr unsigned kThreads = GemmTile<acc_t<T>, Sizes>::kThreads;
      launch<scatter_kernel<T, Sizes>>(
          LaunchShape{
              .grid = flat_grid(blocks), .block = dim3(kThreads), .blocks_communicate = true},
          args.stream, scatter);
    });
  }
  accumulation.end();
}

}  // namespace

void register_conv_bwd_data_scatter_atomic(Catalog& catalog) {
  for_conv_variants({"conv_bwd_data", "scatter_atomic",
                     "matrix product of taps and positions, scattered into dx by atomicAdd"},
                    [&]<class T>(Variant variant) {
                      variant.configure = configure_scatter;
                      variant.check_config = check_gemm;
                      variant.workspace_bytes = accumulation_workspace<T>;
                      variant.claims = claims_scatter;
                      variant.launch = launch_scatter<T>;
                      catalog.add(std::move(variant));
                    });
}

}  // namespace wm::WM_FLAVOUR
