// Kernels in which every pair of conflicting accesses is ordered.
#include "planted.cuh"

namespace wm::WM_FLAVOUR {
namespace {

__global__ void double_buffered(int* data) {
  WM_SHARED(int, tile, [2][128]);
  int sum = 0;
  for (int step = 0; step < 6; ++step) {
    tile[step % 2][threadIdx.x] = step;
    __syncthreads();
    sum += tile[step % 2][127 - threadIdx.x];
  }
  data[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void last_block(int* data) {
  WM_SHARED(int, last, [1]);
  if (threadIdx.x == 0) {
    data[16 + blockIdx.x] = 1;
    __threadfence();
    last[0] = atomicAdd(&data[0], 1) == static_cast<int>(gridDim.x) - 1;
    __threadfence();
  }
  __syncthreads();
  if (last[0] != 0 && threadIdx.x == 0) {
    for (unsigned b = 0; b < gridDim.x; ++b) data[1] += data[16 + b];
  }
}

// Every thread's writes, fenced by thread 0 behind the barrier; the last block's threads all read.
__global__ void last_block_wide(int* data) {
  WM_SHARED(int, last, [1]);
  data[16 + blockIdx.x * blockDim.x + threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last[0] = atomicAdd(&data[0], 1) == static_cast<int>(gridDim.x) - 1;
  }
  __syncthreads();
  __threadfence();
  if (last[0] == 0) return;
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += data[16 + b * blockDim.x + threadIdx.x];
  data[1024 + threadIdx.x] = sum;
}

// Each thread fences its own write before the barrier.
__global__ void last_block_fence_each(int* data) {
  WM_SHARED(int, last, [1]);
  data[16 + blockIdx.x * blockDim.x + threadIdx.x] = 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last[0] = atomicAdd(&data[0], 1) == static_cast<int>(gridDim.x) - 1;
  __syncthreads();
  if (last[0] == 0) return;
  __threadfence();
  data[1024 + threadIdx.x] = data[16 + threadIdx.x];
}

__global__ void atomics(int* data) {
  atomicAdd(&data[threadIdx.x % 4], 1);
  WM_SHARED(int, count, [1]);
  if (threadIdx.x == 0) count[0] = 0;
  __syncthreads();
  atomicMax(&count[0], static_cast<int>(threadIdx.x));
  __syncthreads();
  if (threadIdx.x == 0) data[64 + blockIdx.x] = count[0];
}

__global__ void warp_exchange(int* data) {
  WM_SHARED(int, tile, [64]);
  const int warp = static_cast<int>(threadIdx.x) / 32 * 32,
            lane = static_cast<int>(threadIdx.x) % 32;
  for (int step = 0; step < 5; ++step) {
    tile[warp + lane] = step;
    __syncwarp();
    data[threadIdx.x] = tile[warp + (lane + step) % 32];
    __syncwarp();
  }
}

// Two halves of a warp, each with its own mask, then both through lane 0's full one.
__global__ void half_warps(int* data) {
  WM_SHARED(int, tile, [32]);
  const unsigned mask = threadIdx.x < 16 ? 0xffffU : 0xffff0000U;
  tile[threadIdx.x] = 1;
  __syncwarp(mask);
  data[threadIdx.x] = tile[threadIdx.x ^ 15];
  __syncwarp();
  tile[threadIdx.x ^ 16] = 2;
}

// Neighbouring elements smaller than a word.
__global__ void neighbouring_bytes(int* data) {
  auto* bytes = reinterpret_cast<unsigned char*>(data);
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  bytes[i] = static_cast<unsigned char>(bytes[i] + i);
  WM_SHARED(unsigned short, tile, [64]);
  tile[threadIdx.x] = bytes[i];
  bytes[i] = static_cast<unsigned char>(tile[threadIdx.x]);
}

__global__ void second_launch(int* data) {
  data[(blockIdx.x * blockDim.x + threadIdx.x + 40) % (gridDim.x * blockDim.x)] += 1;
}

// A flag in shared memory between two warps.
__global__ void flag(int* data) {
  WM_SHARED(int, box, [2]);
  if (threadIdx.x == 0) box[1] = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    box[0] = 5;
    __threadfence_block();
    atomicExch(&box[1], 1);
  }
  if (threadIdx.x == 32 && atomicAdd(&box[1], 0) == 1) {
    __threadfence_block();
    data[blockIdx.x] = box[0];
  }
}

// Early exits, two and three dimensions.
__global__ void dimensions(int* data) {
  const unsigned i = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  if (i >= 50) return;
  WM_SHARED(int, tile, [64]);
  tile[i] = 1;
  __syncthreads();
  data[i] = tile[49 - i];
}

}  // namespace

void register_kernels_clean(Catalog& catalog) {
  WM_PLANT(double_buffered, 3, 128);
  WM_PLANT(last_block, 5, 32);
  WM_PLANT(last_block_wide, 5, 64);
  WM_PLANT(last_block_fence_each, 5, 64);
  WM_PLANT(atomics, 4, 64);
  WM_PLANT(warp_exchange, 1, 64);
  WM_PLANT(half_warps, 1, 32);
  WM_PLANT(neighbouring_bytes, 2, 64);
  add_planted(catalog, "second_launch", [](int* data, Stream stream) {
    for (int i = 0; i < 3; ++i)
      launch<second_launch>({.grid = dim3(3), .block = dim3(50)}, stream, data);
  });
  WM_PLANT(flag, 2, 64);
  add_planted(catalog, "dimensions", [](int* data, Stream stream) {
    launch<dimensions>({.grid = dim3(1), .block = dim3(4, 4, 4)}, stream, data);
  });
}

}  // namespace wm::WM_FLAVOUR
