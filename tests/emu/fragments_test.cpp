// The fragment table against two transcriptions of its own: the PTX ISA's formulas, element by
// element, and the strided layouts of CuTe's MMA traits (offset = lane and value coordinates times
// strides, in a column-major matrix).
#include <gtest/gtest.h>

#include <vector>

#include "gpu/fragments.hpp"

namespace wm {
namespace {

Coordinate at(int row, int col) {
  return {static_cast<std::uint8_t>(row), static_cast<std::uint8_t>(col)};
}

struct PtxLane {
  int group, member;
  explicit PtxLane(int lane) : group(lane >> 2), member(lane % 4) {}
};

/// "Matrix Fragments for mma.m16n8k8", .f16 and .bf16.
Coordinate ptx_a_k8(int lane, int i) {
  const PtxLane p(lane);
  const bool upper = i == 0 || i == 1;
  return at(upper ? p.group : p.group + 8, p.member * 2 + (i & 1));
}
Coordinate ptx_b_k8(int lane, int i) {
  const PtxLane p(lane);
  return at(p.member * 2 + i, p.group);
}

/// "Matrix Fragments for mma.m16n8k8", .tf32.
Coordinate ptx_a_tf32(int lane, int i) {
  const PtxLane p(lane);
  const bool upper = i == 0 || i == 2, left = i == 0 || i == 1;
  return at(upper ? p.group : p.group + 8, left ? p.member : p.member + 4);
}
Coordinate ptx_b_tf32(int lane, int i) {
  const PtxLane p(lane);
  return at(i == 0 ? p.member : p.member + 4, p.group);
}

/// "Matrix Fragments for mma.m16n8k16 with floating point type".
Coordinate ptx_a_k16(int lane, int i) {
  const PtxLane p(lane);
  const bool upper = (0 <= i && i < 2) || (4 <= i && i < 6);
  const int col = p.member * 2 + (i & 1);
  return at(upper ? p.group : p.group + 8, i < 4 ? col : col + 8);
}
Coordinate ptx_b_k16(int lane, int i) {
  const PtxLane p(lane);
  const int row = p.member * 2 + (i & 1);
  return at(i < 2 ? row : row + 8, p.group);
}

/// "Matrix Fragments for mma.m16n8k16 with integer type".
Coordinate ptx_a_byte_k16(int lane, int i) {
  const PtxLane p(lane);
  return at(i < 4 ? p.group : p.group + 8, p.member * 4 + (i & 3));
}
Coordinate ptx_b_byte_k16(int lane, int i) {
  const PtxLane p(lane);
  return at(p.member * 4 + i, p.group);
}

/// "Matrix Fragments for mma.m16n8k32", .s8, .e4m3, .e5m2.
Coordinate ptx_a_byte_k32(int lane, int i) {
  const PtxLane p(lane);
  const bool upper = (0 <= i && i < 4) || (8 <= i && i < 12);
  const int col = p.member * 4 + (i & 3);
  return at(upper ? p.group : p.group + 8, i < 8 ? col : col + 16);
}
Coordinate ptx_b_byte_k32(int lane, int i) {
  const PtxLane p(lane);
  const int row = p.member * 4 + (i & 3);
  return at(i < 4 ? row : row + 16, p.group);
}

Coordinate ptx_c(int lane, int i) {
  const PtxLane p(lane);
  return at(i < 2 ? p.group : p.group + 8, p.member * 2 + (i & 1));
}

/// A value index split over `shape`, each digit times its stride; lanes are split 4 x 8.
struct Strided {
  int rows;  ///< of the column-major matrix
  int member_stride, group_stride;
  std::vector<int> shape, strides;

  Coordinate operator()(int lane, int value) const {
    int offset = lane % 4 * member_stride + lane / 4 * group_stride;
    for (std::size_t digit = 0; digit < shape.size(); ++digit) {
      offset += value % shape[digit] * strides[digit];
      value /= shape[digit];
    }
    return at(offset % rows, offset / rows);
  }
};

/// B stands as (n, k) there.
struct StridedB {
  Strided layout;
  Coordinate operator()(int lane, int value) const {
    const Coordinate c = layout(lane, value);
    return at(c.col, c.row);
  }
};

const Strided kStridedC{16, 32, 1, {2, 2}, {16, 8}};

template <class Lanes, class First, class Second>
void expect_equal(const Lanes& lanes, First&& ptx, Second&& strided) {
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < static_cast<int>(lanes[lane].size()); ++i) {
      EXPECT_EQ(lanes[lane][i], ptx(lane, i)) << "lane " << lane << " element " << i;
      EXPECT_EQ(lanes[lane][i], strided(lane, i)) << "lane " << lane << " element " << i;
    }
  }
}

