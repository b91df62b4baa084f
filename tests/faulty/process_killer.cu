// Planted faults of a process, by the width of the problem: in 200 consecutive widths one dies by
// an invalid access on the host, one by abort, one never ends in a kernel and one never ends on the
// host. All others are right.
#include <cstdlib>

#include "selfcheck/faulty/faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

constexpr int kPeriod = 200, kInvalidAccess = 1, kEndlessKernel = 51, kAbort = 101,
              kEndlessHost = 151;

__global__ void element_kernel(ElementArgs args, bool endless) {
  const int i = thread_index();
  if (i >= args.count) return;
  volatile bool again = endless;
  do {
    args.y[i] = wm::fmax(args.x[i], 0.0F);
  } while (again);
}

void run(const Problem& problem, const Config&, const LaunchArgs& args) {
  const ElementArgs a = element_args(problem, args);
  const int kind = static_cast<int>(problem.as<ActivationProblem>().w % kPeriod);
  launch<element_kernel>(element_shape(a.count), args.stream, a, kind == kEndlessKernel);
  volatile bool forever = kind == kEndlessHost;
  while (forever) {
  }
  volatile int* volatile nowhere = nullptr;
  if (kind == kInvalidAccess) *nowhere = 1;
  if (kind == kAbort) std::abort();
}

}  // namespace

void register_faulty_process_killer(Catalog& catalog) {
  catalog.add(faulty_activation("faulty_process_killer",
                                "of 200 widths one crashes, one aborts and two never end", &run));
}

}  // namespace wm::WM_FLAVOUR
