#pragma once
// A block's share of rows of any length: one row with all threads, or 32 rows that are neighbours
// in memory with 8 threads each. Shared by block_row and online.
#include "kernels/softmax/parts/rows.cuh"

namespace wm::WM_FLAVOUR {

inline constexpr int kBlockThreads = 256;
inline constexpr int kBlockWarps = kBlockThreads / kWarpSize;

/// What is shared by the warps for a reduction: one value of each lane of each warp.
template <class Value>
struct BlockScratch {
  Value values[kBlockWarps][kWarpSize];
};

/// The place of a thread: its row, and where it starts and how far it strides in it.
struct BlockPlace {
  unsigned row = 0;
  unsigned first = 0, stride = 0;  ///< pieces, or elements where lanes lie across rows
  bool across = false;

  __device__ explicit BlockPlace(bool rows_fastest) : across(rows_fastest) {
    const unsigned lane = threadIdx.x % kWarpSize;
    row = across ? blockIdx.x * kWarpSize + lane : blockIdx.x;
    first = across ? threadIdx.x / kWarpSize : threadIdx.x;
    stride = across ? kBlockWarps : kBlockThreads;
  }

  /// Combines the row's threads: lanes by a butterfly where they share the row, then warps in
  /// ascending order. `combine` commutes. All threads of the block call it and get the result.
  template <class Value, class Exchange, class Combine>
  __device__ Value reduce(Value value, BlockScratch<Value>& scratch, Exchange exchange,
                          Combine combine) const {
    if (!across) {
      for (int offset = kWarpSize / 2; offset > 0; offset /= 2)
        value = combine(value, exchange(value, offset));
    }
    const unsigned lane = threadIdx.x % kWarpSize;
    scratch.values[threadIdx.x / kWarpSize][lane] = value;
    __syncthreads();
    Value result = scratch.values[0][lane];
    for (int warp = 1; warp < kBlockWarps; ++warp)
      result = combine(result, scratch.values[warp][lane]);
    __syncthreads();  // scratch may be reused at once
    return result;
  }
  template <class Acc>
  __device__ Acc sum(Acc x, BlockScratch<Acc>& scratch) const {
    return reduce(
        x, scratch, [](Acc mine, int offset) { return __shfl_xor_sync(kFullMask, mine, offset); },
        [](Acc a, Acc b) { return a + b; });
  }
  template <class Acc>
  __device__ Acc largest(Acc x, BlockScratch<Acc>& scratch) const {
    return reduce(
        x, scratch, [](Acc mine, int offset) { return __shfl_xor_sync(kFullMask, mine, offset); },
        [](Acc a, Acc b) { return wm::fmax(a, b); });
  }
};

/// A thread's walk over its elements of a row.
template <class T, int kTensors>
class BlockRow {
 public:
  using Acc = acc_t<T>;
  __device__ BlockRow(const Rows<T, kTensors>& rows, const BlockPlace& place)
      : rows_(rows),
        row_(rows, place.row < rows.rows ? place.row : 0),
        place_(place),
        length_(place.row < rows.rows ? rows.length : 0) {}

  /// visit(i, values): the elements of tensors 0 .. kLoad - 1 at index i, which visit may change;
  /// with kStore, values[0] is then written to tensor kTensors - 1.
  template <int kLoad, bool kStore, class Visit>
  __device__ void walk(Visit&& visit) const {
    if (place_.across) {
      for (unsigned i = place_.first; i < length_; i += place_.stride) {
        Acc values[kLoad];
        WM_UNROLL
        for (int t = 0; t < kLoad; ++t) values[t] = row_.load(t, i);
        visit(i, values);
        if constexpr (kStore) row_.store(kTensors - 1, i, values[0]);
      }
      return;
    }
    constexpr unsigned piece = kPiece<T>;
    for (unsigned first = place_.first * piece; first < length_; first += place_.stride * piece) {
      Acc pieces[kLoad][kPiece<T>];
      WM_UNROLL
      for (int t = 0; t < kLoad; ++t) row_.load_piece(t, first, pieces[t], Acc(0));
      WM_NO_UNROLL
      for (int v = 0; v < kPiece<T>; ++v) {
        Acc values[kLoad];
        WM_UNROLL
        for (int t = 0; t < kLoad; ++t) values[t] = pieces[t][0];
        const unsigned i = first + static_cast<unsigned>(v);
        if (i < length_) visit(i, values);
        rotate(pieces, values);
      }
      if constexpr (kStore) row_.store_piece(kTensors - 1, first, pieces[0]);
    }
  }

 private:
  /// Moves every piece down by one element, values last: after kPiece turns all are back in place.
  template <int kLoad>
  static __device__ void rotate(Acc (&pieces)[kLoad][kPiece<T>], const Acc (&values)[kLoad]) {
    WM_UNROLL
    for (int t = 0; t < kLoad; ++t) {
      WM_UNROLL
      for (int v = 1; v < kPiece<T>; ++v) pieces[t][v - 1] = pieces[t][v];
      pieces[t][kPiece<T> - 1] = values[t];
    }
  }

  const Rows<T, kTensors>& rows_;
  Row<T, kTensors> row_;
  BlockPlace place_;
  unsigned length_;
};

/// Elements of the busiest thread, and the additions that combine a row's threads.
template <class T>
std::int64_t busiest_thread(const Problem& problem) {
  const auto& p = problem.as<SoftmaxProblem>();
  if (rows_fastest(p, problem.tensors.front()))
    return wm::ceil_div<std::int64_t>(p.length(), kBlockWarps);
  constexpr std::int64_t piece = kPiece<T>;
  const std::int64_t turns =
      wm::ceil_div<std::int64_t>(wm::ceil_div(p.length(), piece), kBlockThreads);
  const std::int64_t before = (turns - 1) * piece;
  return before + wm::min(piece, p.length() - before * kBlockThreads);
}
inline int combining_steps(const Problem& problem) {
  const bool across = rows_fastest(problem.as<SoftmaxProblem>(), problem.tensors.front());
  return (across ? 0 : 5) + kBlockWarps - 1;
}
template <class T>
double block_height(const Problem& problem) {
  const auto& p = problem.as<SoftmaxProblem>();
  return thread_height(p, busiest_thread<T>(problem)) + combining_steps(problem);
}

inline LaunchShape block_row_shape(std::int64_t rows, bool rows_fastest) {
  const std::int64_t blocks = rows_fastest ? wm::ceil_div<std::int64_t>(rows, kWarpSize) : rows;
  return {.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(kBlockThreads)};
}

}  // namespace wm::WM_FLAVOUR
