#pragma once
// Block-tiled SIMT matrix product, the main loop shared by matmul and implicit-GEMM convolution.
//
// A block of kThreads threads computes a (block_m x block_n) tile of C = A B, a thread
// thread_m x thread_n of it. Each step moves (block_m + block_n) * block_k elements from global
// memory to registers while the previous step is multiplied, then to the other half of a
// double-buffered shared tile: one barrier a step. Shared tiles are depth-major ([depth][row]), so
// a thread reads its operands as 16-byte vectors; a thread's rows (columns) are groups of 16 bytes,
// neighbouring lanes take neighbouring groups: no bank conflicts. Pitches are padded by 16 bytes so
// that transposing stores spread over the banks.
//
// Arithmetic: per output element one chain of fused multiply-adds, depth ascending, starting from
// +0: a summation tree of height (number of depth steps). Elements past the end are zeros.
//
// Technique: V. Volkov, J. Demmel, Benchmarking GPUs to tune dense linear algebra (SC 2008);
// register double buffering as in CUTLASS's SIMT mainloop.
#include <cstdint>

#include "gpu/kernel.hpp"

namespace wm::WM_FLAVOUR {

/// Block tile, depth of one step, thread tile. A type: nvcc 13 cannot launch a kernel whose
/// template argument is a value of class type.
template <int kM, int kN, int kK, int kThreadTileM, int kThreadTileN>
struct TileSizes {
  static constexpr int block_m = kM, block_n = kN, block_k = kK;
  static constexpr int thread_m = kThreadTileM, thread_n = kThreadTileN;
};

/// Everything derived from tile sizes and the accumulation type.
template <class AccT, class Sizes>
struct GemmTile {
  using Acc = AccT;
  static constexpr int kBlockM = Sizes::block_m;
  static constexpr int kBlockN = Sizes::block_n;
  static constexpr int kBlockK = Sizes::block_k;
  static constexpr int kThreadM = Sizes::thread_m;
  static constexpr int kThreadN = Sizes::thread_n;
  static constexpr int kThreadsN = kBlockN / kThreadN;
  static constexpr int kThreads = kBlockM / kThreadM * kThreadsN;
  /// Elements of one 16-byte shared read.
  static constexpr int kGroup = 16 / static_cast<int>(sizeof(Acc));
  static constexpr int kGroupStrideM = kBlockM / (kThreadM / kGroup);
  static constexpr int kGroupStrideN = kBlockN / (kThreadN / kGroup);
  static constexpr int kPitchM = kBlockM + kGroup;
  static constexpr int kPitchN = kBlockN + kGroup;

  static_assert(kBlockM % kThreadM == 0 && kBlockN % kThreadN == 0);
  static_assert(kThreadM % kGroup == 0 && kThreadN % kGroup == 0);
  static_assert(kBlockM * kBlockK % kThreads == 0 && kBlockN * kBlockK % kThreads == 0);

  using StageM = Acc[kBlockK][kPitchM];
  using StageN = Acc[kBlockK][kPitchN];

  /// Row (column) inside the block tile of a thread's i-th (j-th) accumulator.
  static __device__ int row(int i) {
    const int thread_row = static_cast<int>(threadIdx.x) / kThreadsN;
    return i / kGroup * kGroupStrideM + thread_row * kGroup + i % kGroup;
  }
  static __device__ int col(int j) {
    const int thread_col = static_cast<int>(threadIdx.x) % kThreadsN;
    return j / kGroup * kGroupStrideN + thread_col * kGroup + j % kGroup;
  }
};

/// Moves one operand's tile element by element. `Source` describes the operand as an (index, depth)
/// matrix, index being the row of A or the column of B:
///   Row row(std::int64_t index) const      state of an index, computed once (may be past the end)
///   Depth depth(std::int64_t k) const      state of a depth position, once per step and position
///   Acc fetch(const Row&, const Depth&) const   the element, 0 outside the matrix
///   bool depth_fastest   which direction neighbouring lanes walk: the contiguous one in memory
///                        (may be static constexpr)
template <class Tile, int kRows, class Source>
class ElementLoader {
 public:
  using Acc = typename Tile::Acc;