TEST(Fragments, SixteenBitDepth8) {
  const auto& map = kFragments<2, 8>;
  expect_equal(map.a, ptx_a_k8, Strided{16, 32, 1, {2, 2}, {16, 8}});
  expect_equal(map.b, ptx_b_k8, StridedB{{8, 16, 1, {2}, {8}}});
}

TEST(Fragments, SixteenBitDepth16) {
  const auto& map = kFragments<2, 16>;
  expect_equal(map.a, ptx_a_k16, Strided{16, 32, 1, {2, 2, 2}, {16, 8, 128}});
  expect_equal(map.b, ptx_b_k16, StridedB{{8, 16, 1, {2, 2}, {8, 64}}});
}

TEST(Fragments, Tf32Depth8) {
  const auto& map = kFragments<4, 8>;
  expect_equal(map.a, ptx_a_tf32, Strided{16, 16, 1, {2, 2}, {8, 64}});
  expect_equal(map.b, ptx_b_tf32, StridedB{{8, 8, 1, {2}, {32}}});
}

TEST(Fragments, BytesDepth16) {
  const auto& map = kFragments<1, 16>;
  expect_equal(map.a, ptx_a_byte_k16, Strided{16, 64, 1, {4, 2}, {16, 8}});
  expect_equal(map.b, ptx_b_byte_k16, StridedB{{8, 32, 1, {4}, {8}}});
}

TEST(Fragments, BytesDepth32) {
  const auto& map = kFragments<1, 32>;
  expect_equal(map.a, ptx_a_byte_k32, Strided{16, 64, 1, {4, 2, 2}, {16, 8, 256}});
  expect_equal(map.b, ptx_b_byte_k32, StridedB{{8, 32, 1, {4, 2}, {8, 128}}});
}

TEST(Fragments, Accumulators) {
  expect_equal(kAccumulatorFragment, ptx_c, kStridedC);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(at(accumulator_row(lane, i), accumulator_col(lane, i)), ptx_c(lane, i));
}

/// ldmatrix: "each row is held by four consecutive threads, two elements each"; CuTe's
/// SM75_U32x1_LDSM_N: thread (4, 8) x value 2 -> bits of a row-major 8 x 8 matrix of 16-bit
/// elements.
TEST(Fragments, MatrixLoads) {
  const auto ptx = [](int lane, int i) { return at(lane / 4, lane % 4 * 2 + i); };
  const auto strided = [](int lane, int i) {
    const int bit = lane % 4 * 32 + lane / 4 * 128 + i * 16;
    return at(bit / 128, bit % 128 / 16);
  };
  expect_equal(kLoadFragment, ptx, strided);
  const auto turned = [](auto&& map) {
    return [map](int lane, int i) {
      const Coordinate c = map(lane, i);
      return at(c.col, c.row);
    };
  };
  expect_equal(kLoadTransposedFragment, turned(ptx), turned(strided));
}

/// Every element of a matrix is held exactly once.
template <class Lanes>
void expect_partition(const Lanes& lanes, int rows, int cols) {
  std::vector<int> held(static_cast<std::size_t>(rows * cols));
  for (const auto& lane : lanes)
    for (const Coordinate& c : lane) {
      ASSERT_TRUE(c.row < rows && c.col < cols);
      ++held[static_cast<std::size_t>(c.row * cols + c.col)];
    }
  EXPECT_EQ(held, std::vector<int>(held.size(), 1));
}

TEST(Fragments, HoldEveryElementOnce) {
  expect_partition(kFragments<2, 8>.a, 16, 8);
  expect_partition(kFragments<2, 8>.b, 8, 8);
  expect_partition(kFragments<2, 16>.a, 16, 16);
  expect_partition(kFragments<2, 16>.b, 16, 8);
  expect_partition(kFragments<4, 8>.a, 16, 8);
  expect_partition(kFragments<4, 8>.b, 8, 8);
  expect_partition(kFragments<1, 16>.a, 16, 16);
  expect_partition(kFragments<1, 16>.b, 16, 8);
  expect_partition(kFragments<1, 32>.a, 16, 32);
  expect_partition(kFragments<1, 32>.b, 32, 8);
  expect_partition(kAccumulatorFragment, 16, 8);
  expect_partition(kLoadFragment, 8, 8);
  expect_partition(kLoadTransposedFragment, 8, 8);
}

}  // namespace
}  // namespace wm
