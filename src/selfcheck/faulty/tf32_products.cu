// Planted fault: operands are rounded to TF32 (11 significant bits) behind a claim of f32.
#include "selfcheck/faulty/faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

/// x to 11 significant bits, to nearest (Dekker's splitting).
__device__ inline float to_tf32(float x) {
  const float scaled = x * 8193.0F;
  return scaled - (scaled - x);
}

template <bool kFaulty>
__global__ void tf32_products_kernel(MatmulArgs args) {
  const int col = static_cast<int>(blockIdx.x * 16 + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * 16 + threadIdx.y);
  if (row >= args.m || col >= args.n) return;
  float sum = 0;
  for (int i = 0; i < args.k; ++i) {
    const float a = args.a[row * args.k + i];
    const float b = args.b[i * args.n + col];
    sum = kFaulty ? wm::fma(to_tf32(a), to_tf32(b), sum) : wm::fma(a, b, sum);
  }
  args.d[row * args.n + col] = sum;
}

template <bool kFaulty>
void run_tf32_products(const Problem& problem, const Config&, const LaunchArgs& args) {
  const MatmulArgs a = matmul_args(problem, args);
  launch<tf32_products_kernel<kFaulty>>(matmul_shape(a), args.stream, a);
}

}  // namespace

void register_faulty_tf32_products(Catalog& catalog) {
  add_matmuls(catalog, "tf32_products", "operands are rounded to TF32 behind a claim of f32",
              &run_tf32_products<true>, &run_tf32_products<false>);
}

}  // namespace wm::WM_FLAVOUR
