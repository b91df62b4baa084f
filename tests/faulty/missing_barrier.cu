// Planted fault: shared memory written by another thread is read without a barrier.
#include "faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

__global__ void element_kernel(ElementArgs args) {
  const int i = thread_index();
  WM_SHARED(float, tile, [128]);
  const int lane = static_cast<int>(threadIdx.x);
  const int mirror = 127 - lane;
  const int from = i - lane + mirror;
  tile[mirror] = from < args.count ? args.x[from] : 0.0F;
  if (i < args.count) args.y[i] = wm::fmax(tile[lane], 0.0F);
}

void run(const Problem& problem, const Config&, const LaunchArgs& args) {
  const ElementArgs a = element_args(problem, args);
  launch<element_kernel>(element_shape(a.count), args.stream, a);
}

}  // namespace

void register_faulty_missing_barrier(Catalog& catalog) {
  catalog.add(faulty_activation("faulty_missing_barrier",
                                "shared memory written by another thread is read without a barrier",
                                &run));
}

}  // namespace wm::WM_FLAVOUR
