// relu with a race, as a user's mistake: each thread copies its partner's element and then clamps
// its own, which the partner may not have copied yet. `warpmark run --device emu-race` names both
// lines (docs/adding-an-algorithm.md).
//
// Mapping: thread i copies element i ^ 1 and clamps element i; 256 threads a block. Packed NCHW, an
// even number of elements.
#include "gpu/kernel.hpp"
#include "ops/activation.hpp"
#include "registry/register.hpp"

namespace wm::WM_FLAVOUR {
namespace {

__global__ void __launch_bounds__(256)
    relu_paired_kernel(const float* x, float* y, std::int64_t count) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * 256 + threadIdx.x;
  if (i >= count) return;
  y[i ^ 1] = x[i ^ 1];
  y[i] = wm::fmax_nan(y[i], 0.0F);  // needs a __syncthreads before it
}

Support supports(const Problem& problem, const DeviceProps&) {
  const TensorDesc& x = problem.tensor("x");
  if (problem.as<ActivationProblem>().fn != ActivationFn::relu) return Support::no("only fn=relu");
  if (!x.packed() || x.offset != 0 || x.elements() % 2 != 0)
    return Support::no("only packed tensors of an even number of elements");
  return Support::yes();
}

void run(const Problem& problem, const Config&, const LaunchArgs& args) {
  const std::int64_t count = problem.tensor("x").elements();
  if (count == 0) return;
  launch<relu_paired_kernel>(
      {.grid = dim3(static_cast<unsigned>((count + 255) / 256)), .block = dim3(256)}, args.stream,
      args.data<const float>("x"), args.data<float>("y"), count);
}

}  // namespace

void register_extra_kernels_relu_paired(Catalog& catalog) {
  Variant variant;
  variant.id = variant_id<float>("activation_fwd", "relu_paired", Layout::nchw);
  variant.summary = "relu with a race between two threads";
  variant.supports = &supports;
  variant.claims = [](const Problem&, const Config&) { return Claims{}; };
  variant.launch = &run;
  catalog.add(variant);
}

}  // namespace wm::WM_FLAVOUR
