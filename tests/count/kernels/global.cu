// Requests to global memory, and which lanes form one. t is the lane; data is aligned to a sector.
#include "counted.cuh"

namespace wm::WM_FLAVOUR {
namespace {

__device__ inline int thread() { return static_cast<int>(threadIdx.x); }

/// Element stride * t + offset to element t.
template <int kStride, int kOffset>
__global__ void copy_kernel(float* data) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x) + thread();
  data[kOut + i] = data[kStride * i + kOffset];
}

__global__ void broadcast_kernel(float* data) { data[kOut + thread()] = data[7]; }

template <class T>
__global__ void narrow_kernel(float* data) {
  auto* elements = reinterpret_cast<T*>(data);
  elements[2 * kOut + thread()] = elements[thread()];
}

template <int kWidth>
__global__ void vector_kernel(float* data) {
  store_vec(data + kOut + kWidth * thread(), load_vec<kWidth>(data + kWidth * thread()));
}

__global__ void half_warp_kernel(float* data) {
  if (thread() < 16) data[kOut + thread()] = data[thread()];
}

// Two places of the code: two requests of 16 lanes. They differ in width, since compilers make one
// of accesses that are alike.
__global__ void two_sides_kernel(float* data) {
  auto* halves = reinterpret_cast<unsigned short*>(data);
  if (thread() % 2 == 0)
    data[kOut + thread()] = data[thread()];
  else
    halves[2 * (kOut + 1024) + thread()] = halves[2 * 1024 + thread()];
}

// Lane t turns t + 1 times.
__global__ void trips_kernel(float* data) {
  float sum = 0;
  WM_NO_UNROLL
  for (int i = 0; i <= thread(); ++i) sum += data[32 * i + thread()];
  data[kOut + thread()] = sum;
}

// In the first of two steps even lanes turn twice. Behind the meeting point all are together again.
template <bool kWarp>
__global__ void meet_kernel(float* data) {
  float sum = 0;
  WM_NO_UNROLL
  for (int step = 0; step < 2; ++step) {
    const int turns = step == 0 && thread() % 2 == 0 ? 2 : 1;
    WM_NO_UNROLL
    for (int turn = 0; turn < turns; ++turn) sum += data[1024 * step + 64 * turn + thread()];
    if (kWarp)
      __syncwarp();
    else
      __syncthreads();
  }
  data[kOut + thread()] = sum;
}

__global__ void long_kernel(float* data) {
  float sum = 0;
  WM_NO_UNROLL
  for (int i = 0; i < (1 << 20) + 8; ++i) sum += data[i % 1024];
  data[kOut] = sum;
}

}  // namespace

void register_kernels_global(Catalog& catalog);
void register_kernels_global(Catalog& catalog) {
  WM_COUNTED("coalesced", 2, 64, copy_kernel<1, 0>);
  WM_COUNTED("stride_2", 1, 32, copy_kernel<2, 0>);
  WM_COUNTED("stride_32", 1, 32, copy_kernel<32, 0>);
  WM_COUNTED("misaligned", 1, 32, copy_kernel<1, 1>);
  WM_COUNTED("tail_warp", 1, 40, copy_kernel<1, 0>);
  WM_COUNTED("broadcast", 1, 32, broadcast_kernel);
  WM_COUNTED("half", 1, 32, narrow_kernel<unsigned short>);
  WM_COUNTED("byte", 1, 32, narrow_kernel<unsigned char>);
  WM_COUNTED("float2", 1, 32, vector_kernel<2>);
  WM_COUNTED("float4", 1, 32, vector_kernel<4>);
  WM_COUNTED("half_warp", 1, 32, half_warp_kernel);
  WM_COUNTED("two_sides", 1, 32, two_sides_kernel);
  WM_COUNTED("trips", 1, 32, trips_kernel);
  WM_COUNTED("meet_block", 1, 32, meet_kernel<false>);
  WM_COUNTED("meet_warp", 1, 32, meet_kernel<true>);
  WM_COUNTED("too_long", 1, 1, long_kernel);
  add_counted(catalog, "three_launches", [](float* data, Stream stream) {
    const LaunchShape shape{.grid = dim3(1), .block = dim3(32)};
    launch<broadcast_kernel>(shape, stream, data);
    launch<copy_kernel<2, 0>>(shape, stream, data);
    launch<broadcast_kernel>(shape, stream, data);
  });
}

}  // namespace wm::WM_FLAVOUR
