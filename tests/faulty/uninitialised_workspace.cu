// Planted fault: a workspace word that nobody wrote decides a bit of every output.
#include "faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

__global__ void matmul_kernel(MatmulArgs args) {
  const int col = static_cast<int>(blockIdx.x * 16 + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * 16 + threadIdx.y);
  if (row >= args.m || col >= args.n) return;
  float sum = args.workspace[0] > 1.0F ? 1e-7F : 0.0F;
  for (int i = 0; i < args.k; ++i)
    sum = wm::fma(args.a[row * args.k + i], args.b[i * args.n + col], sum);
  args.d[row * args.n + col] = sum;
}

void run(const Problem& problem, const Config&, const LaunchArgs& args) {
  const MatmulArgs a = matmul_args(problem, args);
  launch<matmul_kernel>(matmul_shape(a), args.stream, a);
}

}  // namespace

void register_faulty_uninitialised_workspace(Catalog& catalog) {
  catalog.add(faulty_matmul("faulty_uninitialised_workspace",
                            "a workspace word that nobody wrote decides a bit of every output",
                            &run, 1));
}

}  // namespace wm::WM_FLAVOUR
