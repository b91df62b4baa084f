// Planted fault: the last thread also writes 64 KiB past the end of the output.
#include "selfcheck/faulty/faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

__global__ void element_kernel(ElementArgs args) {
  const int i = thread_index();
  if (i < args.count) args.y[i] = wm::fmax(args.x[i], 0.0F);
  if (i == args.count - 1) args.y[i + 16384] = 1.0F;
}

void run(const Problem& problem, const Config&, const LaunchArgs& args) {
  const ElementArgs a = element_args(problem, args);
  launch<element_kernel>(element_shape(a.count), args.stream, a);
}

}  // namespace

void register_faulty_out_of_bounds_write(Catalog& catalog) {
  catalog.add(faulty_activation("faulty_out_of_bounds_write",
                                "the last thread also writes 64 KiB past the end of the output",
                                &run));
}

}  // namespace wm::WM_FLAVOUR
