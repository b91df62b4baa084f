// One race each, with cp.async and ldmatrix (marked as in racy.cu).
#include "gpu/async_copy.hpp"
#include "planted.cuh"

namespace wm::WM_FLAVOUR {
namespace {

constexpr unsigned kThreads = 64;
using Chunk = Vec<int, 4>;

// The wait makes a copy visible to its own thread only.
__global__ void copy_without_barrier(int* data) {
  WM_SHARED(Chunk, tile, [kThreads]);
  copy_async<16>(&tile[threadIdx.x], data + 4 * threadIdx.x);  // copy_without_barrier: first
  commit_copies();
  wait_copies<0>();
  const int other = tile[kThreads - 1 - threadIdx.x][0];  // copy_without_barrier: second
  data[1024 + threadIdx.x] = other;
}

// A barrier without a wait before it: the copy may land at any time.
__global__ void copy_without_wait(int* data) {
  WM_SHARED(Chunk, tile, [kThreads]);
  copy_async<16>(&tile[threadIdx.x], data + 4 * threadIdx.x);  // copy_without_wait: first
  commit_copies();
  __syncthreads();
  const int other = tile[kThreads - 1 - threadIdx.x][1];  // copy_without_wait: second
  wait_copies<0>();
  data[1024 + threadIdx.x] = other;
}

// Even the own thread has to wait.
__global__ void copy_read_early(int* data) {
  WM_SHARED(Chunk, tile, [kThreads]);
  copy_async<8>(&tile[threadIdx.x], data + 4 * threadIdx.x);  // copy_read_early: first
  commit_copies();
  data[1024 + threadIdx.x] = tile[threadIdx.x][1];  // copy_read_early: second
}

// One group too few is waited for.
__global__ void copy_wait_too_short(int* data) {
  WM_SHARED(Chunk, tile, [2][kThreads]);
  for (int group = 0; group < 2; ++group) {
    Chunk* to = &tile[group][threadIdx.x];
    copy_async<16>(to, data + 4 * threadIdx.x);  // copy_wait_too_short: first
    commit_copies();
  }
  wait_copies<1>();
  __syncthreads();
  const unsigned other = kThreads - 1 - threadIdx.x;
  const int sum = tile[0][other][0] + tile[1][other][0];  // copy_wait_too_short: second
  data[1024 + threadIdx.x] = sum;
}

// Three stages, but the barrier stands behind the copy: it overwrites the stage that slower threads
// still read.
__global__ void copy_overtakes_readers(int* data) {
  WM_SHARED(Chunk, stages, [3][kThreads]);
  const auto begin = [&](int step) {
    Chunk* to = &stages[step % 3][threadIdx.x];
    copy_async<16>(to, data + 4 * threadIdx.x);  // copy_overtakes_readers: second
    commit_copies();
  };
  begin(0);
  begin(1);
  int sum = 0;
  for (int step = 0; step < 8; ++step) {
    wait_copies<1>();
    begin(step + 2);
    __syncthreads();
    sum += stages[step % 3][kThreads - 1 - threadIdx.x][2];  // copy_overtakes_readers: first
  }
  data[1024 + threadIdx.x] = sum;
}

// The source of a copy is read when it begins.
__global__ void copy_source_written(int* data) {
  WM_SHARED(Chunk, tile, [kThreads]);
  if (threadIdx.x == 40) data[9] = 1;                          // copy_source_written: second
  copy_async<16>(&tile[threadIdx.x], data + 4 * threadIdx.x);  // copy_source_written: first
  commit_copies();
  wait_copies<0>();
}

// A row of a matrix is read for the whole warp by the lane that gives its address.
__global__ void matrix_without_syncwarp(int* data) {
  WM_SHARED(Chunk, rows, [32]);
  rows[31 - threadIdx.x] = Chunk{1, 2, 3, 4};  // matrix_without_syncwarp: first
  std::uint32_t loaded[4];
  load_matrix(loaded, &rows[threadIdx.x]);  // matrix_without_syncwarp: second
  data[threadIdx.x] = static_cast<int>(loaded[0] + loaded[3]);
}

// Another warp replaces a row without a barrier.
__global__ void matrix_row_replaced(int* data) {
  WM_SHARED(Chunk, rows, [32]);
  if (threadIdx.x < 32) rows[threadIdx.x] = Chunk{1, 2, 3, 4};
  __syncthreads();
  std::uint32_t loaded[4] = {};
  if (threadIdx.x < 32) load_matrix(loaded, &rows[threadIdx.x]);  // matrix_row_replaced: first
  if (threadIdx.x == 50) rows[7].v[3] = 2;                        // matrix_row_replaced: second
  data[threadIdx.x] = static_cast<int>(loaded[0]);
}

}  // namespace

void register_kernels_racy_copies(Catalog& catalog) {
  WM_PLANT(copy_without_barrier, 2, kThreads);
  WM_PLANT(copy_without_wait, 2, kThreads);
  WM_PLANT(copy_read_early, 1, kThreads);
  WM_PLANT(copy_wait_too_short, 1, kThreads);
  WM_PLANT(copy_overtakes_readers, 2, kThreads);
  WM_PLANT(copy_source_written, 1, kThreads);
  WM_PLANT(matrix_without_syncwarp, 1, 32);
  WM_PLANT(matrix_row_replaced, 1, kThreads);
}

}  // namespace wm::WM_FLAVOUR
