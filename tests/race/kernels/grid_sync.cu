// Cooperative launches: grid_sync orders everything between blocks, its absence nothing.
#include "gpu/grid_sync.hpp"
#include "planted.cuh"

namespace wm::WM_FLAVOUR {
namespace {

/// Blocks exchange values through global memory, threads through shared memory, over several
/// grid_sync.
__global__ void grid_exchange(int* data) {
  WM_SHARED(int, tile, [64]);
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  for (int step = 0; step < 3; ++step) {
    data[i] = step;
    tile[threadIdx.x] = step;
    grid_sync();
    const int got = data[(i + blockDim.x + 1) % n] + tile[63 - threadIdx.x];
    grid_sync();
    data[n + i] = got;
  }
}

__global__ void grid_missing_sync(int* data) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  grid_sync();
  data[i] = 1;
  data[n + i] = data[(i + blockDim.x) % n];
}

/// Behind the barrier the block's own threads race in shared memory.
__global__ void grid_then_block_race(int* data) {
  WM_SHARED(int, tile, [64]);
  tile[threadIdx.x] = 0;
  grid_sync();
  tile[threadIdx.x] = 1;
  data[blockIdx.x * blockDim.x + threadIdx.x] = tile[63 - threadIdx.x];
}

/// The second write of a block meets a read that another block made behind the same barrier.
__global__ void grid_sync_too_few(int* data) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  for (int step = 0; step < 2; ++step) {
    data[i] = step;
    grid_sync();
    data[n + i] = data[(i + blockDim.x) % n];
  }
}

template <auto Kernel>
void add(Catalog& catalog, const char* name) {
  add_planted(catalog, name, [](int* data, Stream stream) {
    launch<Kernel>({.grid = dim3(4), .block = dim3(64), .cooperative = true}, stream, data);
  });
}

}  // namespace

void register_kernels_grid_sync(Catalog& catalog) {
  add<grid_exchange>(catalog, "grid_exchange");
  add<grid_missing_sync>(catalog, "grid_missing_sync");
  add<grid_then_block_race>(catalog, "grid_then_block_race");
  add<grid_sync_too_few>(catalog, "grid_sync_too_few");
}

}  // namespace wm::WM_FLAVOUR
