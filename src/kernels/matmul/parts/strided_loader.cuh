#pragma once
// Loads a matmul operand's tile, whatever its strides. A thread moves pieces of up to 16 bytes
// along the direction with the smaller stride, neighbouring lanes neighbouring pieces: one vector
// each where that direction is contiguous and everything is aligned, else element by element.
#include <cstdint>

#include "kernels/common/gemm_tile.cuh"
#include "kernels/matmul/parts/matmul_args.cuh"

namespace wm::WM_FLAVOUR {

/// An operand as a (row, depth) matrix: rows of a, columns of b.
template <class T>
struct Operand {
  const T* data = nullptr;
  std::int64_t batch_stride = 0, row_stride = 0, depth_stride = 0;
  std::int64_t rows = 0;
  bool along_depth = false;  ///< direction of a piece
  bool vector = false;       ///< whether a piece is one aligned vector
};

/// Elements of a piece for kRows rows: at most 16 bytes and at most a thread's share.
template <class Tile, int kRows, class T>
inline constexpr int kPieceWidth = wm::min(16 / static_cast<int>(sizeof(T)),
                                           kRows* Tile::kBlockK / Tile::kThreads);

template <class T>
Operand<T> operand(const T* data, std::int64_t batch_stride, std::int64_t row_stride,
                   std::int64_t depth_stride, std::int64_t rows, int width) {
  const bool along_depth = depth_stride <= row_stride;
  const std::int64_t along = along_depth ? depth_stride : row_stride;
  const std::int64_t other = along_depth ? row_stride : depth_stride;
  const bool vector = along == 1 && other % width == 0 && batch_stride % width == 0 &&
                      is_aligned(data, sizeof(T) * static_cast<std::size_t>(width));
  return {data, batch_stride, row_stride, depth_stride, rows, along_depth, vector};
}

template <class T>
Operand<T> operand_a(const MatmulArgs<T>& args, int width) {
  const MatrixStrides& s = args.a_strides;
  return operand(args.a, s.batch, s.row, s.col, args.m, width);
}
template <class T>
Operand<T> operand_b(const MatmulArgs<T>& args, int width) {
  const MatrixStrides& s = args.b_strides;
  return operand(args.b, s.batch, s.col, s.row, args.n, width);
}

/// Loader of kRows rows for gemm_main_loop. Elements stay in their storage type in registers and
/// are widened on the way to shared memory.
template <class Tile, int kRows, class T>
class StridedLoader {
 public:
  __device__ StridedLoader(const Operand<T>& operand, unsigned batch, unsigned tile)
      : depth_stride_(operand.depth_stride),
        step_(operand.along_depth ? operand.depth_stride : operand.row_stride),
        rows_(static_cast<int>(
            wm::min<std::int64_t>(operand.rows - std::int64_t{tile} * kRows, kRows))),
        along_depth_(operand.along_depth),
        vector_(operand.vector) {
    const T* base = operand.data + batch * operand.batch_stride +
                    std::int64_t{tile} * kRows * operand.row_stride;
    WM_UNROLL
    for (int p = 0; p < kPieces; ++p)
      from_[p] = base + row_of(p) * operand.row_stride + depth_of(p) * depth_stride_;
  }

  __device__ void load(std::int64_t k, std::int64_t k_end) {
    const int depths = static_cast<int>(wm::min<std::int64_t>(k_end - k, Tile::kBlockK));
    WM_UNROLL
    for (int p = 0; p < kPieces; ++p) {
      const T* from = from_[p] + k * depth_stride_;
      const int rows_left = rows_ - row_of(p);
      const int depths_left = depths - depth_of(p);
      const int across = along_depth_ ? rows_left : depths_left;
      const int along = along_depth_ ? depths_left : rows_left;
      const int exist = across > 0 ? along : 0;
      if (vector_ && exist >= kWidth) {
        pieces_[p] = load_vec<kWidth>(from);
      } else {
        WM_UNROLL
        for (int v = 0; v < kWidth; ++v)
          pieces_[p][v] = v < exist ? from[v * step_] : from_acc<T>(acc_t<T>(0));
      }
    }
  }

  template <int kPitch>
  __device__ void store(acc_t<T> (&stage)[Tile::kBlockK][kPitch]) const {
    const int step = along_depth_ ? kPitch : 1;
    WM_UNROLL
    for (int p = 0; p < kPieces; ++p) {
      acc_t<T>* to = &stage[0][0] + depth_of(p) * kPitch + row_of(p);
      WM_UNROLL
      for (int v = 0; v < kWidth; ++v) to[v * step] = to_acc(pieces_[p][v]);
    }
  }

 private:
  static constexpr int kWidth = kPieceWidth<Tile, kRows, T>;
  static constexpr int kPieces = kRows * Tile::kBlockK / Tile::kThreads / kWidth;
  static constexpr int kPiecesAlongDepth = Tile::kBlockK / kWidth;
  static constexpr int kPiecesAlongRows = kRows / kWidth;

  __device__ int row_of(int p) const {
    const int piece = static_cast<int>(threadIdx.x) + p * Tile::kThreads;
    return along_depth_ ? piece / kPiecesAlongDepth : piece % kPiecesAlongRows * kWidth;
  }
  __device__ int depth_of(int p) const {
    const int piece = static_cast<int>(threadIdx.x) + p * Tile::kThreads;
    return along_depth_ ? piece % kPiecesAlongDepth * kWidth : piece / kPiecesAlongRows;
  }

  std::int64_t depth_stride_, step_;
  int rows_;
  bool along_depth_, vector_;
  const T* from_[kPieces];
  Vec<T, kWidth> pieces_[kPieces];
};

}  // namespace wm::WM_FLAVOUR
