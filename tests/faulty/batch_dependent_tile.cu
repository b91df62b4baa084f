// Planted fault: the order of the sum depends on the number of rows, behind a claim of batch
// invariance.
#include "faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

void run(const Problem& problem, const Config&, const LaunchArgs& args) {
  const MatmulArgs a = matmul_args(problem, args);
  const int first = a.m > 32 ? a.k / 2 : 0;
  launch<rotated_matmul_kernel>(matmul_shape(a), args.stream, a, first);
}

}  // namespace

void register_faulty_batch_dependent_tile(Catalog& catalog) {
  catalog.add(faulty_matmul("faulty_batch_dependent_tile",
                            "the order of the sum depends on the number of rows", &run));
}

}  // namespace wm::WM_FLAVOUR
