#pragma once
// The tile shapes of the register-tiled matmuls, the choice among them, and their output.
#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kernels/matmul/parts/matmul_args.cuh"
#include "kernels/matmul/parts/strided_loader.cuh"

namespace wm::WM_FLAVOUR {

/// Shapes by type, largest first. 16-bit operands take twice the depth, so that a thread's share is
/// a 16-byte vector; f64 accumulators are two registers each, so its thread tiles are half as
/// large.
template <class T>
struct Tiles {
  using List = std::tuple<TileSizes<128, 128, 16, 8, 8>, TileSizes<64, 64, 16, 8, 8>,
                          TileSizes<32, 32, 16, 4, 4>>;
};
template <>
struct Tiles<float> {
  using List = std::tuple<TileSizes<128, 128, 8, 8, 8>, TileSizes<64, 64, 8, 8, 8>,
                          TileSizes<32, 32, 8, 4, 4>>;
};
template <>
struct Tiles<double> {
  using List = std::tuple<TileSizes<128, 64, 8, 8, 4>, TileSizes<64, 64, 8, 4, 4>,
                          TileSizes<32, 32, 8, 4, 4>>;
};

/// A shape as a value.
struct TileShape {
  int block_m, block_n, block_k;
  std::string name() const {
    return std::to_string(block_m) + "x" + std::to_string(block_n) + "x" + std::to_string(block_k);
  }
};

template <class T>
std::array<TileShape, std::tuple_size_v<typename Tiles<T>::List>> tile_shapes() {
  return std::apply(
      [](auto... sizes) {
        return std::array{TileShape{decltype(sizes)::block_m, decltype(sizes)::block_n,
                                    decltype(sizes)::block_k}...};
      },
      typename Tiles<T>::List{});
}

template <class T>
std::vector<std::string> tile_names() {
  std::vector<std::string> names;
  for (const TileShape& shape : tile_shapes<T>()) names.push_back(shape.name());
  return names;
}

/// Calls fn.template operator()<Sizes>() for the shape of that name, from shape kFirst on.
template <class T, int kFirst = 0, class Fn>
void with_tile(std::string_view name, Fn&& fn) {
  using List = typename Tiles<T>::List;
  if constexpr (kFirst < static_cast<int>(std::tuple_size_v<List>)) {
    using Sizes = std::tuple_element_t<kFirst, List>;
    if (name == TileShape{Sizes::block_m, Sizes::block_n, Sizes::block_k}.name())
      return fn.template operator()<Sizes>();
    with_tile<T, kFirst + 1>(name, fn);
  }
}

/// The largest shape that gives every multiprocessor a block and wastes little on partial tiles;
/// where none fills the device, the smallest.
template <class T>
TileShape choose_tile(const MatmulProblem& p, const DeviceProps& device) {
  constexpr double kLeastUse = 0.7;  // of a tile's rows and columns, on average
  for (const TileShape& shape : tile_shapes<T>()) {
    const std::int64_t tiles = tile_count(p, shape.block_m, shape.block_n);
    const double covered = static_cast<double>(tiles) * shape.block_m * shape.block_n;
    const double used = static_cast<double>(p.batch) * static_cast<double>(p.m * p.n);
    if (tiles >= device.sm_count && used >= kLeastUse * covered) return shape;
  }
  return tile_shapes<T>().back();
}

/// Whether groups of `width` neighbouring columns of `data` can be written as one vector.
template <class T>
bool vector_columns(const T* data, const MatrixStrides& strides, int width) {
  return strides.col == 1 && strides.row % width == 0 && strides.batch % width == 0 &&
         is_aligned(data, sizeof(T) * static_cast<std::size_t>(width));
}

/// Calls store(row, values) for the thread's rows inside the matrix, `values` being that row's
/// kThreadN accumulators. A loop that is not unrolled keeps the epilogue's code small: each turn
/// handles row 0 of the registers, then moves the rows up by one, so that no register is indexed at
/// run time. `acc` is spent afterwards.
template <class Tile, class Store>
__device__ inline void for_each_row(typename Tile::Acc (&acc)[Tile::kThreadM][Tile::kThreadN],
                                    std::int64_t row0, std::int64_t rows, Store&& store) {
  WM_NO_UNROLL
  for (int i = 0; i < Tile::kThreadM; ++i) {
    const std::int64_t row = row0 + Tile::row(i);
    if (row < rows) store(row, acc[0]);
    WM_UNROLL
    for (int next = 1; next < Tile::kThreadM; ++next) {
      WM_UNROLL
      for (int j = 0; j < Tile::kThreadN; ++j) acc[next - 1][j] = acc[next][j];
    }
  }
}

/// Writes the values of a row's columns inside the matrix, in vectors where `vector`.
template <class Tile, class T>
__device__ inline void store_row(T* row, std::int64_t col_stride, std::int64_t col0,
                                 std::int64_t cols, bool vector,
                                 const typename Tile::Acc (&values)[Tile::kThreadN]) {
  WM_UNROLL
  for (int j = 0; j < Tile::kThreadN; j += Tile::kGroup) {
    const std::int64_t col = col0 + Tile::col(j);
    Vec<T, Tile::kGroup> group;
    WM_UNROLL
    for (int v = 0; v < Tile::kGroup; ++v) group[v] = from_acc<T>(values[j + v]);
    if (vector && col + Tile::kGroup <= cols) {
      store_vec(row + col, group);
    } else {
      WM_UNROLL
      for (int v = 0; v < Tile::kGroup; ++v) {
        if (col + v < cols) row[(col + v) * col_stride] = group[v];
      }
    }
  }
}

/// Epilogue of a row's sums in registers: a loop that rotates them through values[0], because the
/// addresses of eight unrolled epilogues beside the accumulators would spill.
template <class Tile, class T>
__device__ inline void finish_row(const MatmulArgs<T>& args, unsigned batch, std::int64_t row,
                                  std::int64_t col0, typename Tile::Acc (&values)[Tile::kThreadN]) {
  WM_NO_UNROLL
  for (int j = 0; j < Tile::kThreadN; ++j) {
    const std::int64_t col = col0 + Tile::col(j);
    const auto value = col < args.n ? args.blend(batch, row, col, values[0]) : values[0];
    WM_UNROLL
    for (int next = 1; next < Tile::kThreadN; ++next) values[next - 1] = values[next];
    values[Tile::kThreadN - 1] = value;
  }
  const Epilogue<T>& epilogue = args.epilogue;
  apply_activation_all(epilogue.act, values, epilogue.act_alpha, epilogue.act_beta);
}

}  // namespace wm::WM_FLAVOUR
