// Planted fault: the input is overwritten.
#include "selfcheck/faulty/faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

__global__ void element_kernel(ElementArgs args) {
  const int i = thread_index();
  if (i >= args.count) return;
  args.y[i] = wm::fmax(args.x[i], 0.0F);
  const_cast<float*>(args.x)[i] = 0.0F;
}

void run(const Problem& problem, const Config&, const LaunchArgs& args) {
  const ElementArgs a = element_args(problem, args);
  launch<element_kernel>(element_shape(a.count), args.stream, a);
}

}  // namespace

void register_faulty_input_write(Catalog& catalog) {
  catalog.add(faulty_activation("faulty_input_write", "the input is overwritten", &run));
}

}  // namespace wm::WM_FLAVOUR
