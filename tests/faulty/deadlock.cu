// Planted fault: a warp waits for a lane that has already left.
#include "selfcheck/faulty/faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

__global__ void element_kernel(ElementArgs args) {
  const int i = thread_index();
  if (i < args.count) args.y[i] = wm::fmax(args.x[i], 0.0F);
  if (threadIdx.x == 5) return;
  if (threadIdx.x < 32) __syncwarp();
}

void run(const Problem& problem, const Config&, const LaunchArgs& args) {
  const ElementArgs a = element_args(problem, args);
  launch<element_kernel>(element_shape(a.count), args.stream, a);
}

}  // namespace

void register_faulty_deadlock(Catalog& catalog) {
  catalog.add(
      faulty_activation("faulty_deadlock", "a warp waits for a lane that has already left", &run));
}

}  // namespace wm::WM_FLAVOUR
