// Planted fault: products are accumulated in f16 behind a claim of f32.
#include "selfcheck/faulty/faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

template <bool kFaulty>
__global__ void f16_accumulation_kernel(MatmulArgs args) {
  const int col = static_cast<int>(blockIdx.x * 16 + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * 16 + threadIdx.y);
  if (row >= args.m || col >= args.n) return;
  float sum = 0;
  for (int i = 0; i < args.k; ++i) {
    sum = wm::fma(args.a[row * args.k + i], args.b[i * args.n + col], sum);
    if constexpr (kFaulty) sum = to_acc(from_acc<f16>(sum));
  }
  args.d[row * args.n + col] = sum;
}

template <bool kFaulty>
void run_f16_accumulation(const Problem& problem, const Config&, const LaunchArgs& args) {
  const MatmulArgs a = matmul_args(problem, args);
  launch<f16_accumulation_kernel<kFaulty>>(matmul_shape(a), args.stream, a);
}

}  // namespace

void register_faulty_f16_accumulation(Catalog& catalog) {
  add_matmuls(catalog, "f16_accumulation", "products are accumulated in f16 behind a claim of f32",
              &run_f16_accumulation<true>, &run_f16_accumulation<false>);
}

}  // namespace wm::WM_FLAVOUR
