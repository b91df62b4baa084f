#pragma once
// Which element of a matrix each lane of a warp holds in mma.sync and ldmatrix: the one table that
// kernels and the emulator share. Source: PTX ISA 8.5, "Matrix Fragments for mma.m16n8k8", "...
// m16n8k16", "... m16n8k32" and "ldmatrix"; a test compares every entry with two transcriptions of
// its own.
//
// Lane = 4 group + member. Registers have 32 bits, 4 / element bytes elements each, the first in
// the low bits. With e elements a register:
//   A (16 x k, row-major)     register r: row group + 8 (r & 1), columns 4 e (r >> 1) + e member...
//   B (k x 8, column-major)   register r: rows 4 e r + e member..., column group
//   C, D (16 x 8)             element i: row group + 8 (i >> 1), column 2 member + (i & 1)
#include <array>
#include <cstdint>

#include "gpu/types.hpp"

namespace wm {

struct Coordinate {
  std::uint8_t row, col;
  constexpr bool operator==(const Coordinate&) const = default;
};

/// Fragments of one m16n8k<depth> shape.
template <int kElementBytes, int kDepth>
struct FragmentMap {
  static constexpr int kPerRegister = 4 / kElementBytes;
  static constexpr int kRegistersA = kDepth * kElementBytes / 8;
  static constexpr int kRegistersB = kDepth * kElementBytes / 16;
  static_assert(kRegistersB >= 1 && kRegistersA <= 4);

  std::array<std::array<Coordinate, kRegistersA * kPerRegister>, 32> a{};
  std::array<std::array<Coordinate, kRegistersB * kPerRegister>, 32> b{};
};

namespace detail {

constexpr Coordinate coordinate(int row, int col) {
  return {static_cast<std::uint8_t>(row), static_cast<std::uint8_t>(col)};
}

template <int kElementBytes, int kDepth>
constexpr FragmentMap<kElementBytes, kDepth> make_fragment_map() {
  using Map = FragmentMap<kElementBytes, kDepth>;
  constexpr int e = Map::kPerRegister;
  Map map;
  for (int lane = 0; lane < 32; ++lane) {
    const int group = lane / 4, member = lane % 4;
    for (int r = 0; r < Map::kRegistersA; ++r)
      for (int i = 0; i < e; ++i)
        map.a[lane][r * e + i] = coordinate(group + 8 * (r & 1), 4 * e * (r >> 1) + e * member + i);
    for (int r = 0; r < Map::kRegistersB; ++r)
      for (int i = 0; i < e; ++i)
        map.b[lane][r * e + i] = coordinate(4 * e * r + e * member + i, group);
  }
  return map;
}

constexpr std::array<std::array<Coordinate, 4>, 32> make_accumulator_map() {
  std::array<std::array<Coordinate, 4>, 32> map{};
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i)
      map[lane][i] = coordinate(lane / 4 + 8 * (i >> 1), 2 * (lane % 4) + (i & 1));
  return map;
}

constexpr std::array<std::array<Coordinate, 2>, 32> make_load_map(bool transposed) {
  std::array<std::array<Coordinate, 2>, 32> map{};
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 2; ++i) {
      const int line = lane / 4, along = 2 * (lane % 4) + i;
      map[lane][i] = transposed ? coordinate(along, line) : coordinate(line, along);
    }
  return map;
}

}  // namespace detail

/// Operand elements by lane and position, for elements of 4 (k 8), 2 (k 8, 16) and 1 byte (k 16,
/// 32).
template <int kElementBytes, int kDepth>
inline constexpr FragmentMap<kElementBytes, kDepth> kFragments =
    detail::make_fragment_map<kElementBytes, kDepth>();

/// Accumulator elements of every m16n8 shape.
inline constexpr std::array<std::array<Coordinate, 4>, 32> kAccumulatorFragment =
    detail::make_accumulator_map();

/// The two elements of an 8 x 8 matrix of 16-bit elements that ldmatrix gives a lane in one
/// register; .trans. Rows of matrix i are at the addresses of lanes 8 i, ..., 8 i + 7.
inline constexpr std::array<std::array<Coordinate, 2>, 32> kLoadFragment =
    detail::make_load_map(false);
inline constexpr std::array<std::array<Coordinate, 2>, 32> kLoadTransposedFragment =
    detail::make_load_map(true);

/// Row and column of accumulator element `i` of the calling lane, in device code.
WM_HOST_DEVICE constexpr int accumulator_row(int lane, int i) { return lane / 4 + 8 * (i / 2); }
WM_HOST_DEVICE constexpr int accumulator_col(int lane, int i) { return 2 * (lane % 4) + i % 2; }

}  // namespace wm
