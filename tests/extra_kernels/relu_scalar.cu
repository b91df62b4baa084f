// relu, one element a thread: the smallest complete kernel file, as a user would put it into a
// folder of their own (docs/adding-an-algorithm.md).
//
// Mapping: thread i handles element i; 256 threads a block. Traffic: one read and one write of T an
// element, coalesced. Wins nowhere: 16-byte accesses (activation/vectorised) need a quarter of the
// instructions. Packed NCHW only.
#include "gpu/kernel.hpp"
#include "ops/activation.hpp"
#include "registry/register.hpp"

namespace wm::WM_FLAVOUR {
namespace {

template <class T>
__global__ void __launch_bounds__(256) relu_kernel(const T* x, T* y, std::int64_t count) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * 256 + threadIdx.x;
  if (i < count) y[i] = from_acc<T>(wm::fmax_nan(to_acc(x[i]), acc_t<T>(0)));
}

Support supports(const Problem& problem, const DeviceProps&) {
  if (problem.as<ActivationProblem>().fn != ActivationFn::relu) return Support::no("only fn=relu");
  for (const TensorDesc& desc : problem.tensors)
    if (desc.strides != packed_strides(desc.dims) || desc.offset != 0)
      return Support::no("only packed tensors");
  return Support::yes();
}

template <class T>
void run(const Problem& problem, const Config&, const LaunchArgs& args) {
  const std::int64_t count = problem.tensor("x").elements();
  if (count == 0) return;
  const dim3 grid(static_cast<unsigned>((count + 255) / 256));
  launch<relu_kernel<T>>({.grid = grid, .block = dim3(256)}, args.stream, args.data<const T>("x"),
                         args.data<T>("y"), count);
}

template <class T>
Variant make_variant() {
  Variant variant;
  variant.id = variant_id<T>("activation_fwd", "relu_scalar", Layout::nchw);
  variant.summary = "relu, one element a thread";
  variant.supports = &supports;
  variant.claims = [](const Problem&, const Config&) { return Claims{}; };
  variant.launch = &run<T>;
  return variant;
}

}  // namespace

void register_extra_kernels_relu_scalar(Catalog& catalog) {
  for_types<float, f16>([&]<class T>() { catalog.add(make_variant<T>()); });
}

}  // namespace wm::WM_FLAVOUR
