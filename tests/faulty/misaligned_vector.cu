// Planted fault: 16-byte loads from an address that is only 4-byte aligned.
#include "faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

__global__ void element_kernel(ElementArgs args) {
  const int i = thread_index();
  if (i == 0 && args.count > 4) {
    const Vec<float, 4> values = load_vec<4>(args.x + 1);
    args.y[0] = values[0];
  }
  if (i < args.count) args.y[i] = wm::fmax(args.x[i], 0.0F);
}

void run(const Problem& problem, const Config&, const LaunchArgs& args) {
  const ElementArgs a = element_args(problem, args);
  launch<element_kernel>(element_shape(a.count), args.stream, a);
}

}  // namespace

void register_faulty_misaligned_vector(Catalog& catalog) {
  catalog.add(faulty_activation("faulty_misaligned_vector",
                                "16-byte loads from an address that is only 4-byte aligned", &run));
}

}  // namespace wm::WM_FLAVOUR
