// Kernels with one race each. The lines of the two accesses carry the comments `first` and `second`
// with the kernel's name; the test looks for them.
#include "planted.cuh"

namespace wm::WM_FLAVOUR {
namespace {

__global__ void missing_barrier(int* data) {
  WM_SHARED(int, tile, [128]);
  tile[threadIdx.x] = 1;                        // missing_barrier: first
  data[threadIdx.x] = tile[127 - threadIdx.x];  // missing_barrier: second
}

// One pair among 1024 threads: the writer's turn is before the reader's.
__global__ void single_pair(int* data) {
  WM_SHARED(int, tile, [1024]);
  tile[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 77) tile[500] = 2;         // single_pair: first
  if (threadIdx.x == 901) data[0] = tile[500];  // single_pair: second
}

// The other order: the reader's turn is before the writer's.
__global__ void single_pair_reversed(int* data) {
  WM_SHARED(int, tile, [1024]);
  tile[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 77) data[0] = tile[500];  // single_pair_reversed: first
  if (threadIdx.x == 901) tile[500] = 2;       // single_pair_reversed: second
}

// Many readers, then one of them writes: an early reader in its own warp, others elsewhere.
__global__ void reader_writes(int* data) {
  WM_SHARED(int, tile, [4]);
  if (threadIdx.x == 0) tile[0] = 1;
  __syncthreads();
  data[threadIdx.x] = tile[0];          // reader_writes: first
  if (threadIdx.x == 255) tile[0] = 2;  // reader_writes: second
}

// The same thread index of two blocks, barriers in both.
__global__ void between_blocks(int* data) {
  __syncthreads();
  if (threadIdx.x == 3) data[9] = static_cast<int>(blockIdx.x);  // between_blocks: first second
  __syncthreads();
}

__global__ void missing_syncwarp(int* data) {
  WM_SHARED(int, tile, [32]);
  tile[threadIdx.x] = 1;  // missing_syncwarp: first
  const int lane = __shfl_sync(kFullMask, static_cast<int>(threadIdx.x), 31);
  data[threadIdx.x] = tile[lane - static_cast<int>(threadIdx.x)];  // missing_syncwarp: second
}

// __syncwarp over the wrong half of the lanes.
__global__ void partial_syncwarp(int* data) {
  WM_SHARED(int, tile, [32]);
  tile[threadIdx.x] = 1;  // partial_syncwarp: first
  __syncwarp(threadIdx.x < 16 ? 0xffffU : 0xffff0000U);
  data[threadIdx.x] = tile[threadIdx.x ^ 16];  // partial_syncwarp: second
}

// Reads a neighbour's element that the neighbour replaces.
__global__ void in_place_shift(int* data) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const int next = data[i + 1];  // in_place_shift: first
  data[i] = next + 1;            // in_place_shift: second
}

__global__ void plain_beside_atomic(int* data) {
  atomicAdd(&data[0], 1);                    // plain_beside_atomic: first
  if (threadIdx.x == 40) data[1] = data[0];  // plain_beside_atomic: second
}

// The last block sums before anything ordered the others' writes.
__global__ void last_block_without_fence(int* data) {
  WM_SHARED(int, last, [1]);
  if (threadIdx.x == 0) {
    data[16 + blockIdx.x] = 1;  // last_block_without_fence: first
    last[0] = atomicAdd(&data[0], 1) == static_cast<int>(gridDim.x) - 1;
    __threadfence();
  }
  __syncthreads();
  if (last[0] != 0 && threadIdx.x < gridDim.x)
    data[1] = data[16 + threadIdx.x];  // last_block_without_fence: second
}

// One byte of a word that another thread writes whole.
__global__ void overlapping_bytes(int* data) {
  auto* bytes = reinterpret_cast<unsigned char*>(data);
  if (threadIdx.x == 0) bytes[6] = 1;  // overlapping_bytes: first
  if (threadIdx.x == 33) data[1] = 2;  // overlapping_bytes: second
}

__global__ void wide_store(int* data) {
  if (threadIdx.x == 2) data[7] = 1;                                    // wide_store: first
  if (threadIdx.x == 64) store_vec(&data[4], Vec<int, 4>{1, 2, 3, 4});  // wide_store: second
}

__global__ void dynamic_shared(int* data) {
  int* tile = WM_DYN_SHARED(int);
  tile[threadIdx.x / 2] = static_cast<int>(threadIdx.x);  // dynamic_shared: first second
  data[threadIdx.x] = 0;
}

}  // namespace

void register_kernels_racy(Catalog& catalog) {
  WM_PLANT(missing_barrier, 1, 128);
  WM_PLANT(single_pair, 1, 1024);
  WM_PLANT(single_pair_reversed, 1, 1024);
  WM_PLANT(reader_writes, 2, 256);
  WM_PLANT(between_blocks, 2, 32);
  WM_PLANT(missing_syncwarp, 1, 32);
  WM_PLANT(partial_syncwarp, 1, 32);
  WM_PLANT(in_place_shift, 2, 64);
  WM_PLANT(plain_beside_atomic, 1, 64);
  WM_PLANT(last_block_without_fence, 4, 32);
  WM_PLANT(overlapping_bytes, 1, 64);
  WM_PLANT(wide_store, 1, 96);
  WM_PLANT(dynamic_shared, 1, 64);
}

}  // namespace wm::WM_FLAVOUR
