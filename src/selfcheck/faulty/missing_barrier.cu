// Planted fault: shared memory written by another thread is read without a barrier.
#include "selfcheck/faulty/faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

template <bool kFaulty>
__global__ void missing_barrier_kernel(ElementArgs args) {
  const int i = thread_index();
  WM_SHARED(float, tile, [128]);
  const int lane = static_cast<int>(threadIdx.x);
  const int mirror = 127 - lane;
  const int from = i - lane + mirror;
  tile[mirror] = from < args.count ? args.x[from] : 0.0F;
  if constexpr (!kFaulty) __syncthreads();
  if (i < args.count) args.y[i] = wm::fmax(tile[lane], 0.0F);
}

template <bool kFaulty>
void run_missing_barrier(const Problem& problem, const Config&, const LaunchArgs& args) {
  const ElementArgs a = element_args(problem, args);
  launch<missing_barrier_kernel<kFaulty>>(element_shape(a.count), args.stream, a);
}

}  // namespace

void register_faulty_missing_barrier(Catalog& catalog) {
  add_activations(catalog, "missing_barrier",
                  "shared memory written by another thread is read without a barrier",
                  &run_missing_barrier<true>, &run_missing_barrier<false>);
}

}  // namespace wm::WM_FLAVOUR
