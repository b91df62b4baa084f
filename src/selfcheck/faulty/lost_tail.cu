// Planted fault: the elements after the last whole vector of four are never written.
#include "selfcheck/faulty/faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

template <bool kFaulty>
__global__ void lost_tail_kernel(ElementArgs args) {
  const int i = thread_index();
  if (i < (kFaulty ? args.count / 4 * 4 : args.count)) args.y[i] = wm::fmax(args.x[i], 0.0F);
}

template <bool kFaulty>
void run_lost_tail(const Problem& problem, const Config&, const LaunchArgs& args) {
  const ElementArgs a = element_args(problem, args);
  launch<lost_tail_kernel<kFaulty>>(element_shape(a.count), args.stream, a);
}

}  // namespace

void register_faulty_lost_tail(Catalog& catalog) {
  add_activations(catalog, "lost_tail",
                  "the elements after the last whole vector of four are never written",
                  &run_lost_tail<true>, &run_lost_tail<false>);
}

}  // namespace wm::WM_FLAVOUR
