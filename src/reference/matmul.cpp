#include "reference/matmul.hpp"

#include <Eigen/Core>

#include "reference/activation_math.hpp"
#include "reference/parallel.hpp"

namespace wm {
namespace {

// Output tile of a task; a function of nothing, so results are the same for any thread count.
constexpr std::int64_t kTileRows = 128;
constexpr std::int64_t kTileColumns = 256;

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using ConstView = Eigen::Map<const Matrix<T>, 0, Eigen::OuterStride<>>;
template <class T>
using View = Eigen::Map<Matrix<T>, 0, Eigen::OuterStride<>>;

/// out = op(a) op(b) for one tile of one batch entry, rows x columns at (row, column).
template <class T>
void tile_product(const MatmulProblem& p, const T* a, const T* b, std::int64_t row,
                  std::int64_t column, View<T>& out) {
  const std::int64_t rows = out.rows();
  const std::int64_t columns = out.cols();
  const auto times_b = [&](const auto& left) {
    if (p.transpose_b) {
      const ConstView<T> right(b + column * p.k, columns, p.k, Eigen::OuterStride<>(p.k));
      out.noalias() = left * right.transpose();
    } else {
      out.noalias() = left * ConstView<T>(b + column, p.k, columns, Eigen::OuterStride<>(p.n));
    }
  };
  if (p.transpose_a) {
    times_b(ConstView<T>(a + row, p.k, rows, Eigen::OuterStride<>(p.m)).transpose());
  } else {
    times_b(ConstView<T>(a + row * p.k, rows, p.k, Eigen::OuterStride<>(p.k)));
  }
}

template <class T>
void matmul_sums(const MatmulProblem& p, const T* a, const T* b, T* out) {
  const std::int64_t row_tiles = (p.m + kTileRows - 1) / kTileRows;
  const std::int64_t column_tiles = (p.n + kTileColumns - 1) / kTileColumns;
  parallel_for(p.batch * row_tiles * column_tiles, [&](std::int64_t task) {
    const std::int64_t column = task % column_tiles * kTileColumns;
    const std::int64_t row = task / column_tiles % row_tiles * kTileRows;
    const std::int64_t entry = task / column_tiles / row_tiles;
    View<T> tile(out + (entry * p.m + row) * p.n + column, std::min(kTileRows, p.m - row),
                 std::min(kTileColumns, p.n - column), Eigen::OuterStride<>(p.n));
    tile_product(p, a + entry * p.m * p.k, b + entry * p.k * p.n, row, column, tile);
  });
}

template <class T>
ValuesAndMagnitudes matmul_in(const MatmulProblem& p, const MatmulArrays& arrays) {
  const auto count = static_cast<std::size_t>(p.batch * p.m * p.n);
  const auto kernel = [&]<class U>(const U* a, const U* b, U* out) { matmul_sums(p, a, b, out); };
  const Sums<T> sums =
      sums_of_products<T>(arrays.a, arrays.b, count, static_cast<double>(p.k), kernel);
  const double act_alpha = default_alpha(p.act);
  const double act_beta = default_beta(p.act);
  ValuesAndMagnitudes result{std::vector<double>(count), std::vector<double>(count)};
  for (std::size_t i = 0; i < count; ++i) {
    T value = T(p.alpha) * sums.value[i];
    T magnitude = std::abs(T(p.alpha)) * sums.magnitude[i];
    const auto add = [&](T term) {
      value += term;
      magnitude += std::abs(term);
    };
    if (p.beta != 0) add(T(p.beta) * arrays.c[i]);
    if (p.bias) add(arrays.bias[i % static_cast<std::size_t>(p.n)]);
    result.value[i] = static_cast<double>(activation<T>(p.act, act_alpha, act_beta, value).value);
    result.magnitude[i] = static_cast<double>(magnitude * (1 + T(0x1p-50)));  // rounding up
  }
  return result;
}

}  // namespace

ValuesAndMagnitudes matmul_reference(const MatmulProblem& problem, const MatmulArrays& arrays,
                                     bool wide) {
  return wide ? matmul_in<long double>(problem, arrays) : matmul_in<double>(problem, arrays);
}

}  // namespace wm
