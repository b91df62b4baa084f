// Races that are found where the threads run in some orders: with partial masks of __syncwarp the
// two readers that a cell keeps may be those that the writer has synchronised with.
#include "planted.cuh"

namespace wm::WM_FLAVOUR {
namespace {

using Chunk = Vec<int, 4>;

// Half a warp reads, synchronises and replaces what it read; a lane of the other half reads on.
__global__ void reader_outside_mask(int* data) {
  WM_SHARED(Chunk, tile, [1]);
  if (threadIdx.x == 0) tile[0] = Chunk{1, 2, 3, 4};
  __syncwarp();
  int sum = 0;
  if (threadIdx.x < 16) {
    sum = sum_of(load_vec<4>(tile[0].v));
    __syncwarp(0xffffU);
    if (threadIdx.x == 0) tile[0].v[1] = 2;
  }
  if (threadIdx.x == 20) {
    sum = tile[0].v[1];
  }
  data[threadIdx.x] = sum;
}

}  // namespace

void register_kernels_some_orders(Catalog& catalog) { WM_PLANT(reader_outside_mask, 1, 32); }

}  // namespace wm::WM_FLAVOUR
