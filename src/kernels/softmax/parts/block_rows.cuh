#pragma once
// A block's share of rows of any length: one row with all threads, or 32 rows that are neighbours
// in memory with a lane of every warp each; 1 to 8 warps (config `threads`). Shared by block_row
// and online.
#include "kernels/softmax/parts/rows.cuh"

namespace wm::WM_FLAVOUR {

inline constexpr int kMaxBlockThreads = 256;
inline constexpr int kMaxBlockWarps = kMaxBlockThreads / kWarpSize;

/// What is shared by the warps for a reduction: one value of each lane of each warp.
template <class Value>
struct BlockScratch {
  Value values[kMaxBlockWarps][kWarpSize];
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
    stride = across ? blockDim.x / kWarpSize : blockDim.x;
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
    const unsigned warps = blockDim.x / kWarpSize;
    if (warps == 1) return value;
    const unsigned lane = threadIdx.x % kWarpSize;
    scratch.values[threadIdx.x / kWarpSize][lane] = value;
    __syncthreads();
    Value result = scratch.values[0][lane];
    for (unsigned warp = 1; warp < warps; ++warp)
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

inline bool lanes_across_rows(const Problem& problem) {
  return rows_fastest(problem.as<SoftmaxProblem>(), problem.tensors.front());
}

/// Elements of the busiest thread.
template <class T>
std::int64_t busiest_thread(const Problem& problem, std::int64_t threads) {
  const std::int64_t length = problem.as<SoftmaxProblem>().length();
  if (lanes_across_rows(problem)) return wm::ceil_div<std::int64_t>(length, threads / kWarpSize);
  constexpr std::int64_t piece = kPiece<T>;
  const std::int64_t before = (wm::ceil_div(wm::ceil_div(length, piece), threads) - 1) * piece;
  return before + wm::min(piece, length - before * threads);
}

/// The busiest thread's additions, those of lanes that share a row, those of warps.
template <class T>
double block_height(const Problem& problem, const Config& config) {
  const std::int64_t threads = config.integer("threads");
  const double lanes = lanes_across_rows(problem) ? 0 : 5;
  return thread_height(problem.as<SoftmaxProblem>(), busiest_thread<T>(problem, threads)) + lanes +
         static_cast<double>(threads / kWarpSize - 1);
}

inline constexpr std::int64_t kBlockSizes[] = {32, 64, 128, 256};

/// The smallest block in which a thread has one piece of its row, or 8 elements of a row it shares
/// with no lane of its warp.
template <class T>
Config configure_block(const Problem& problem, const DeviceProps&) {
  const std::int64_t share = lanes_across_rows(problem) ? 8 : kPiece<T>;
  for (const std::int64_t threads : kBlockSizes) {
    if (busiest_thread<T>(problem, threads) <= share) return Config().set("threads", threads);
  }
  return Config().set("threads", std::int64_t{kMaxBlockThreads});
}

inline void check_block(const Problem&, const Config& config) {
  check_config_items(config, {"threads"});
  check_config_item(config, "threads", {"32", "64", "128", "256"});
}

inline LaunchShape block_row_shape(const SoftmaxProblem& p, const Config& config,
                                   bool across_rows) {
  const std::int64_t blocks =
      across_rows ? wm::ceil_div<std::int64_t>(p.rows(), kWarpSize) : p.rows();
  return {.grid = dim3(static_cast<unsigned>(blocks)),
          .block = dim3(static_cast<unsigned>(config.integer("threads")))};
}

/// All but claims and launch of a variant on this mapping.
template <class T>
Variant block_variant(const char* op, const char* algorithm, Layout layout, const char* summary) {
  Variant variant;
  variant.id = variant_id<T>(op, algorithm, layout);
  variant.summary = summary;
  variant.supports = [](const Problem& problem, const DeviceProps&) {
    return softmax_support(problem);
  };
  variant.configure = configure_block<T>;
  variant.check_config = check_block;
  return variant;
}

}  // namespace wm::WM_FLAVOUR
