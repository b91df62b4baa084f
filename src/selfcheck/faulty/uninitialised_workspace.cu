// Planted fault: a workspace word that nobody wrote decides a bit of every output.
#include "selfcheck/faulty/faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

template <bool kFaulty>
__global__ void uninitialised_workspace_kernel(MatmulArgs args) {
  const int col = static_cast<int>(blockIdx.x * 16 + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * 16 + threadIdx.y);
  if (row >= args.m || col >= args.n) return;
  float sum = kFaulty && args.workspace[0] > 1.0F ? 1e-7F : 0.0F;
  for (int i = 0; i < args.k; ++i)
    sum = wm::fma(args.a[row * args.k + i], args.b[i * args.n + col], sum);
  args.d[row * args.n + col] = sum;
}

template <bool kFaulty>
void run_uninitialised_workspace(const Problem& problem, const Config&, const LaunchArgs& args) {
  const MatmulArgs a = matmul_args(problem, args);
  launch<uninitialised_workspace_kernel<kFaulty>>(matmul_shape(a), args.stream, a);
}

}  // namespace

void register_faulty_uninitialised_workspace(Catalog& catalog) {
  add_matmuls(catalog, "uninitialised_workspace",
              "a workspace word that nobody wrote decides a bit of every output",
              &run_uninitialised_workspace<true>, &run_uninitialised_workspace<false>, 1);
}

}  // namespace wm::WM_FLAVOUR
