// More values alive at once than a block of 1024 threads has registers for: what the build with
// WARPMARK_CUDA_NO_LOCAL_MEMORY must refuse.
__global__ void __launch_bounds__(1024) spill(float* y) {
  float held[200];
#pragma unroll
  for (int i = 0; i < 200; ++i) held[i] = y[i * 3];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 200; ++i) y[i * 7 + 5] = held[199 - i] * held[i * 37 % 200];
}
