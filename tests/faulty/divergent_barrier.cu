// Planted fault: half of the block waits at one barrier, the rest at another.
#include "selfcheck/faulty/faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

__global__ void element_kernel(ElementArgs args) {
  const int i = thread_index();
  if (threadIdx.x < 64) {
    __syncthreads();
  } else {
    __syncthreads();
  }
  if (i < args.count) args.y[i] = wm::fmax(args.x[i], 0.0F);
}

void run(const Problem& problem, const Config&, const LaunchArgs& args) {
  const ElementArgs a = element_args(problem, args);
  launch<element_kernel>(element_shape(a.count), args.stream, a);
}

}  // namespace

void register_faulty_divergent_barrier(Catalog& catalog) {
  catalog.add(faulty_activation("faulty_divergent_barrier",
                                "half of the block waits at one barrier, the rest at another",
                                &run));
}

}  // namespace wm::WM_FLAVOUR
