#pragma once
// What every matmul kernel gets: pointers, run-time strides (a transpose is a pair of swapped
// strides), sizes and the epilogue; and the host code that makes it from a problem.
#include <cstdint>
#include <limits>
#include <string>

#include "gpu/kernel.hpp"
#include "kernels/common/activation_error.cuh"
#include "kernels/common/epilogue.cuh"
#include "ops/matmul.hpp"
#include "registry/register.hpp"

namespace wm::WM_FLAVOUR {

/// Element strides of a batch of matrices: a (m, k), b (k, n), c and d (m, n).
struct MatrixStrides {
  std::int64_t batch = 0, row = 0, col = 0;
  WM_HOST_DEVICE std::int64_t at(std::int64_t b, std::int64_t r, std::int64_t c) const {
    return b * batch + r * row + c * col;
  }
};

template <class T>
struct MatmulArgs {
  using Acc = acc_t<T>;
  std::int64_t batch = 1, m = 1, n = 1, k = 1;
  const T* a = nullptr;
  const T* b = nullptr;
  T* d = nullptr;
  MatrixStrides a_strides, b_strides, c_strides, d_strides;
  std::int64_t bias_stride = 0;
  Epilogue<T> epilogue;

  __device__ Acc blend(std::int64_t batch_index, std::int64_t row, std::int64_t col,
                       Acc sum) const {
    return epilogue.blend(sum, c_strides.at(batch_index, row, col), 0, col * bias_stride);
  }
  __device__ void store(std::int64_t batch_index, std::int64_t row, std::int64_t col,
                        Acc sum) const {
    d[d_strides.at(batch_index, row, col)] =
        epilogue.finish(sum, c_strides.at(batch_index, row, col), 0, col * bias_stride);
  }
};

inline MatrixStrides matrix_strides(const TensorDesc& desc, bool transposed) {
  const Dims& s = desc.strides;
  return transposed ? MatrixStrides{s[0], s[2], s[1]} : MatrixStrides{s[0], s[1], s[2]};
}

template <class T>
MatmulArgs<T> matmul_args(const Problem& problem, const LaunchArgs& args) {
  using Acc = acc_t<T>;
  const auto& p = problem.as<MatmulProblem>();
  const TensorArg& d = args.tensor("d");
  MatmulArgs<T> out{.batch = p.batch, .m = p.m, .n = p.n, .k = p.k};
  out.a = args.data<T>("a");
  out.b = args.data<T>("b");
  out.d = static_cast<T*>(d.data);
  out.a_strides = matrix_strides(*args.tensor("a").desc, p.transpose_a);
  out.b_strides = matrix_strides(*args.tensor("b").desc, p.transpose_b);
  out.d_strides = matrix_strides(*d.desc, false);
  Epilogue<T>& epilogue = out.epilogue;
  epilogue.alpha = static_cast<Acc>(p.alpha);
  if (p.beta != 0) {
    const TensorArg& c = args.tensor("c");
    epilogue.beta = static_cast<Acc>(p.beta);
    epilogue.prior = static_cast<const T*>(c.data);
    out.c_strides = matrix_strides(*c.desc, false);
  }
  if (p.bias) {
    const TensorArg& bias = args.tensor("bias");
    epilogue.bias = static_cast<const T*>(bias.data);
    out.bias_stride = bias.desc->strides.back();
  }
  epilogue.act = p.act;
  epilogue.act_alpha = static_cast<Acc>(default_alpha(p.act));
  epilogue.act_beta = static_cast<Acc>(default_beta(p.act));
  return out;
}

/// Where a block's tile lies. Tiles are numbered in bands of kBand rows of tiles, down each column
/// of the band first, so that blocks that run together share operands in the L2 cache.
struct TileGrid {
  unsigned tiles_m = 0, tiles_n = 0;
  static constexpr unsigned kBand = 8;

  struct Tile {
    unsigned batch, m, n;
  };
  __device__ Tile tile(unsigned index) const {
    const unsigned in_batch = tiles_m * tiles_n;
    const unsigned batch = index / in_batch;
    const unsigned rest = index - batch * in_batch;
    const unsigned band = rest / (kBand * tiles_n);
    const unsigned rows = wm::min(tiles_m - band * kBand, kBand);
    const unsigned in_band = rest - band * kBand * tiles_n;
    return {batch, band * kBand + in_band % rows, in_band / rows};
  }
};

inline TileGrid tile_grid(const MatmulProblem& p, std::int64_t block_m, std::int64_t block_n) {
  return {static_cast<unsigned>(wm::ceil_div(p.m, block_m)),
          static_cast<unsigned>(wm::ceil_div(p.n, block_n))};
}
inline std::int64_t tile_count(const MatmulProblem& p, std::int64_t block_m, std::int64_t block_n) {
  return p.batch * wm::ceil_div(p.m, block_m) * wm::ceil_div(p.n, block_n);
}

/// Ok, or that the grid of `blocks` blocks cannot be launched in one dimension.
inline Support grid_support(std::int64_t blocks) {
  constexpr std::int64_t kLimit = std::numeric_limits<std::int32_t>::max();
  if (blocks <= kLimit) return Support::yes();
  return Support::no(std::to_string(blocks) + " blocks: at most " + std::to_string(kLimit));
}

/// The claims shared by the family: one chain of `tree_height` fused multiply-adds and additions.
template <class T>
Claims matmul_claims(const MatmulProblem& p, double tree_height) {
  Claims claims;
  claims.acc = dtype_of<acc_t<T>>;
  claims.tree_height = tree_height;
  claims.function_ulp = activation_value_ulp(p.act);
  return claims;
}

/// One-line registration of a variant for T.
template <class T>
Variant matmul_variant(const std::string& algorithm, std::string summary) {
  Variant variant;
  variant.id = variant_id<T>("matmul", algorithm);
  variant.summary = std::move(summary);
  return variant;
}

}  // namespace wm::WM_FLAVOUR
