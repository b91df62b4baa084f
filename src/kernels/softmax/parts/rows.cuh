#pragma once
// Rows of a softmax in memory, for any layout: where row r and its element i lie in each tensor,
// and how threads move pieces of a row.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gpu/kernel.hpp"
#include "ops/softmax.hpp"
#include "registry/register.hpp"

namespace wm::WM_FLAVOUR {

/// An index over up to three dimensions, innermost fastest, and its offset in each tensor.
/// Dimensions are in the memory order of the first tensor and merged where all tensors allow.
template <int kTensors>
struct IndexMap {
  unsigned middle = 1, inner = 1;
  bool linear = true;  ///< only the innermost dimension is left
  std::int64_t strides[kTensors][3] = {};

  __device__ std::int64_t offset(int tensor, unsigned i) const {
    const std::int64_t* stride = strides[tensor];
    if (linear) return i * stride[2];
    const unsigned line = i / inner;
    const unsigned plane = line / middle;
    return plane * stride[0] + (line - plane * middle) * stride[1] + (i - line * inner) * stride[2];
  }
};

/// The tensors of a softmax as rows of elements. Tensor 0 is the first input, the last the output.
template <class T, int kTensors>
struct Rows {
  unsigned rows = 0, length = 0;
  IndexMap<kTensors> row, element;
  T* data[kTensors] = {};
  /// Neighbouring rows are nearer in memory than neighbouring elements.
  bool rows_fastest = false;
  /// Pieces of kPiece elements are aligned vectors.
  bool vector[kTensors] = {};
};

/// Elements that move together when lanes lie along a row.
template <class T>
inline constexpr int kPiece = 16 / static_cast<int>(sizeof(T));

/// One row, tensor by tensor.
template <class T, int kTensors>
class Row {
 public:
  using Acc = acc_t<T>;
  __device__ Row(const Rows<T, kTensors>& rows, unsigned row) : rows_(rows) {
    WM_UNROLL
    for (int t = 0; t < kTensors; ++t) data_[t] = rows.data[t] + rows.row.offset(t, row);
  }

  __device__ Acc load(int tensor, unsigned i) const {
    return to_acc(data_[tensor][rows_.element.offset(tensor, i)]);
  }
  __device__ void store(int tensor, unsigned i, Acc value) const {
    data_[tensor][rows_.element.offset(tensor, i)] = from_acc<T>(value);
  }

  /// Elements [first, first + kPiece) of the row; `fill` past its end.
  __device__ void load_piece(int tensor, unsigned first, Acc* values, Acc fill) const {
    if (rows_.vector[tensor] && first + kPiece<T> <= rows_.length) {
      const Vec<T, kPiece<T>> piece = load_vec<kPiece<T>>(data_[tensor] + first);
      WM_UNROLL
      for (int v = 0; v < kPiece<T>; ++v) values[v] = to_acc(piece[v]);
    } else {
      WM_UNROLL
      for (int v = 0; v < kPiece<T>; ++v) {
        const unsigned i = first + static_cast<unsigned>(v);
        values[v] = i < rows_.length ? load(tensor, i) : fill;
      }
    }
  }
  __device__ void store_piece(int tensor, unsigned first, const Acc* values) const {
    if (rows_.vector[tensor] && first + kPiece<T> <= rows_.length) {
      Vec<T, kPiece<T>> piece;
      WM_UNROLL
      for (int v = 0; v < kPiece<T>; ++v) piece[v] = from_acc<T>(values[v]);
      store_vec(data_[tensor] + first, piece);
    } else {
      WM_UNROLL
      for (int v = 0; v < kPiece<T>; ++v) {
        const unsigned i = first + static_cast<unsigned>(v);
        if (i < rows_.length) store(tensor, i, values[v]);
      }
    }
  }

