// Ordered or disjoint accesses of different widths.
#include "planted.cuh"

namespace wm::WM_FLAVOUR {
namespace {

using Chunk = Vec<int, 4>;

// Everyone reads three words of 16 bytes while one thread replaces the fourth.
__global__ void neighbouring_words(int* data) {
  WM_SHARED(Chunk, tile, [1]);
  if (threadIdx.x == 0) tile[0] = Chunk{1, 2, 3, 4};
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < 9; ++i) {
    if (threadIdx.x != 17) sum += tile[0].v[i % 3];
    if (threadIdx.x == 17) tile[0].v[3] = i;
  }
  data[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Narrow stores, barrier, wide reads, barrier, wide stores, barrier, narrow reads.
__global__ void widths_in_turn(int* data) {
  WM_SHARED(Chunk, tile, [32]);
  const unsigned other = blockDim.x - 1 - threadIdx.x;
  int sum = 0;
  for (int step = 0; step < 3; ++step) {
    tile[threadIdx.x / 4].v[threadIdx.x % 4] = step;
    __syncthreads();
    sum += sum_of(load_vec<4>(tile[threadIdx.x % 32].v));
    __syncthreads();
    if (threadIdx.x < 32) store_vec(tile[threadIdx.x].v, Chunk{1, 2, 3, step});
    __syncthreads();
    sum += tile[other / 4].v[other % 4];
    __syncthreads();
  }
  data[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Bytes and half words of one word, each of its own thread.
__global__ void parts_of_a_word(int* data) {
  WM_SHARED(int, words, [32]);
  auto* bytes = reinterpret_cast<unsigned char*>(words);
  auto* halves = reinterpret_cast<unsigned short*>(words);
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    if (threadIdx.x % 3 == 0) bytes[threadIdx.x / 3 * 4] = 1;
    if (threadIdx.x % 3 == 1) sum += ++bytes[threadIdx.x / 3 * 4 + 1];
    if (threadIdx.x % 3 == 2) sum += ++halves[threadIdx.x / 3 * 2 + 1];
  }
  data[threadIdx.x] = sum;
}

// All blocks read the same inputs and write their own outputs.
__global__ void inputs_and_outputs(int* data) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 16; ++k) sum += data[k] + sum_of(load_vec<4>(data + 4 * (k % 4)));
  data[64 + i] = sum;
}

}  // namespace

void register_kernels_clean_widths(Catalog& catalog) {
  WM_PLANT(neighbouring_words, 2, 96);
  WM_PLANT(widths_in_turn, 2, 128);
  WM_PLANT(parts_of_a_word, 1, 96);
  add_planted(catalog, "inputs_and_outputs", [](int* data, Stream stream) {
    for (int i = 0; i < 2; ++i)
      launch<inputs_and_outputs>({.grid = dim3(4), .block = dim3(64)}, stream, data);
  });
}

}  // namespace wm::WM_FLAVOUR
