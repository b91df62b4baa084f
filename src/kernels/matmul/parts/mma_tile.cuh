#pragma once
// A 64 x 64 x 32 tile of a matmul on tensor cores: copies of operands to swizzled shared memory,
// and the fragments of mma.sync m16n8k16 read from it.
//
// An operand's tile is stored in the direction in which it is contiguous in memory, in 16-byte
// chunks of 8 elements:
//   along depth  64 rows of 4 chunks; chunk c of row r stands at c ^ (r / 2 % 4)
//   along rows   32 depths of 8 chunks; chunk c of depth d stands at c ^ (d % 8)
// so that the eight rows of an ldmatrix, and the chunks neighbouring lanes write, each cover all 32
// banks.
#include <cstdint>

#include "kernels/matmul/parts/strided_loader.cuh"

namespace wm::WM_FLAVOUR {

struct MmaTile {
  static constexpr int kBlock = 64;  ///< rows of a, columns of b
  static constexpr int kDepth = 32;
  static constexpr int kChunk = 8;  ///< elements of 16 bytes
  static constexpr int kThreads = 128;
  static constexpr int kStages = 3;
  static constexpr int kStep = 16;      ///< depth of one mma
  static constexpr int kWarpTile = 32;  ///< a warp's rows and columns: 2 x 2 warps
  static constexpr int kTilesM = kWarpTile / 16;
  static constexpr int kTilesN = kWarpTile / 8;
  static constexpr int kElements = kBlock * kDepth;

  /// Where chunk `chunk` of line `line` (row or depth) of a stage begins.
  template <bool kAlongDepth>
  static __device__ int place(int line, int chunk) {
    if constexpr (kAlongDepth) {
      return line * kDepth + (chunk ^ (line / 2 % 4)) * kChunk;
    } else {
      return line * kBlock + (chunk ^ (line % 8)) * kChunk;
    }
  }
};

/// Copies one operand's tiles to shared memory: asynchronously in 16-byte chunks, tails filled with
/// zeros, where the operand allows it; else element by element.
template <class T, bool kAlongDepth>
class TileCopier {
 public:
  __device__ TileCopier(const Operand<T>& operand, unsigned batch, unsigned tile)
      : operand_(operand),
        rows_(static_cast<int>(wm::min<std::int64_t>(
            operand.rows - std::int64_t{tile} * MmaTile::kBlock, MmaTile::kBlock))),
        base_(operand.data + batch * operand.batch_stride +
              std::int64_t{tile} * MmaTile::kBlock * operand.row_stride) {}

  /// Begins the copy of depths k, ..., k + 31, of those below k_end.
  __device__ void copy(T* stage, std::int64_t k, std::int64_t k_end) const {
    const int depths = static_cast<int>(wm::min<std::int64_t>(k_end - k, MmaTile::kDepth));
    WM_UNROLL
    for (int p = 0; p < kPieces; ++p) {
      const int piece = static_cast<int>(threadIdx.x) + p * MmaTile::kThreads;
      const int line = piece / kChunksALine, chunk = piece % kChunksALine;
      const int along = chunk * MmaTile::kChunk;
      const int row = kAlongDepth ? line : along, depth = kAlongDepth ? along : line;
      const int left = kAlongDepth ? depths - depth : rows_ - row;
      const bool inside = kAlongDepth ? row < rows_ : depth < depths;
      const int exist = inside ? wm::max(wm::min(left, MmaTile::kChunk), 0) : 0;
      T* to = stage + MmaTile::place<kAlongDepth>(line, chunk);
      const T* from = base_ + row * operand_.row_stride + (k + depth) * operand_.depth_stride;
      if (operand_.vector) {
        copy_async<16>(to, exist > 0 ? from : operand_.data, exist * static_cast<int>(sizeof(T)));
      } else {
        copy_elements(to, from, exist);
      }
    }
  }

 private:
  static constexpr int kChunksALine =
      (kAlongDepth ? MmaTile::kDepth : MmaTile::kBlock) / MmaTile::kChunk;
  static constexpr int kPieces = MmaTile::kElements / MmaTile::kChunk / MmaTile::kThreads;

  __device__ void copy_elements(T* to, const T* from, int exist) const {
    const std::int64_t step = kAlongDepth ? operand_.depth_stride : operand_.row_stride;
    Vec<T, MmaTile::kChunk> chunk;
    WM_UNROLL
    for (int v = 0; v < MmaTile::kChunk; ++v)
      chunk[v] = v < exist ? from[v * step] : from_acc<T>(0.0F);
    store_vec(to, chunk);
  }

  const Operand<T>& operand_;
  int rows_;
  const T* base_;
};

/// The fragments of two 8-row by 16-depth (b), or one 16 x 16 (a), pieces of a stage at (row,
/// depth): four registers. The matrices come in the order of the registers: rows first for a,
/// depths first for b.
template <class T, bool kAlongDepth, bool kRowsFirst>
__device__ inline void load_fragments(std::uint32_t (&registers)[4], const T* stage, int row,
                                      int depth WM_SITE) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
  const int matrix = lane / 8;
  const int row_block = kRowsFirst ? matrix % 2 : matrix / 2;
  const int depth_block = kRowsFirst ? matrix / 2 : matrix % 2;
  const int first_row = row + 8 * row_block, first_depth = depth + 8 * depth_block;
  const int line = (kAlongDepth ? first_row : first_depth) + lane % 8;
  const int chunk = (kAlongDepth ? first_depth : first_row) / MmaTile::kChunk;
  load_matrix<4, !kAlongDepth>(registers,
                               stage + MmaTile::place<kAlongDepth>(line, chunk) WM_PASS_SITE);
}

/// acc += a b of one stage, for the warp's 32 x 32 outputs at (row, col) of the tile.
template <class T, bool kDepthA, bool kDepthB>
__device__ inline void multiply_fragments(float (&acc)[MmaTile::kTilesM][MmaTile::kTilesN][4],
                                          const T* stage_a, const T* stage_b, int row, int col) {
  using Multiply = Mma<kMmaOperandOf<T>, MmaTile::kStep>;
  WM_UNROLL
  for (int depth = 0; depth < MmaTile::kDepth; depth += MmaTile::kStep) {
    std::uint32_t a[MmaTile::kTilesM][4], b[MmaTile::kTilesN / 2][4];
    WM_UNROLL
    for (int i = 0; i < MmaTile::kTilesM; ++i)
      load_fragments<T, kDepthA, true>(a[i], stage_a, row + 16 * i, depth);
    WM_UNROLL
    for (int j = 0; j < MmaTile::kTilesN / 2; ++j)
      load_fragments<T, kDepthB, false>(b[j], stage_b, col + 16 * j, depth);
    WM_UNROLL
    for (int i = 0; i < MmaTile::kTilesM; ++i) {
      WM_UNROLL
      for (int j = 0; j < MmaTile::kTilesN; ++j) {
        const typename Multiply::B half{b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]};
        Multiply::multiply(acc[i][j], a[i], half);
      }
    }
  }
}

}  // namespace wm::WM_FLAVOUR
