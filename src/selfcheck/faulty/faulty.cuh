#pragma once
// Registration of the faulty kernels: small f32 kernels, each with one planted fault. Every one
// claims to be correct, deterministic and batch invariant. Those of this folder come with the same
// kernel without the fault (`sound_...`) and are part of the tool, for `warpmark selfcheck` alone.
#include <string>

#include "gpu/kernel.hpp"
#include "ops/activation.hpp"
#include "ops/matmul.hpp"
#include "registry/register.hpp"

namespace wm::WM_FLAVOUR {

inline bool all_packed(const Problem& problem) {
  for (const TensorDesc& desc : problem.tensors)
    if (!desc.packed()) return false;
  return true;
}

using LaunchFn = void (*)(const Problem&, const Config&, const LaunchArgs&);

/// relu over n*c*h*w elements in packed NCHW.
inline Variant faulty_activation(const std::string& algorithm, const std::string& summary,
                                 LaunchFn launch) {
  Variant variant;
  variant.id = variant_id<float>("activation_fwd", algorithm, Layout::nchw);
  variant.summary = summary;
  variant.supports = [](const Problem& problem, const DeviceProps&) {
    return problem.as<ActivationProblem>().fn == ActivationFn::relu && all_packed(problem)
               ? Support::yes()
               : Support::no("only fn=relu, packed");
  };
  variant.claims = [](const Problem&, const Config&) { return Claims{}; };
  variant.launch = launch;
  return variant;
}

/// d = a b, row-major and packed, one fma chain an output.
inline Variant faulty_matmul(const std::string& algorithm, const std::string& summary,
                             LaunchFn launch, std::size_t workspace_floats = 0) {
  Variant variant;
  variant.id = variant_id<float>("matmul", algorithm);
  variant.summary = summary;
  variant.supports = [](const Problem& problem, const DeviceProps&) {
    const auto& p = problem.as<MatmulProblem>();
    const bool plain = p.batch == 1 && !p.transpose_a && !p.transpose_b && p.alpha == 1 &&
                       p.beta == 0 && !p.bias && p.act == ActivationFn::identity &&
                       all_packed(problem);
    return plain ? Support::yes() : Support::no("only a plain product of one batch, packed");
  };
  variant.workspace_bytes = [workspace_floats](const Problem&, const Config&) {
    return workspace_floats * sizeof(float);
  };
  variant.claims = [](const Problem& problem, const Config&) {
    Claims claims;
    claims.tree_height = static_cast<double>(problem.as<MatmulProblem>().k);
    return claims;
  };
  variant.launch = launch;
  return variant;
}

/// Adds `faulty_<name>` and `sound_<name>`, the same kernel without the fault.
inline void add_activations(Catalog& catalog, const std::string& name, const std::string& fault,
                            LaunchFn faulty, LaunchFn sound) {
  catalog.add(faulty_activation("faulty_" + name, fault, faulty));
  catalog.add(faulty_activation("sound_" + name, "relu without the planted fault", sound));
}
inline void add_matmuls(Catalog& catalog, const std::string& name, const std::string& fault,
                        LaunchFn faulty, LaunchFn sound, std::size_t workspace_floats = 0) {
  catalog.add(faulty_matmul("faulty_" + name, fault, faulty, workspace_floats));
  catalog.add(
      faulty_matmul("sound_" + name, "product without the planted fault", sound, workspace_floats));
}

struct MatmulArgs {
  const float* a;
  const float* b;
  float* d;
  float* workspace;
  int m, n, k;
};

inline MatmulArgs matmul_args(const Problem& problem, const LaunchArgs& args) {
  const auto& p = problem.as<MatmulProblem>();
  return {args.data<const float>("a"), args.data<const float>("b"),
          args.data<float>("d"),       static_cast<float*>(args.workspace),
          static_cast<int>(p.m),       static_cast<int>(p.n),
          static_cast<int>(p.k)};
}

inline LaunchShape matmul_shape(const MatmulArgs& args) {
  return {.grid = dim3(static_cast<unsigned>((args.n + 15) / 16),
                       static_cast<unsigned>((args.m + 15) / 16)),
          .block = dim3(16, 16)};
}

/// One fma chain an output that begins at product `first` and goes round.
__global__ void rotated_matmul_kernel(MatmulArgs args, int first) {
  const int col = static_cast<int>(blockIdx.x * 16 + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * 16 + threadIdx.y);
  if (row >= args.m || col >= args.n) return;
  float sum = 0.0F;
  for (int i = 0; i < args.k; ++i) {
    const int at = (first + i) % args.k;
    sum = wm::fma(args.a[row * args.k + at], args.b[at * args.n + col], sum);
  }
  args.d[row * args.n + col] = sum;
}

struct ElementArgs {
  const float* x;
  float* y;
  int count;
};

/// Launches of element kernels in this process.
inline int& element_launches() {
  static int count = 0;
  return count;
}

inline ElementArgs element_args(const Problem& problem, const LaunchArgs& args) {
  ++element_launches();
  return {args.data<const float>("x"), args.data<float>("y"),
          static_cast<int>(problem.tensor("y").elements())};
}

inline LaunchShape element_shape(int threads) {
  return {.grid = dim3(static_cast<unsigned>((threads + 127) / 128)), .block = dim3(128)};
}

__device__ inline int thread_index() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

}  // namespace wm::WM_FLAVOUR
