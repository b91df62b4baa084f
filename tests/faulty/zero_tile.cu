// Planted fault: one 16x16 tile of the output is zero.
#include "selfcheck/faulty/faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

__global__ void matmul_kernel(MatmulArgs args) {
  const int col = static_cast<int>(blockIdx.x * 16 + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * 16 + threadIdx.y);
  if (row >= args.m || col >= args.n) return;
  float sum = 0;
  for (int i = 0; i < args.k; ++i)
    sum = wm::fma(args.a[row * args.k + i], args.b[i * args.n + col], sum);
  args.d[row * args.n + col] = blockIdx.x == 1 && blockIdx.y == 1 ? 0.0F : sum;
}

void run(const Problem& problem, const Config&, const LaunchArgs& args) {
  const MatmulArgs a = matmul_args(problem, args);
  launch<matmul_kernel>(matmul_shape(a), args.stream, a);
}

}  // namespace

void register_faulty_zero_tile(Catalog& catalog) {
  catalog.add(faulty_matmul("faulty_zero_tile", "one 16x16 tile of the output is zero", &run));
}

}  // namespace wm::WM_FLAVOUR
