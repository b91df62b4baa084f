// Ordered uses of cp.async and ldmatrix.
#include "gpu/async_copy.hpp"
#include "planted.cuh"

namespace wm::WM_FLAVOUR {
namespace {

constexpr unsigned kThreads = 64;
using Chunk = Vec<int, 4>;

// The pipeline of matmul/tensor_core: wait, barrier, then the next copy into the stage that
// everyone has left.
template <int kStages>
__device__ inline void pipeline(int* data) {
  WM_SHARED(Chunk, stages, [kStages][kThreads]);
  const auto begin = [&](int step) {
    if (step < 9) copy_async<16>(&stages[step % kStages][threadIdx.x], data + 4 * threadIdx.x);
    commit_copies();
  };
  for (int step = 0; step < kStages - 1; ++step) begin(step);
  int sum = 0;
  for (int step = 0; step < 9; ++step) {
    wait_copies<kStages - 2>();
    __syncthreads();
    begin(step + kStages - 1);
    sum += stages[step % kStages][kThreads - 1 - threadIdx.x][step % 4];
  }
  data[1024 + blockIdx.x * kThreads + threadIdx.x] = sum;
}

__global__ void pipeline_of_two(int* data) { pipeline<2>(data); }
__global__ void pipeline_of_three(int* data) { pipeline<3>(data); }
__global__ void pipeline_of_four(int* data) { pipeline<4>(data); }

// Each thread reads its own copies: the wait is enough. The rest of a chunk is zeros.
__global__ void own_copies(int* data) {
  WM_SHARED(Chunk, tile, [kThreads]);
  for (int read = 0; read <= 16; ++read) {
    copy_async<16>(&tile[threadIdx.x], data + 4 * threadIdx.x, read);
    wait_all_copies();
    data[1024 + threadIdx.x] = tile[threadIdx.x][3];
  }
}

// Lanes of a warp need __syncwarp between the wait and the reads, and before the next copy.
__global__ void copies_of_a_warp(int* data) {
  WM_SHARED(int, tile, [kThreads]);
  const unsigned warp = threadIdx.x / 32 * 32, other = warp + (threadIdx.x + 5) % 32;
  for (int step = 0; step < 3; ++step) {
    copy_async<4>(&tile[threadIdx.x], data + threadIdx.x);
    commit_copies();
    wait_copies<0>();
    __syncwarp();
    data[1024 + threadIdx.x] = tile[other];
    __syncwarp();
  }
}

// A copy that nobody waits for ends with its block; the next block uses the same shared memory.
__global__ void abandoned_copy(int* data) {
  WM_SHARED(Chunk, tile, [kThreads]);
  tile[threadIdx.x] = Chunk{1, 2, 3, 4};
  data[1024 + blockIdx.x * kThreads + threadIdx.x] = tile[threadIdx.x][2];
  copy_async<16>(&tile[threadIdx.x], data + 4 * threadIdx.x);
  commit_copies();
}

__global__ void matrix_after_barrier(int* data) {
  WM_SHARED(Chunk, rows, [kThreads]);
  std::uint32_t loaded[4];
  for (int step = 0; step < 3; ++step) {
    rows[kThreads - 1 - threadIdx.x] = Chunk{step, 2, 3, 4};
    __syncthreads();
    load_matrix(loaded, &rows[threadIdx.x]);
    __syncthreads();
  }
  data[1024 + blockIdx.x * kThreads + threadIdx.x] = static_cast<int>(loaded[0]);
}

// Rows that lanes behind the 16th name are not read by a load of two matrices.
__global__ void matrix_unused_rows(int* data) {
  WM_SHARED(Chunk, rows, [32]);
  if (threadIdx.x < 16) rows[threadIdx.x] = Chunk{1, 2, 3, 4};
  __syncwarp();
  if (threadIdx.x == 3) rows[20] = Chunk{5, 6, 7, 8};
  std::uint32_t loaded[2];
  load_matrix(loaded, &rows[threadIdx.x]);
  data[1024 + threadIdx.x] = static_cast<int>(loaded[1]);
}

}  // namespace

void register_kernels_clean_copies(Catalog& catalog) {
  WM_PLANT(pipeline_of_two, 2, kThreads);
  WM_PLANT(pipeline_of_three, 2, kThreads);
  WM_PLANT(pipeline_of_four, 2, kThreads);
  WM_PLANT(own_copies, 1, kThreads);
  WM_PLANT(copies_of_a_warp, 1, kThreads);
  WM_PLANT(abandoned_copy, 3, kThreads);
  WM_PLANT(matrix_after_barrier, 2, kThreads);
  WM_PLANT(matrix_unused_rows, 1, 32);
}

}  // namespace wm::WM_FLAVOUR
