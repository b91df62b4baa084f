// softmax_fwd/warp_row: rows of up to 1024 elements (f64: 512) in registers, read once, written
// once.
//
// Mapping: 4, 8, 16 or 32 lanes a row (config `lanes`), 32 / lanes rows a warp, 8 or 32 values
// (f64: 8 or 16) a lane. Where a row is contiguous, lanes take neighbouring 16-byte pieces of it;
// where rows are neighbours in memory (channel mode in NCHW), neighbouring lanes take
// neighbouring rows, so both cases coalesce. Maximum and sum are butterflies over the row's
// lanes.
//
// Bytes per output: one read and one write of the element, the minimum.
//
// Wins: every row that fits, above all many short rows. Loses: rows past about 512 elements with
// few of them (block_row spreads a row over more threads), longer ones are not supported.
//
// Arithmetic: each lane adds its elements in ascending order, then a butterfly of log2(lanes)
// additions. A row of -inf gives NaN, as does a NaN or +inf anywhere in it.
//
// Source: the register-resident softmax of OneFlow (Zhao et al.) and FasterTransformer.
#include "kernels/softmax/parts/warp_rows.cuh"

namespace wm::WM_FLAVOUR {
namespace {

template <class T, int kValues>
__global__ void __launch_bounds__(kWarpsPerBlock* kWarpSize)
    warp_row_kernel(const Rows<T, 2> rows, const unsigned lanes, const SoftmaxKind kind) {
  using Acc = acc_t<T>;
  const WarpPlace place(lanes, rows.rows_fastest);
  const LaneValues<T, 2, kValues> row(rows, place, lanes);
  Acc values[kValues];
  row.load(0, values, kMinusInfinity<Acc>);
  Acc shift = 0;
  if (kind != SoftmaxKind::fast) {
    shift = values[0];
    WM_UNROLL
    for (int j = 1; j < kValues; ++j) shift = wm::fmax(shift, values[j]);
    shift = place.largest(shift);
  }
  Acc sum = 0;
  for_each_value(values, [&](Acc& value) {
    value -= shift;
    const Acc e = wm::exp(value);
    sum += e;
    if (kind != SoftmaxKind::log) value = e;
  });
  sum = place.sum(sum);
  const Acc log_sum = kind == SoftmaxKind::log ? wm::log(sum) : Acc(0);
  for_each_value(values, [&](Acc& value) {
    value = kind == SoftmaxKind::log ? value - log_sum : value / sum;
  });
  row.store(1, values);
}

template <class T>
void launch_warp_row(const Problem& problem, const Config& config, const LaunchArgs& args) {
  const auto& p = problem.as<SoftmaxProblem>();
  if (p.rows() == 0) return;
  const std::int64_t lanes = config.integer("lanes");
  const auto rows = softmax_rows<T>(problem, args, kForwardTensors);
  const LaunchShape shape = warp_row_shape(p, lanes);
  if (lane_values<T>(p.length(), lanes, rows.rows_fastest) <= kFewValues) {
    launch<warp_row_kernel<T, kFewValues>>(shape, args.stream, rows, static_cast<unsigned>(lanes),
                                           p.kind);
  } else {
    launch<warp_row_kernel<T, kManyValues<T>>>(shape, args.stream, rows,
                                               static_cast<unsigned>(lanes), p.kind);
  }
}

}  // namespace

void register_softmax_warp_row(Catalog& catalog);
void register_softmax_warp_row(Catalog& catalog) {
  for_types<float, double, f16, bf16>([&]<class T>() {
    for (const Layout layout : kBothLayouts) {
      Variant variant =
          warp_row_variant<T>("softmax_fwd", layout, "Rows in the registers of a warp, read once.");
      variant.launch = launch_warp_row<T>;
      catalog.add(variant);
    }
  });
}

}  // namespace wm::WM_FLAVOUR
