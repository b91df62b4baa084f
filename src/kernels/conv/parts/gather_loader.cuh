#pragma once
// An operand of a convolution seen as a matrix (rows x depth) that is never built: element (i, k)
// is the place of i plus the place of k, or zero where the window says padding. The loader moves it
// into the shared tiles of gemm_tile.cuh.
#include "kernels/common/gemm_tile.cuh"
#include "kernels/conv/parts/coordinates.cuh"

namespace wm::WM_FLAVOUR {

template <class ElementT, class RowAxisT, class DepthAxisT, class WindowT>
struct Operand {
  using T = ElementT;
  using RowAxis = RowAxisT;
  using DepthAxis = DepthAxisT;
  using Window = WindowT;

  const T* data = nullptr;
  std::int64_t group_stride = 0;
  RowAxis row_axis;
  DepthAxis depth_axis;
  Window window;
  int rows = 0;  ///< a group
  /// Neighbouring lanes walk the depth instead of the rows: the direction that is contiguous.
  bool depth_fastest = false;
};

/// Loader of gemm_main_loop. A thread keeps the places of its rows; a step costs it one place of
/// the depth where lanes walk the depth, else a run of consecutive depths without a division. Rows
/// past the end repeat the last one; their sums are not stored.
template <class Tile, int kRows, class OperandT>
class GatherLoader {
 public:
  using Acc = typename Tile::Acc;
  using T = typename OperandT::T;

  __device__ GatherLoader(const OperandT& operand, int group, int first_row)
      : operand_(operand), data_(operand.data + group * operand.group_stride) {
    WM_UNROLL
    for (int e = 0; e < kElements; ++e) {
      const int row = first_row + row_of(e);
      const int last = operand.rows - 1;
      rows_[e] = operand.row_axis.place(operand.row_axis.start(row < last ? row : last));
    }
  }

  __device__ void load(std::int64_t k, std::int64_t k_end) {
    const auto end = static_cast<int>(k_end);
    const int first = static_cast<int>(k) + depth_of(0);
    const bool starts = first < end;
    auto state = operand_.depth_axis.start(starts ? first : 0);
    Place place = operand_.depth_axis.place(state);
    WM_UNROLL
    for (int e = 0; e < kElements; ++e) {
      const bool exists = operand_.depth_fastest ? starts : first + e < end;
      fragment_[e] = exists ? fetch(rows_[e], place) : Acc(0);
      if (!operand_.depth_fastest && e + 1 < kElements) {
        operand_.depth_axis.advance(state);
        place = operand_.depth_axis.place(state);
      }
    }
  }

  template <int kPitch>
  __device__ void store(Acc (&stage)[Tile::kBlockK][kPitch]) const {
    WM_UNROLL
    for (int e = 0; e < kElements; ++e) stage[depth_of(e)][row_of(e)] = fragment_[e];
  }

 private:
  static constexpr int kElements = kRows * Tile::kBlockK / Tile::kThreads;
  static_assert(Tile::kThreads % kRows == 0 && Tile::kThreads % Tile::kBlockK == 0);

  __device__ int row_of(int e) const {
    const int thread = static_cast<int>(threadIdx.x);
    return operand_.depth_fastest ? thread / Tile::kBlockK + e * (Tile::kThreads / Tile::kBlockK)
                                  : thread % kRows;
  }
  __device__ int depth_of(int e) const {
    const int thread = static_cast<int>(threadIdx.x);
    return operand_.depth_fastest ? thread % Tile::kBlockK : thread / kRows * kElements + e;
  }
  __device__ Acc fetch(const Place& row, const Place& depth) const {
    std::int64_t offset = 0;
    return operand_.window.find(row, depth, offset) ? to_acc(data_[offset]) : Acc(0);
  }

  const OperandT& operand_;
  const T* data_;
  Place rows_[kElements];
  Acc fragment_[kElements];
};

}  // namespace wm::WM_FLAVOUR
