// One race each, between accesses of different widths or behind many that are in order (marked as
// in racy.cu): what the detector's shortcuts could miss.
#include "planted.cuh"

namespace wm::WM_FLAVOUR {
namespace {

using Chunk = Vec<int, 4>;

// A whole warp has read 16 bytes when a lane of another one replaces a word of them.
__global__ void word_under_wide_reads(int* data) {
  WM_SHARED(Chunk, tile, [2]);
  if (threadIdx.x < 2) tile[threadIdx.x] = Chunk{1, 2, 3, 4};
  __syncthreads();
  int sum = 0;
  if (threadIdx.x < 32) sum = sum_of(load_vec<4>(tile[1].v));  // word_under_wide_reads: first
  if (threadIdx.x == 63) tile[1].v[3] = 5;                     // word_under_wide_reads: second
  data[threadIdx.x] = sum;
}

// As before, but a lane of the same warp writes.
__global__ void word_of_the_same_warp(int* data) {
  WM_SHARED(Chunk, tile, [2]);
  if (threadIdx.x < 2) tile[threadIdx.x] = Chunk{1, 2, 3, 4};
  __syncthreads();
  data[threadIdx.x] = sum_of(load_vec<4>(tile[1].v));  // word_of_the_same_warp: first
  if (threadIdx.x == 7) tile[1].v[2] = 5;              // word_of_the_same_warp: second
}

// Everyone reads words; one thread then stores the 16 bytes around one of them.
__global__ void wide_over_words(int* data) {
  WM_SHARED(Chunk, tile, [16]);
  if (threadIdx.x < 16) tile[threadIdx.x] = Chunk{1, 2, 3, 4};
  __syncthreads();
  data[threadIdx.x] = tile[threadIdx.x / 8].v[threadIdx.x % 4];     // wide_over_words: first
  if (threadIdx.x == 100) store_vec(tile[3].v, Chunk{1, 2, 3, 4});  // wide_over_words: second
}

// Many readers before a barrier are in order; one behind it is not.
__global__ void reader_behind_barrier(int* data) {
  WM_SHARED(Chunk, tile, [1]);
  if (threadIdx.x == 0) tile[0] = Chunk{1, 2, 3, 4};
  __syncthreads();
  int sum = sum_of(load_vec<4>(tile[0].v));
  __syncthreads();
  if (threadIdx.x == 40) sum += tile[0].v[1];  // reader_behind_barrier: first
  if (threadIdx.x == 41) tile[0].v[1] = 7;     // reader_behind_barrier: second
  data[threadIdx.x] = sum;
}

// Two lanes read after a __syncwarp, a third before it: the writer is ordered behind that one only.
__global__ void reader_behind_syncwarp(int* data) {
  WM_SHARED(int, tile, [1]);
  if (threadIdx.x == 0) tile[0] = 1;
  __syncwarp();
  int sum = 0;
  if (threadIdx.x == 1) sum = tile[0];
  __syncwarp();
  if (threadIdx.x == 2 || threadIdx.x == 3) sum = tile[0];  // reader_behind_syncwarp: first
  if (threadIdx.x == 3) tile[0] = 2;                        // reader_behind_syncwarp: second
  data[threadIdx.x] = sum;
}

// Every block reads an element, the last one replaces it after its barrier.
__global__ void block_replaces_what_others_read(int* data) {
  const int value = data[5];  // block_replaces_what_others_read: first
  __syncthreads();
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
    data[5] = value + 1;  // block_replaces_what_others_read: second
  data[64 + blockIdx.x * blockDim.x + threadIdx.x] = value;
}

// The other way round: a block wrote what the later ones read in 16-byte pieces.
__global__ void blocks_read_what_one_wrote(int* data) {
  if (blockIdx.x == 0 && threadIdx.x == 3) data[6] = 1;  // blocks_read_what_one_wrote: first
  __syncthreads();
  int sum = 0;
  if (blockIdx.x > 0) sum = sum_of(load_vec<4>(data + 4));  // blocks_read_what_one_wrote: second
  data[64 + blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Half words: the second half of one word overlaps a word that another thread reads.
__global__ void half_of_a_word(int* data) {
  auto* halves = reinterpret_cast<unsigned short*>(data);
  int sum = 0;
  if (threadIdx.x != 33) sum = data[2];   // half_of_a_word: first
  if (threadIdx.x == 33) halves[5] = 12;  // half_of_a_word: second
  data[64 + threadIdx.x] = sum;
}

// A plain read among atomics of the same thread and of an earlier block.
__global__ void read_among_atomics(int* data) {
  if (threadIdx.x != 0) return;
  atomicAdd(&data[3], 1);  // read_among_atomics: first
  if (blockIdx.x == 1) {
    atomicAdd(&data[3], 1);
    data[9] = data[3];  // read_among_atomics: second
  }
}

}  // namespace

void register_kernels_racy_widths(Catalog& catalog) {
  WM_PLANT(word_under_wide_reads, 1, 64);
  WM_PLANT(word_of_the_same_warp, 1, 32);
  WM_PLANT(wide_over_words, 1, 128);
  WM_PLANT(reader_behind_barrier, 1, 64);
  WM_PLANT(reader_behind_syncwarp, 1, 32);
  WM_PLANT(block_replaces_what_others_read, 3, 64);
  WM_PLANT(blocks_read_what_one_wrote, 3, 64);
  WM_PLANT(half_of_a_word, 1, 64);
  WM_PLANT(read_among_atomics, 2, 32);
}

}  // namespace wm::WM_FLAVOUR
