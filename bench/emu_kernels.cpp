// Register-tiled SGEMM: a block of 256 threads computes a 128x128 tile, a thread 8x8 of it as four
// 4x4 quarters 64 rows (columns) apart; tiles of depth 8 in shared memory, depth-major.
#include "emu_kernels.hpp"

#include "gpu/kernel.hpp"

namespace wm::bench {
namespace {

constexpr int kTile = 128;
constexpr int kDepth = 8;

__device__ inline void multiply_step(const float* a_row, const float* b_row, float (&acc)[8][8]) {
  float a[8], b[8];
  WM_UNROLL
  for (int half = 0; half < 2; ++half) {
    const auto a4 = load_vec<4>(a_row + 64 * half);
    const auto b4 = load_vec<4>(b_row + 64 * half);
    WM_UNROLL
    for (int i = 0; i < 4; ++i) {
      a[4 * half + i] = a4[i];
      b[4 * half + i] = b4[i];
    }
  }
  WM_UNROLL
  for (int i = 0; i < 8; ++i) {
    WM_UNROLL
    for (int j = 0; j < 8; ++j) acc[i][j] = wm::fma(a[i], b[j], acc[i][j]);
  }
}

__global__ void __launch_bounds__(256)
    sgemm_kernel(const float* a, const float* b, float* c, int size) {
  WM_SHARED(float, tile_a, [kDepth][kTile + 4]);
  WM_SHARED(float, tile_b, [kDepth][kTile + 4]);
  const int t = static_cast<int>(threadIdx.x);
  const int row0 = static_cast<int>(blockIdx.y) * kTile,
            col0 = static_cast<int>(blockIdx.x) * kTile;
  const int a_row = t / 2, a_depth = t % 2 * 4, b_depth = t / 32, b_col = t % 32 * 4;
  const int thread_row = t / 16 * 4, thread_col = t % 16 * 4;
  float acc[8][8] = {};
  for (int k = 0; k < size; k += kDepth) {
    const auto a4 = load_vec<4>(a + (row0 + a_row) * size + k + a_depth);
    const auto b4 = load_vec<4>(b + (k + b_depth) * size + col0 + b_col);
    WM_UNROLL
    for (int i = 0; i < 4; ++i) tile_a[a_depth + i][a_row] = a4[i];
    store_vec(&tile_b[b_depth][b_col], b4);
    __syncthreads();
    WM_UNROLL
    for (int kk = 0; kk < kDepth; ++kk)
      multiply_step(&tile_a[kk][thread_row], &tile_b[kk][thread_col], acc);
    __syncthreads();
  }
  WM_UNROLL
  for (int i = 0; i < 8; ++i) {
    const int row = row0 + thread_row + i / 4 * 64 + i % 4;
    WM_UNROLL
    for (int j = 0; j < 8; j += 4)
      store_vec(c + row * size + col0 + thread_col + j / 4 * 64,
                Vec<float, 4>{acc[i][j], acc[i][j + 1], acc[i][j + 2], acc[i][j + 3]});
  }
}

__global__ void __launch_bounds__(256) axpy_kernel(float factor, const float* x, float* y, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] = wm::fma(factor, x[i], y[i]);
}

}  // namespace

void sgemm(Stream stream, const float* a, const float* b, float* c, int size) {
  const auto tiles = static_cast<unsigned>(size / kTile);
  launch<sgemm_kernel>(LaunchShape{.grid = dim3(tiles, tiles), .block = dim3(256)}, stream, a, b, c,
                       size);
}

void axpy(Stream stream, float factor, const float* x, float* y, int n) {
  launch<axpy_kernel>(LaunchShape{.grid = dim3(static_cast<unsigned>(n / 256)), .block = dim3(256)},
                      stream, factor, x, y, n);
}

}  // namespace wm::bench
