// Planted fault: the order of the sum depends on the number of rows, behind a claim of batch
// invariance.
#include "selfcheck/faulty/faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

template <bool kFaulty>
void run_batch_dependent_tile(const Problem& problem, const Config&, const LaunchArgs& args) {
  const MatmulArgs a = matmul_args(problem, args);
  const int first = kFaulty && a.m > 32 ? a.k / 2 : 0;
  launch<rotated_matmul_kernel>(matmul_shape(a), args.stream, a, first);
}

}  // namespace

void register_faulty_batch_dependent_tile(Catalog& catalog) {
  add_matmuls(catalog, "batch_dependent_tile", "the order of the sum depends on the number of rows",
              &run_batch_dependent_tile<true>, &run_batch_dependent_tile<false>);
}

}  // namespace wm::WM_FLAVOUR
