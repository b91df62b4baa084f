// softmax_fwd/block_row and softmax_bwd/block_row: a block a row, rows of any length.
//
// Mapping: 1 to 8 warps by the length of the row (config `threads`), threads taking neighbouring
// 16-byte pieces; where rows are neighbours in memory (channel mode in NCHW) a block takes 32
// rows, a lane each, and its warps share their elements. Forward: a pass for the maximum, one for
// the sum, one to write. Backward: a pass for the sum, one to write.
//
// Bytes per output: forward one read and one write of the element while the L1 cache (rows up to
// about 200 KiB) or L2 holds the row, else three reads; backward two reads and a write, else four
// reads.
//
// Wins: rows from about 512 elements on, with enough rows to fill the device. Loses: short rows
// (warp_row); rows beyond the caches (online reads once less).
//
// Arithmetic: each thread adds its elements in ascending order, then a butterfly of 5 additions
// over lanes that share a row, then warps in ascending order. A row of -inf gives NaN, as does a
// NaN or +inf anywhere in it.
#include "kernels/softmax/parts/block_rows.cuh"

namespace wm::WM_FLAVOUR {
namespace {

template <class T>
__global__ void __launch_bounds__(kMaxBlockThreads)
    block_row_kernel(const Rows<T, 2> rows, const SoftmaxKind kind) {
  using Acc = acc_t<T>;
  WM_SHARED(BlockScratch<Acc>, scratch, [1]);
  const BlockPlace place(rows.rows_fastest);
  const BlockRow<T, 2> row(rows, place);
  Acc shift = 0;
  if (kind != SoftmaxKind::fast) {
    Acc largest = kMinusInfinity<Acc>;
    row.template walk<1, false>([&](unsigned, Acc(&x)[1]) { largest = wm::fmax(largest, x[0]); });
    shift = place.largest(largest, scratch[0]);
  }
  Acc sum = 0;
  row.template walk<1, false>([&](unsigned, Acc(&x)[1]) { sum += wm::exp(x[0] - shift); });
  sum = place.sum(sum, scratch[0]);
  const Acc log_sum = kind == SoftmaxKind::log ? wm::log(sum) : Acc(0);
  row.template walk<1, true>(
      [&](unsigned, Acc(&x)[1]) { x[0] = softmax_output(kind, x[0] - shift, sum, log_sum); });
}

template <class T>
__global__ void __launch_bounds__(kMaxBlockThreads)
    block_row_bwd_kernel(const Rows<T, 3> rows, const SoftmaxKind kind) {
  using Acc = acc_t<T>;
  WM_SHARED(BlockScratch<Acc>, scratch, [1]);
  const BlockPlace place(rows.rows_fastest);
  const BlockRow<T, 3> row(rows, place);
  Acc sum = 0;
  row.template walk<2, false>(
      [&](unsigned, Acc(&values)[2]) { sum = add_gradient_term(kind, values[0], values[1], sum); });
  sum = place.sum(sum, scratch[0]);
  row.template walk<2, true>([&](unsigned, Acc(&values)[2]) {
    const Acc probability = kind == SoftmaxKind::log ? wm::exp(values[0]) : values[0];
    values[0] = softmax_gradient(kind, probability, values[1], sum);
  });
}

template <class T>
Variant block_row(const char* op, Layout layout) {
  Variant variant = block_variant<T>(
      op, "block_row", layout, "A block a row of any length, maximum, sum and output in turn.");
  variant.claims = [](const Problem& problem, const Config& config) {
    return softmax_claims<T>(block_height<T>(problem, config));
  };
  return variant;
}

template <class T>
void launch_block_row(const Problem& problem, const Config& config, const LaunchArgs& args) {
  const auto& p = problem.as<SoftmaxProblem>();
  if (p.rows() == 0) return;
  if (p.backward) {
    const auto rows = softmax_rows<T>(problem, args, kBackwardTensors);
    launch<block_row_bwd_kernel<T>>(block_row_shape(p, config, rows.rows_fastest), args.stream,
                                    rows, p.kind);
  } else {
    const auto rows = softmax_rows<T>(problem, args, kForwardTensors);
    launch<block_row_kernel<T>>(block_row_shape(p, config, rows.rows_fastest), args.stream, rows,
                                p.kind);
  }
}

}  // namespace

void register_softmax_block_row(Catalog& catalog);
void register_softmax_block_row(Catalog& catalog) {
  for_types<float, double, f16, bf16>([&]<class T>() {
    for (const Layout layout : kBothLayouts) {
      for (const char* op : {"softmax_fwd", "softmax_bwd"}) {
        Variant variant = block_row<T>(op, layout);
        variant.launch = launch_block_row<T>;
        catalog.add(variant);
      }
    }
  });
}

}  // namespace wm::WM_FLAVOUR