  __device__ ElementLoader(const Source& source, std::int64_t first_row) : source_(source) {
    WM_UNROLL
    for (int e = 0; e < kElements; ++e) rows_[e] = source_.row(first_row + row_of(e));
  }

  /// Global memory to registers, depth positions [k, k + block_k); positions from k_end on give 0.
  __device__ void load(std::int64_t k, std::int64_t k_end) {
    WM_UNROLL
    for (int e = 0; e < kElements; ++e) {
      const std::int64_t position = k + depth_of(e);
      fragment_[e] = position < k_end ? source_.fetch(rows_[e], source_.depth(position)) : Acc(0);
    }
  }

  /// Registers to a shared stage.
  template <int kPitch>
  __device__ void store(Acc (&stage)[Tile::kBlockK][kPitch]) const {
    WM_UNROLL
    for (int e = 0; e < kElements; ++e) stage[depth_of(e)][row_of(e)] = fragment_[e];
  }

 private:
  static constexpr int kElements = kRows * Tile::kBlockK / Tile::kThreads;

  __device__ int row_of(int e) const {
    const int linear = static_cast<int>(threadIdx.x) + e * Tile::kThreads;
    return source_.depth_fastest ? linear / Tile::kBlockK : linear % kRows;
  }
  __device__ int depth_of(int e) const {
    const int linear = static_cast<int>(threadIdx.x) + e * Tile::kThreads;
    return source_.depth_fastest ? linear % Tile::kBlockK : linear / kRows;
  }

