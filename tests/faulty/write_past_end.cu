// Planted fault: one element just past the end of the output is written.
#include "faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

__global__ void element_kernel(ElementArgs args) {
  const int i = thread_index();
  if (i <= args.count) args.y[i] = i < args.count ? wm::fmax(args.x[i], 0.0F) : 1.0F;
}

void run(const Problem& problem, const Config&, const LaunchArgs& args) {
  const ElementArgs a = element_args(problem, args);
  launch<element_kernel>(element_shape(a.count + 1), args.stream, a);
}

}  // namespace

void register_faulty_write_past_end(Catalog& catalog) {
  catalog.add(faulty_activation("faulty_write_past_end",
                                "one element just past the end of the output is written", &run));
}

}  // namespace wm::WM_FLAVOUR
