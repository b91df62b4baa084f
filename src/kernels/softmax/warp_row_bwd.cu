// softmax_bwd/warp_row: rows of up to 1024 elements (f64: 512) in registers, y and dy read once.
//
// Mapping: as softmax_fwd/warp_row; a lane holds its elements of both inputs.
//
// Bytes per output: two reads and one write of an element, the minimum.
//
// Wins and loses as the forward.
//
// Arithmetic: each lane adds fused products dy y (log: dy) in ascending order, then a butterfly
// of log2(lanes) additions.
#include "kernels/softmax/parts/warp_rows.cuh"

namespace wm::WM_FLAVOUR {
namespace {

template <class T, int kValues>
__global__ void __launch_bounds__(kWarpsPerBlock* kWarpSize)
    warp_row_bwd_kernel(const Rows<T, 3> rows, const unsigned lanes, const SoftmaxKind kind) {
  using Acc = acc_t<T>;
  const WarpPlace place(lanes, rows.rows_fastest);
  const LaneValues<T, 3, kValues> row(rows, place, lanes);
  Acc y[kValues];
  Acc dy[kValues];
  row.load(0, y, Acc(0));
  row.load(1, dy, Acc(0));
  Acc sum = 0;
  WM_UNROLL
  for (int j = 0; j < kValues; ++j) sum = add_gradient_term(kind, y[j], dy[j], sum);
  sum = place.sum(sum);
  if (kind == SoftmaxKind::log) for_each_value(y, [](Acc& value) { value = wm::exp(value); });
  WM_UNROLL
  for (int j = 0; j < kValues; ++j) dy[j] = softmax_gradient(kind, y[j], dy[j], sum);
  row.store(2, dy);
}

template <class T>
void launch_warp_row_bwd(const Problem& problem, const Config& config, const LaunchArgs& args) {
  const auto& p = problem.as<SoftmaxProblem>();
  if (p.rows() == 0) return;
  const std::int64_t lanes = config.integer("lanes");
  const auto rows = softmax_rows<T>(problem, args, kBackwardTensors);
  const LaunchShape shape = warp_row_shape(p, lanes);
  if (lane_values<T>(p.length(), lanes, rows.rows_fastest) <= kFewValues) {
    launch<warp_row_bwd_kernel<T, kFewValues>>(shape, args.stream, rows,
                                               static_cast<unsigned>(lanes), p.kind);
  } else {
    launch<warp_row_bwd_kernel<T, kManyValues<T>>>(shape, args.stream, rows,
                                                   static_cast<unsigned>(lanes), p.kind);
  }
}

}  // namespace

void register_softmax_warp_row_bwd(Catalog& catalog);
void register_softmax_warp_row_bwd(Catalog& catalog) {
  for_types<float, double, f16, bf16>([&]<class T>() {
    for (const Layout layout : kBothLayouts) {
      Variant variant =
          warp_row_variant<T>("softmax_bwd", layout, "Rows in the registers of a warp, read once.");
      variant.launch = launch_warp_row_bwd<T>;
      catalog.add(variant);
    }
  });
}

}  // namespace wm::WM_FLAVOUR