  Source source_;
  typename Source::Row rows_[kElements];
  Acc fragment_[kElements];
};

/// sums += factor * row by fused multiply-adds.
template <class Acc, int kCount>
__device__ __forceinline__ void fma_row(Acc factor, const Acc (&row)[kCount], Acc (&sums)[kCount]) {
#if defined(__CUDACC__)
  WM_UNROLL
#else
  WM_NO_UNROLL  // a loop is what g++ vectorises; unrolled, it stays scalar at most tile sizes
#endif
  for (int i = 0; i < kCount; ++i) sums[i] = wm::fma(factor, row[i], sums[i]);
}

/// One step's products from shared memory into the accumulators.
template <class Tile>
__device__ inline void multiply_stage(const typename Tile::StageM& stage_m,
                                      const typename Tile::StageN& stage_n,
                                      typename Tile::Acc (&sums)[Tile::kThreadM][Tile::kThreadN]) {
  using Acc = typename Tile::Acc;
  const int row0 = Tile::row(0);
  const int col0 = Tile::col(0);
  WM_UNROLL
  for (int k = 0; k < Tile::kBlockK; ++k) {
    Acc a[Tile::kThreadM];
    Acc b[Tile::kThreadN];
    WM_UNROLL
    for (int i = 0; i < Tile::kThreadM; i += Tile::kGroup) {
      const auto group =
          load_vec<Tile::kGroup>(&stage_m[k][row0 + i / Tile::kGroup * Tile::kGroupStrideM]);
      WM_UNROLL
      for (int v = 0; v < Tile::kGroup; ++v) a[i + v] = group[v];
    }
    WM_UNROLL
    for (int j = 0; j < Tile::kThreadN; j += Tile::kGroup) {
      const auto group =
          load_vec<Tile::kGroup>(&stage_n[k][col0 + j / Tile::kGroup * Tile::kGroupStrideN]);
      WM_UNROLL
      for (int v = 0; v < Tile::kGroup; ++v) b[j + v] = group[v];
    }
    WM_UNROLL
    for (int i = 0; i < Tile::kThreadM; ++i) fma_row(a[i], b, sums[i]);
  }
}

/// The loop of gemm_main_loop.
template <class Tile, class LoaderM, class LoaderN>
__device__ inline void accumulate_steps(
    LoaderM& loader_m, LoaderN& loader_n, std::int64_t k_begin, std::int64_t k_end,
    typename Tile::StageM (&tile_m)[2], typename Tile::StageN (&tile_n)[2],
    typename Tile::Acc (&sums)[Tile::kThreadM][Tile::kThreadN]) {
  if (k_begin >= k_end) return;
  loader_m.load(k_begin, k_end);
  loader_n.load(k_begin, k_end);
  int stage = 0;
  for (std::int64_t k = k_begin;; stage ^= 1) {
    // The other threads may still read the other stage; the last turn's barrier has passed for all,
    // so nobody reads this one.
    loader_m.store(tile_m[stage]);
    loader_n.store(tile_n[stage]);
    __syncthreads();
    k += Tile::kBlockK;
    if (k < k_end) {
      loader_m.load(k, k_end);
      loader_n.load(k, k_end);
    }
    multiply_stage<Tile>(tile_m[stage], tile_n[stage], sums);
    if (k >= k_end) return;
  }
}

/// acc = sum over k in [k_begin, k_end) of A B for the block's tile. The loaders fill shared tiles
/// (`ElementLoader` or a type with the same load and store). All threads of the block call it;
/// k_begin and k_end are the same for all of them. Ends without a barrier: put one before the
/// shared tiles are used for something else.
template <class Tile, class LoaderM, class LoaderN>
__device__ inline void gemm_main_loop(LoaderM& loader_m, LoaderN& loader_n, std::int64_t k_begin,
                                      std::int64_t k_end, typename Tile::StageM (&tile_m)[2],
                                      typename Tile::StageN (&tile_n)[2],
                                      typename Tile::Acc (&acc)[Tile::kThreadM][Tile::kThreadN]) {
  typename Tile::Acc sums[Tile::kThreadM][Tile::kThreadN] = {};
  accumulate_steps<Tile>(loader_m, loader_n, k_begin, k_end, tile_m, tile_n, sums);
  WM_UNROLL
  for (int i = 0; i < Tile::kThreadM; ++i) {
    WM_UNROLL
    for (int j = 0; j < Tile::kThreadN; ++j) acc[i][j] = sums[i][j];
  }
}

/// Calls fn(row, col, values) for each group of Tile::kGroup consecutive columns of the thread's
/// accumulators; row and col are positions inside the block tile.
template <class Tile, class Fn>
__device__ inline void for_each_group(
    const typename Tile::Acc (&acc)[Tile::kThreadM][Tile::kThreadN], Fn&& fn) {
  WM_UNROLL
  for (int i = 0; i < Tile::kThreadM; ++i) {
    WM_UNROLL
    for (int j = 0; j < Tile::kThreadN; j += Tile::kGroup)
      fn(Tile::row(i), Tile::col(j), &acc[i][j]);
  }
}

/// Depth range [begin, end) of one split of a depth of `k`, in whole steps of `step`: a pure
/// function of problem and config. Trailing splits may be empty.
struct DepthRange {
  std::int64_t begin, end;
};
__host__ __device__ inline std::int64_t split_depth(std::int64_t k, std::int64_t splits,
                                                    std::int64_t step) {
  const std::int64_t steps = (k + step - 1) / step;
  return (steps + splits - 1) / splits * step;
}
__host__ __device__ inline DepthRange split_range(std::int64_t k, std::int64_t splits,
                                                  std::int64_t step, std::int64_t split) {
  const std::int64_t depth = split_depth(k, splits, step);
  const std::int64_t begin = split * depth < k ? split * depth : k;
  const std::int64_t end = begin + depth < k ? begin + depth : k;
  return {begin, end};
}

/// Sum of `splits` partial results that lie `stride` elements apart, first to last: splits - 1
/// rounded additions, the same bits whoever wrote the partials in whatever order.
template <class Acc>
__device__ inline Acc ordered_sum(const Acc* partials, std::int64_t splits, std::int64_t stride) {
  Acc sum = partials[0];
  for (std::int64_t s = 1; s < splits; ++s) sum += partials[s * stride];
  return sum;
}

}  // namespace wm::WM_FLAVOUR
