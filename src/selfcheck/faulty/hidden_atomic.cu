// Planted fault: partial sums are added atomically behind a claim of determinism.
#include "selfcheck/faulty/faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

__global__ void add_product_kernel(MatmulArgs args) {
  const int col = static_cast<int>(blockIdx.x * 16 + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * 16 + threadIdx.y);
  if (row >= args.m || col >= args.n) return;
  const int i = static_cast<int>(blockIdx.z);
  atomicAdd(&args.d[row * args.n + col], args.a[row * args.k + i] * args.b[i * args.n + col]);
}

__global__ void clear_kernel(MatmulArgs args) {
  const int i = thread_index();
  if (i < args.m * args.n) args.d[i] = 0.0F;
}

void run_hidden_atomic(const Problem& problem, const Config&, const LaunchArgs& args) {
  const MatmulArgs a = matmul_args(problem, args);
  launch<clear_kernel>(element_shape(a.m * a.n), args.stream, a);
  LaunchShape shape = matmul_shape(a);
  shape.grid.z = static_cast<unsigned>(a.k);
  shape.blocks_communicate = true;
  launch<add_product_kernel>(shape, args.stream, a);
}

/// The same products added in order.
void run_ordered(const Problem& problem, const Config&, const LaunchArgs& args) {
  const MatmulArgs a = matmul_args(problem, args);
  launch<rotated_matmul_kernel>(matmul_shape(a), args.stream, a, 0);
}

}  // namespace

void register_faulty_hidden_atomic(Catalog& catalog) {
  add_matmuls(catalog, "hidden_atomic",
              "partial sums are added atomically behind a claim of determinism", &run_hidden_atomic,
              &run_ordered);
}

}  // namespace wm::WM_FLAVOUR
