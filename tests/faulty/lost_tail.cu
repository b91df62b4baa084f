// Planted fault: the elements after the last whole vector of four are never written.
#include "faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

__global__ void element_kernel(ElementArgs args) {
  const int i = thread_index();
  if (i < args.count / 4 * 4) args.y[i] = wm::fmax(args.x[i], 0.0F);
}

void run(const Problem& problem, const Config&, const LaunchArgs& args) {
  const ElementArgs a = element_args(problem, args);
  launch<element_kernel>(element_shape(a.count), args.stream, a);
}

}  // namespace

void register_faulty_lost_tail(Catalog& catalog) {
  catalog.add(faulty_activation(
      "faulty_lost_tail", "the elements after the last whole vector of four are never written",
      &run));
}

}  // namespace wm::WM_FLAVOUR
