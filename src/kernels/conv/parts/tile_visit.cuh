#pragma once
// From a thread's accumulators to global memory, through shared memory: a rolled loop in memory
// order instead of an unrolled one in register order. Lanes store side by side whatever the
// output's layout, and a kernel carries one copy of its epilogue instead of one an accumulator.
#include "kernels/common/gemm_tile.cuh"

namespace wm::WM_FLAVOUR {

/// Shared memory of a block: the operands' stages, then bands of finished rows.
template <class Tile>
union TileMemory {
  using Acc = typename Tile::Acc;
  /// Accumulator rows a thread puts in one band: all of them, or a group where the tile is large.
  static constexpr int kRowsAtOnce =
      Tile::kBlockM * Tile::kBlockN * static_cast<int>(sizeof(Acc)) <= 40960 ? Tile::kThreadM
                                                                             : Tile::kGroup;
  static constexpr int kBandRows = Tile::kBlockM / Tile::kThreadM * kRowsAtOnce;
  static constexpr int kPitch = Tile::kBlockN + 1;  ///< odd: columns walk all banks

  struct Stages {
    typename Tile::StageM m[2];
    typename Tile::StageN n[2];
  } stages;
  Acc band[kBandRows][kPitch];
};

/// Calls visitor.visit(visitor.column(col), row, sum) for each sum with row < rows and col < cols
/// (counted from the block's first), as far as the tile goes. Lanes walk rows or columns, the
/// direction that is contiguous in the output. All threads of the block call it.
template <class Tile, class Visitor>
__device__ inline void visit_tile(const typename Tile::Acc (&acc)[Tile::kThreadM][Tile::kThreadN],
                                  TileMemory<Tile>& memory, int rows, int cols, bool rows_fastest,
                                  const Visitor& visitor) {
  using Memory = TileMemory<Tile>;
  static_assert(Tile::kThreads % Tile::kBlockN == 0 && Tile::kThreads % Memory::kBandRows == 0);
  const int thread = static_cast<int>(threadIdx.x);
  const int last_col = cols < Tile::kBlockN ? cols : Tile::kBlockN;
  WM_UNROLL
  for (int first = 0; first < Tile::kThreadM; first += Memory::kRowsAtOnce) {
    const int band_row = first / Memory::kRowsAtOnce * Memory::kBandRows;
    __syncthreads();
    WM_UNROLL
    for (int i = first; i < first + Memory::kRowsAtOnce; ++i) {
      WM_UNROLL
      for (int j = 0; j < Tile::kThreadN; ++j)
        memory.band[Tile::row(i) - band_row][Tile::col(j)] = acc[i][j];
    }
    __syncthreads();
    const int band_rows = rows - band_row < Memory::kBandRows ? rows - band_row : Memory::kBandRows;
    if (rows_fastest) {
      const int row = thread % Memory::kBandRows;
      if (row >= band_rows) continue;
      for (int col = thread / Memory::kBandRows; col < last_col;
           col += Tile::kThreads / Memory::kBandRows)
        visitor.visit(visitor.column(col), band_row + row, memory.band[row][col]);
    } else {
      const int col = thread % Tile::kBlockN;
      if (col >= last_col) continue;
      const auto column = visitor.column(col);
      for (int row = thread / Tile::kBlockN; row < band_rows; row += Tile::kThreads / Tile::kBlockN)
        visitor.visit(column, band_row + row, memory.band[row][col]);
    }
  }
}

}  // namespace wm::WM_FLAVOUR