 private:
  const Rows<T, kTensors>& rows_;
  T* data_[kTensors];
};

/// A dimension with its stride in each tensor.
template <int kTensors>
struct Dimension {
  std::int64_t extent = 1;
  std::array<std::int64_t, kTensors> strides{};
};

template <int kTensors>
IndexMap<kTensors> index_map(std::vector<Dimension<kTensors>> dims) {
  std::erase_if(dims, [](const auto& dim) { return dim.extent == 1; });
  std::stable_sort(dims.begin(), dims.end(),
                   [](const auto& a, const auto& b) { return a.strides[0] > b.strides[0]; });
  std::vector<Dimension<kTensors>> merged;
  for (const auto& dim : dims) {
    bool joins = !merged.empty();
    for (std::size_t t = 0; joins && t < kTensors; ++t)
      joins = merged.back().strides[t] == dim.strides[t] * dim.extent;
    if (joins) {
      merged.back().extent *= dim.extent;
      merged.back().strides = dim.strides;
    } else {
      merged.push_back(dim);
    }
  }
  while (merged.size() < 3) merged.insert(merged.begin(), Dimension<kTensors>{});
  IndexMap<kTensors> map;
  map.middle = static_cast<unsigned>(merged[1].extent);
  map.inner = static_cast<unsigned>(merged[2].extent);
  map.linear = merged[0].extent == 1 && merged[1].extent == 1;
  for (std::size_t t = 0; t < kTensors; ++t) {
    for (std::size_t d = 0; d < 3; ++d) map.strides[t][d] = merged[d].strides[t];
  }
  return map;
}

/// The dimensions of rows (`of_rows`) or of elements within a row.
template <std::size_t kTensors>
std::vector<Dimension<static_cast<int>(kTensors)>> softmax_dimensions(
    const SoftmaxProblem& p, const std::array<const TensorDesc*, kTensors>& descs, bool of_rows) {
  std::vector<Dimension<static_cast<int>(kTensors)>> dims;
  for (std::size_t d = 0; d < 4; ++d) {
    const bool is_row = d == 0 || (!p.instance && d != 1);
    if (is_row != of_rows) continue;
    Dimension<static_cast<int>(kTensors)> dim;
    dim.extent = descs[0]->dims[d];
    for (std::size_t t = 0; t < kTensors; ++t) dim.strides[t] = descs[t]->strides[d];
    dims.push_back(dim);
  }
  return dims;
}

/// Whether neighbouring rows of the tensor are nearer in memory than neighbouring elements: a
/// property of the problem, so that the order of summation never depends on an address.
inline bool rows_fastest(const SoftmaxProblem& p, const TensorDesc& desc) {
  const std::array<const TensorDesc*, 1> one{&desc};
  const IndexMap<1> row = index_map<1>(softmax_dimensions(p, one, true));
  const IndexMap<1> element = index_map<1>(softmax_dimensions(p, one, false));
  return row.inner > 1 && element.inner > 1 && row.strides[0][2] < element.strides[0][2];
}

template <class T, std::size_t kTensors>
auto softmax_rows(const Problem& problem, const LaunchArgs& args,
                  const std::array<const char*, kTensors>& names) {
  constexpr int kCount = static_cast<int>(kTensors);
  const auto& p = problem.as<SoftmaxProblem>();
  std::array<const TensorDesc*, kTensors> descs;
  Rows<T, kCount> rows;
  for (std::size_t t = 0; t < kTensors; ++t) {
    const TensorArg& arg = args.tensor(names[t]);
    descs[t] = arg.desc;
    rows.data[t] = static_cast<T*>(arg.data);
  }
  rows.rows = static_cast<unsigned>(p.rows());
  rows.length = static_cast<unsigned>(p.length());
  rows.row = index_map<kCount>(softmax_dimensions(p, descs, true));
  rows.element = index_map<kCount>(softmax_dimensions(p, descs, false));
  rows.rows_fastest = rows_fastest(p, *descs[0]);
  for (int t = 0; t < kCount; ++t) {
    bool vector = rows.element.linear && rows.element.strides[t][2] == 1 &&
                  is_aligned(rows.data[t], sizeof(T) * kPiece<T>);
    for (const std::int64_t stride : rows.row.strides[t]) vector &= stride % kPiece<T> == 0;
    rows.vector[t] = vector;
  }
  return rows;
}

inline constexpr std::array<const char*, 2> kForwardTensors{"x", "y"};
inline constexpr std::array<const char*, 3> kBackwardTensors{"y", "dy", "dx"};

/// Indices of rows and elements have 32 bits.
inline Support softmax_support(const Problem& problem) {
  constexpr std::int64_t kLimit = std::numeric_limits<std::int32_t>::max() - 1024;
  const auto& p = problem.as<SoftmaxProblem>();
  if (p.rows() > kLimit)
    return Support::no(std::to_string(p.rows()) + " rows: at most " + std::to_string(kLimit));
  if (p.length() > kLimit)
    return Support::no("rows of " + std::to_string(p.length()) + ": at most " +
                       std::to_string(kLimit));
  return Support::yes();
}

template <class T>
Claims softmax_claims(double tree_height) {
  Claims claims;
  claims.acc = dtype_of<acc_t<T>>;
  claims.tree_height = tree_height;
  claims.exp_ulp = kExpUlp<acc_t<T>>;
  claims.function_ulp = kLogUlp<acc_t<T>>;
  return claims;
}

/// Rounded additions in a thread that sums `terms` forward or backward: the first addition to zero
/// is exact; backward (not log) sums fused products, whose first rounds the product.
inline double thread_height(const SoftmaxProblem& p, std::int64_t terms) {
  const bool products = p.backward && p.kind != SoftmaxKind::log;
  return static_cast<double>(products ? terms : terms - 1);
}

/// What follows the sum, forward: `shifted` is x less the row's maximum (fast: x).
template <class Acc>
__device__ inline Acc softmax_output(SoftmaxKind kind, Acc shifted, Acc sum, Acc log_sum) {
  return kind == SoftmaxKind::log ? shifted - log_sum : wm::exp(shifted) / sum;
}
/// `probability` is y, or exp(y) where y is a logarithm.
template <class Acc>
__device__ inline Acc softmax_gradient(SoftmaxKind kind, Acc probability, Acc dy, Acc sum) {
  return kind == SoftmaxKind::log ? wm::fma(-probability, sum, dy) : probability * (dy - sum);
}
/// Adds an element's term to the backward sum.
template <class Acc>
__device__ inline Acc add_gradient_term(SoftmaxKind kind, Acc y, Acc dy, Acc sum) {
  return kind == SoftmaxKind::log ? sum + dy : wm::fma(dy, y, sum);
}

template <class Acc>
inline constexpr Acc kMinusInfinity = -std::numeric_limits<Acc>::infinity();

}  // namespace wm::WM_FLAVOUR
