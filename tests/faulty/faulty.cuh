#pragma once
// Registration of the faulty kernels: small f32 kernels, each with one planted fault, that only the
// binary warpmark_faulty carries. Every one claims to be correct and deterministic.
#include "gpu/kernel.hpp"
#include "ops/activation.hpp"
#include "ops/matmul.hpp"
#include "registry/register.hpp"

namespace wm::WM_FLAVOUR {

using LaunchFn = void (*)(const Problem&, const Config&, const LaunchArgs&);

/// relu over n*c*h*w elements in packed NCHW.
inline Variant faulty_activation(const char* algorithm, const char* summary, LaunchFn launch) {
  Variant variant;
  variant.id = variant_id<float>("activation_fwd", algorithm, Layout::nchw);
  variant.summary = summary;
  variant.supports = [](const Problem& problem, const DeviceProps&) {
    return problem.as<ActivationProblem>().fn == ActivationFn::relu ? Support::yes()
                                                                    : Support::no("only fn=relu");
  };
  variant.claims = [](const Problem&, const Config&) { return Claims{}; };
  variant.launch = launch;
  return variant;
}

/// d = a b, row-major and packed, one fma chain an output.
inline Variant faulty_matmul(const char* algorithm, const char* summary, LaunchFn launch,
                             std::size_t workspace_floats = 0) {
  Variant variant;
  variant.id = variant_id<float>("matmul", algorithm);
  variant.summary = summary;
  variant.supports = [](const Problem& problem, const DeviceProps&) {
    const auto& p = problem.as<MatmulProblem>();
    const bool plain = p.batch == 1 && !p.transpose_a && !p.transpose_b && p.alpha == 1 &&
                       p.beta == 0 && !p.bias && p.act == ActivationFn::identity;
    return plain ? Support::yes() : Support::no("only a plain product of one batch");
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
