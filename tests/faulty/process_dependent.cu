// Planted fault: the order of the sum depends on the process.
#include <unistd.h>

#include "selfcheck/faulty/faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

void run(const Problem& problem, const Config&, const LaunchArgs& args) {
  const MatmulArgs a = matmul_args(problem, args);
  const int first = static_cast<int>(getpid() % 97);
  launch<rotated_matmul_kernel>(matmul_shape(a), args.stream, a, first);
}

}  // namespace

void register_faulty_process_dependent(Catalog& catalog) {
  catalog.add(faulty_matmul("faulty_process_dependent",
                            "the order of the sum depends on the process", &run));
}

}  // namespace wm::WM_FLAVOUR
