// Atomics, warp operations, barriers, copies and matrix operations.
#include "counted.cuh"
#include "gpu/grid_sync.hpp"

namespace wm::WM_FLAVOUR {
namespace {

__device__ inline int thread() { return static_cast<int>(threadIdx.x); }

__global__ void one_counter_kernel(float* data) { atomicAdd(data, 1.0F); }

__global__ void spread_atomics_kernel(float* data) { atomicAdd(data + 2 * thread(), 1.0F); }

__global__ void histogram_kernel(float* data) {
  WM_SHARED(int, bins, [4]);
  if (thread() < 4) bins[thread()] = 0;
  __syncthreads();
  atomicAdd(&bins[thread() % 4], 1);
  __syncthreads();
  if (thread() < 4) data[kOut + thread()] = static_cast<float>(bins[thread()]);
}

__global__ void warp_kernel(float* data) {
  const float sum = warp_sum(1.0F);
  const unsigned votes = __ballot_sync(kFullMask, thread() % 2);
  __syncwarp();
  if (thread() == 0) data[kOut] = sum + static_cast<float>(votes);
}

__global__ void barriers_kernel(float*) {
  WM_NO_UNROLL
  for (int i = 0; i < 4; ++i) __syncthreads();
  __syncthreads_or(0);
}

__global__ void fence_kernel(float*) {
  __threadfence();
  __threadfence_block();
}

/// 16 bytes a lane; of lane 30 only 8 exist, of lane 31 none.
template <bool kTail>
__global__ void copy_async_kernel(float* data) {
  using Chunk = Vec<float, 4>;
  WM_SHARED(Chunk, tile, [32]);
  const int read = !kTail || thread() < 30 ? 16 : thread() == 30 ? 8 : 0;
  copy_async<16>(&tile[thread()], data + 4 * thread(), read);
  wait_all_copies();
}

/// Four matrices whose rows are kPitch bytes apart.
template <int kPitch>
__global__ void ldmatrix_kernel(float* data) {
  using Chunk = Vec<float, 4>;
  WM_SHARED(Chunk, tile, [32 * kPitch / 16]);
  std::uint32_t registers[4];
  load_matrix<4, false>(registers, &tile[thread() * kPitch / 16]);
  if (thread() == 0) data[kOut] = static_cast<float>(registers[0]);
}

__global__ void mma_kernel(float* data) {
  float d[4] = {};
  const std::uint32_t a[4] = {}, b[2] = {};
  WM_NO_UNROLL
  for (int i = 0; i < 3; ++i) Mma<MmaOperand::f16, 16>::multiply(d, a, b);
  if (thread() == 0) data[kOut] = d[0];
}

__global__ void cooperative_kernel(float* data) {
  grid_sync();
  data[kOut + 32 * static_cast<int>(blockIdx.x) + thread()] = 1.0F;
}

}  // namespace

void register_kernels_operations(Catalog& catalog);
void register_kernels_operations(Catalog& catalog) {
  WM_COUNTED("one_counter", 1, 32, one_counter_kernel);
  WM_COUNTED("spread_atomics", 1, 32, spread_atomics_kernel);
  WM_COUNTED("histogram", 1, 32, histogram_kernel);
  WM_COUNTED("warp_operations", 1, 64, warp_kernel);
  WM_COUNTED("barriers", 3, 64, barriers_kernel);
  WM_COUNTED("fences", 1, 32, fence_kernel);
  WM_COUNTED("copy_async", 1, 32, copy_async_kernel<false>);
  WM_COUNTED("copy_async_tail", 1, 32, copy_async_kernel<true>);
  WM_COUNTED("ldmatrix", 1, 32, ldmatrix_kernel<16>);
  WM_COUNTED("ldmatrix_rows_of_128", 1, 32, ldmatrix_kernel<128>);
  WM_COUNTED("ldmatrix_rows_of_144", 1, 32, ldmatrix_kernel<144>);
  WM_COUNTED("mma", 1, 64, mma_kernel);
  add_counted(catalog, "cooperative", [](float* data, Stream stream) {
    launch<cooperative_kernel>({.grid = dim3(2), .block = dim3(32), .cooperative = true}, stream,
                               data);
  });
}

}  // namespace wm::WM_FLAVOUR
