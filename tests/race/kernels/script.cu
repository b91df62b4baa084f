// A kernel that performs whatever accesses a program in its buffer lists (script_test.cpp).
#include "../script.hpp"
#include "planted.cuh"

namespace wm::WM_FLAVOUR {
namespace {

/// Reads must not vanish: their values end in a sum that is returned.
template <class T>
__device__ inline int access(char* at, bool write) {
  T& element = *reinterpret_cast<T*>(at);
  if (!write) return static_cast<int>(element);
  element = T(1);
  return 0;
}

__device__ inline int access_wide(char* at, bool write) {
  int* words = reinterpret_cast<int*>(at);
  if (!write) return sum_of(load_vec<4>(words));
  store_vec(words, Vec<int, 4>{1, 2, 3, 4});
  return 0;
}

__device__ inline int perform(const ScriptAccess& a, char* global, char* shared) {
  char* at = (a.shared != 0 ? shared : global) + a.offset;
  const bool write = a.kind == ScriptAccess::kWrite;
  if (a.kind == ScriptAccess::kAtomic) return atomicAdd(reinterpret_cast<int*>(at), 1);
  switch (a.bytes) {
    case 1:
      return access<unsigned char>(at, write);
    case 2:
      return access<unsigned short>(at, write);
    case 4:
      return access<int>(at, write);
    case 8:
      return access<long long>(at, write);
    default:
      return access_wide(at, write);
  }
}

/// The program is host memory, which the detector does not watch.
__global__ void script(const Script* program, int* data) {
  using Chunk = Vec<int, 4>;
  WM_SHARED(Chunk, memory, [Script::kBytes / 16]);
  int sum = 0;
  for (int step = 0; step < program->steps; ++step) {
    for (int i = 0; i < program->count; ++i) {
      const ScriptAccess a = program->accesses[i];
      if (a.block == blockIdx.x && a.thread == threadIdx.x && a.step == step)
        sum += perform(a, reinterpret_cast<char*>(data), reinterpret_cast<char*>(memory));
    }
    if (program->barrier[step])
      __syncthreads();
    else
      __syncwarp();
  }
  data[Script::kBytes / 4 + blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

}  // namespace

void register_kernels_script(Catalog& catalog) {
  add_planted(catalog, "script", [](int* data, Stream stream) {
    launch<script>({.grid = dim3(Script::kBlocks),
                    .block = dim3(Script::kThreads),
                    .blocks_communicate = true},
                   stream, script_to_run, data);
  });
}

}  // namespace wm::WM_FLAVOUR
