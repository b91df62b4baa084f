// Bank conflicts. Words are 4 bytes, word w stands in bank w % 32; t is the lane.
#include "counted.cuh"

namespace wm::WM_FLAVOUR {
namespace {

__device__ inline int thread() { return static_cast<int>(threadIdx.x); }

/// Lane t writes word kStride * t, then reads the word of lane 31 - t.
template <int kStride>
__global__ void stride_kernel(float* data) {
  WM_SHARED(float, tile, [32 * kStride]);
  tile[kStride * thread()] = 1.0F;
  __syncthreads();
  data[kOut + thread()] = tile[kStride * (31 - thread())];
}

/// Lane t reads word t / 16: two words, each by half the warp.
__global__ void shared_broadcast_kernel(float* data) {
  WM_SHARED(float, tile, [2]);
  if (thread() == 0) tile[0] = tile[1] = 1.0F;
  __syncthreads();
  data[kOut + thread()] = tile[thread() / 16];
}

/// Vectors of kWidth floats, kStride vectors apart.
template <int kWidth, int kStride>
__global__ void vector_tile_kernel(float* data) {
  using Group = Vec<float, kWidth>;
  WM_SHARED(Group, tile, [32 * kStride]);
  store_vec(tile[kStride * thread()].v, Group{});
  __syncthreads();
  data[kOut + thread()] = load_vec<kWidth>(tile[kStride * (31 - thread())].v)[0];
}

/// 16-bit elements, kPitch apart: a column of a tile with rows of kPitch.
template <int kPitch>
__global__ void half_column_kernel(float* data) {
  WM_SHARED(unsigned short, tile, [32 * kPitch]);
  tile[kPitch * thread()] = 1;
  __syncthreads();
  data[kOut + thread()] = tile[kPitch * (31 - thread())];
}

/// Pairs of 16-bit elements.
__global__ void half2_kernel(float* data) {
  using Pair = Vec<f16, 2>;
  WM_SHARED(Pair, tile, [32]);
  store_vec(tile[thread()].v, Pair{});
  __syncthreads();
  store_vec(reinterpret_cast<f16*>(data + kOut + thread()), load_vec<2>(tile[31 - thread()].v));
}

/// 32 x 32 elements by 8 warps: rows in, columns out.
template <int kPitch>
__global__ void transpose_kernel(float* data) {
  WM_SHARED(float, tile, [32][kPitch]);
  const int x = thread(), y0 = static_cast<int>(threadIdx.y);
  for (int y = y0; y < 32; y += 8) tile[y][x] = data[32 * y + x];
  __syncthreads();
  for (int y = y0; y < 32; y += 8) data[kOut + 32 * y + x] = tile[x][y];
}

__global__ void racy_kernel(float* data) {
  WM_SHARED(float, tile, [64]);
  tile[thread()] = 1.0F;
  data[kOut + thread()] = tile[63 - thread()];
}

}  // namespace

void register_kernels_shared(Catalog& catalog);
void register_kernels_shared(Catalog& catalog) {
  WM_COUNTED("shared_1", 1, 32, stride_kernel<1>);
  WM_COUNTED("shared_2", 1, 32, stride_kernel<2>);
  WM_COUNTED("shared_4", 1, 32, stride_kernel<4>);
  WM_COUNTED("shared_32", 1, 32, stride_kernel<32>);
  WM_COUNTED("shared_33", 1, 32, stride_kernel<33>);
  WM_COUNTED("shared_broadcast", 1, 32, shared_broadcast_kernel);
  WM_COUNTED("shared_float2", 1, 32, vector_tile_kernel<2, 1>);
  WM_COUNTED("shared_float2_apart", 1, 32, vector_tile_kernel<2, 2>);
  WM_COUNTED("shared_float4", 1, 32, vector_tile_kernel<4, 1>);
  WM_COUNTED("shared_float4_apart", 1, 32, vector_tile_kernel<4, 2>);
  WM_COUNTED("shared_half", 1, 32, half_column_kernel<1>);
  WM_COUNTED("shared_half_column", 1, 32, half_column_kernel<64>);
  WM_COUNTED("shared_half2", 1, 32, half2_kernel);
  WM_COUNTED("transpose", 1, dim3(32, 8), transpose_kernel<32>);
  WM_COUNTED("transpose_padded", 1, dim3(32, 8), transpose_kernel<33>);
  WM_COUNTED("racy", 1, 64, racy_kernel);
}

}  // namespace wm::WM_FLAVOUR
