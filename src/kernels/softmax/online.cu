// softmax_fwd/online: one pass over the row for maximum and sum together, one to write.
//
// Mapping: threads and rows as in block_row. Each thread carries (m, s): the largest element so
// far and the sum of exp(x - m); a larger element rescales s. Pairs combine by
// s = s1 exp(m1 - m) + s2 exp(m2 - m) with m = max(m1, m2).
//
// Bytes per output: two reads and one write of the element, one read while caches hold the row.
//
// Wins: rows too long for the caches, where it reads a third less than block_row; it is the
// building block of attention. Loses: rows in cache, where rescaling only adds exponentials.
// kind=fast has no maximum and is one plain sum. The backward needs no maximum: it is block_row's.
//
// Arithmetic: error formula `online`: each step multiplies by an exponential, rounds the product
// and adds; steps of the busiest thread, then 5 for lanes that share a row, then one a further
// warp in ascending order. A row of -inf gives NaN, as does a NaN or +inf anywhere in it.
//
// Source: M. Milakov, N. Gimelshein, Online normalizer calculation for softmax, arXiv 1805.02867.
#include "kernels/softmax/parts/block_rows.cuh"

namespace wm::WM_FLAVOUR {
namespace {

template <class Acc>
struct RunningSum {
  Acc largest;
  Acc sum;  ///< of exp(x - largest)
};

template <class Acc>
__device__ inline void add_element(RunningSum<Acc>& running, Acc x) {
  if (x == kMinusInfinity<Acc>) return;  // adds exp(-inf) = 0, and -inf - -inf is NaN
  const Acc e = wm::exp(-wm::abs(x - running.largest));
  // x - x: 0, but NaN for +inf, whose softmax is undefined.
  running.sum = x <= running.largest ? running.sum + e : wm::fma(running.sum, e, Acc(1) + (x - x));
  running.largest = wm::fmax(running.largest, x);
}

/// Commutes bit for bit: products are rounded before they are added.
template <class Acc>
__device__ inline RunningSum<Acc> combine(const RunningSum<Acc>& a, const RunningSum<Acc>& b) {
  const Acc largest = wm::fmax(a.largest, b.largest);
  if (largest == kMinusInfinity<Acc>) return {largest, a.sum + b.sum};  // nothing yet, or NaN
  return {largest, a.sum * wm::exp(a.largest - largest) + b.sum * wm::exp(b.largest - largest)};
}

template <class T>
__global__ void __launch_bounds__(kMaxBlockThreads)
    online_kernel(const Rows<T, 2> rows, const SoftmaxKind kind) {
  using Acc = acc_t<T>;
  WM_SHARED(BlockScratch<RunningSum<Acc>>, scratch, [1]);
  const BlockPlace place(rows.rows_fastest);
  const BlockRow<T, 2> row(rows, place);
  const bool fast = kind == SoftmaxKind::fast;
  RunningSum<Acc> running{fast ? Acc(0) : kMinusInfinity<Acc>, Acc(0)};
  row.template walk<1, false>([&](unsigned, Acc(&x)[1]) {
    if (fast) {
      running.sum += wm::exp(x[0]);
    } else {
      add_element(running, x[0]);
    }
  });
  running = place.reduce(
      running, scratch[0],
      [](const RunningSum<Acc>& mine, int offset) {
        return RunningSum<Acc>{__shfl_xor_sync(kFullMask, mine.largest, offset),
                               __shfl_xor_sync(kFullMask, mine.sum, offset)};
      },
      [](const RunningSum<Acc>& a, const RunningSum<Acc>& b) { return combine(a, b); });
  const Acc log_sum = kind == SoftmaxKind::log ? wm::log(running.sum) : Acc(0);
  row.template walk<1, true>([&](unsigned, Acc(&x)[1]) {
    x[0] = softmax_output(kind, x[0] - running.largest, running.sum, log_sum);
  });
}

template <class T>
Variant online(Layout layout) {
  Variant variant =
      block_variant<T>("softmax_fwd", "online", layout,
                       "Maximum and sum in one pass over the row, rescaled as the maximum grows.");
  variant.claims = [](const Problem& problem, const Config& config) {
    Claims claims = softmax_claims<T>(block_height<T>(problem, config));
    if (problem.as<SoftmaxProblem>().kind == SoftmaxKind::fast) return claims;
    claims.error_formula = "online";
    return claims;
  };
  variant.launch = [](const Problem& problem, const Config& config, const LaunchArgs& args) {
    const auto& p = problem.as<SoftmaxProblem>();
    if (p.rows() == 0) return;
    const auto rows = softmax_rows<T>(problem, args, kForwardTensors);
    launch<online_kernel<T>>(block_row_shape(p, config, rows.rows_fastest), args.stream, rows,
                             p.kind);
  };
  return variant;
}

}  // namespace

void register_softmax_online(Catalog& catalog);
void register_softmax_online(Catalog& catalog) {
  for_types<float, double, f16, bf16>([&]<class T>() {
    for (const Layout layout : kBothLayouts) catalog.add(online<T>(layout));
  });
}

}  // namespace wm::WM_FLAVOUR
