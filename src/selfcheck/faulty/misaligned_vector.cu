// Planted fault: 16-byte loads from an address that is only 4-byte aligned.
#include "selfcheck/faulty/faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

template <bool kFaulty>
__global__ void misaligned_vector_kernel(ElementArgs args) {
  const int i = thread_index();
  if (i == 0 && args.count > 4) {
    const Vec<float, 4> values = load_vec<4>(args.x + (kFaulty ? 1 : 0));
    args.y[0] = values[0];
  }
  if (i < args.count) args.y[i] = wm::fmax(args.x[i], 0.0F);
}

template <bool kFaulty>
void run_misaligned_vector(const Problem& problem, const Config&, const LaunchArgs& args) {
  const ElementArgs a = element_args(problem, args);
  launch<misaligned_vector_kernel<kFaulty>>(element_shape(a.count), args.stream, a);
}

}  // namespace

void register_faulty_misaligned_vector(Catalog& catalog) {
  add_activations(catalog, "misaligned_vector",
                  "16-byte loads from an address that is only 4-byte aligned",
                  &run_misaligned_vector<true>, &run_misaligned_vector<false>);
}

}  // namespace wm::WM_FLAVOUR
