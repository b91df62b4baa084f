// Planted fault: the order of the sum depends on what ran before in the process.
#include "selfcheck/faulty/faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

void run(const Problem& problem, const Config&, const LaunchArgs& args) {
  const MatmulArgs a = matmul_args(problem, args);
  const int first = element_launches() > 0 ? a.k / 2 : 0;
  launch<rotated_matmul_kernel>(matmul_shape(a), args.stream, a, first);
}

}  // namespace

void register_faulty_state_of_other_ops(Catalog& catalog) {
  catalog.add(faulty_matmul("faulty_state_of_other_ops",
                            "the order of the sum depends on what ran before", &run));
}

}  // namespace wm::WM_FLAVOUR
