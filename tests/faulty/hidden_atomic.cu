// Planted fault: partial sums are added atomically behind a claim of determinism.
#include "faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

__global__ void matmul_kernel(MatmulArgs args) {
  const int col = static_cast<int>(blockIdx.x * 16 + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * 16 + threadIdx.y);
  if (row >= args.m || col >= args.n) return;
  const int i = static_cast<int>(blockIdx.z);
  atomicAdd(&args.d[row * args.n + col], args.a[row * args.k + i] * args.b[i * args.n + col]);
}

__global__ void zero_kernel(MatmulArgs args) {
  const int i = thread_index();
  if (i < args.m * args.n) args.d[i] = 0.0F;
}

void run(const Problem& problem, const Config&, const LaunchArgs& args) {
  const MatmulArgs a = matmul_args(problem, args);
  launch<zero_kernel>(element_shape(a.m * a.n), args.stream, a);
  LaunchShape shape = matmul_shape(a);
  shape.grid.z = static_cast<unsigned>(a.k);
  shape.blocks_communicate = true;
  launch<matmul_kernel>(shape, args.stream, a);
}

}  // namespace

void register_faulty_hidden_atomic(Catalog& catalog) {
  catalog.add(faulty_matmul("faulty_hidden_atomic",
                            "partial sums are added atomically behind a claim of determinism",
                            &run));
}

}  // namespace wm::WM_FLAVOUR
