// Planted fault: products are accumulated in f16 behind a claim of f32.
#include "faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

__global__ void matmul_kernel(MatmulArgs args) {
  const int col = static_cast<int>(blockIdx.x * 16 + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * 16 + threadIdx.y);
  if (row >= args.m || col >= args.n) return;
  float sum = 0;
  for (int i = 0; i < args.k; ++i)
    sum = to_acc(from_acc<f16>(wm::fma(args.a[row * args.k + i], args.b[i * args.n + col], sum)));
  args.d[row * args.n + col] = sum;
}

void run(const Problem& problem, const Config&, const LaunchArgs& args) {
  const MatmulArgs a = matmul_args(problem, args);
  launch<matmul_kernel>(matmul_shape(a), args.stream, a);
}

}  // namespace

void register_faulty_f16_accumulation(Catalog& catalog) {
  catalog.add(faulty_matmul("faulty_f16_accumulation",
                            "products are accumulated in f16 behind a claim of f32", &run));
}

}  // namespace wm::WM_FLAVOUR
