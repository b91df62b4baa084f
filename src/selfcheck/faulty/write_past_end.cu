// Planted fault: one element just past the end of the output is written.
#include "selfcheck/faulty/faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

template <bool kFaulty>
__global__ void write_past_end_kernel(ElementArgs args) {
  const int i = thread_index();
  const int end = args.count + (kFaulty ? 1 : 0);
  if (i < end) args.y[i] = i < args.count ? wm::fmax(args.x[i], 0.0F) : 1.0F;
}

template <bool kFaulty>
void run_write_past_end(const Problem& problem, const Config&, const LaunchArgs& args) {
  const ElementArgs a = element_args(problem, args);
  launch<write_past_end_kernel<kFaulty>>(element_shape(a.count + 1), args.stream, a);
}

}  // namespace

void register_faulty_write_past_end(Catalog& catalog) {
  add_activations(catalog, "write_past_end",
                  "one element just past the end of the output is written",
                  &run_write_past_end<true>, &run_write_past_end<false>);
}

}  // namespace wm::WM_FLAVOUR
