#pragma once
// Small kernels of the race detector's tests. Each is registered as an algorithm whose launcher
// gets one buffer: int data[] (LaunchArgs::workspace), zeros.
#include "gpu/kernel.hpp"
#include "registry/register.hpp"

namespace wm::WM_FLAVOUR {

/// Uses all of a wide read: of a vector of which one element is used, clang++ reads only that.
__device__ inline int sum_of(const Vec<int, 4>& four) {
  return four[0] + four[1] + four[2] + four[3];
}

using PlantedLaunch = void (*)(int* data, Stream stream);

inline void add_planted(Catalog& catalog, const char* name, PlantedLaunch launch) {
  Variant variant;
  variant.id = variant_id<float>("activation_fwd", name, Layout::nchw);
  variant.summary = "a kernel for the race detector";
  variant.supports = [](const Problem&, const DeviceProps&) { return Support::yes(); };
  variant.claims = [](const Problem&, const Config&) { return Claims{}; };
  variant.launch = [launch](const Problem&, const Config&, const LaunchArgs& args) {
    launch(static_cast<int*>(args.workspace), args.stream);
  };
  catalog.add(variant);
}

/// Registers `kernel` with its launch shape under its own name.
#define WM_PLANT(kernel, blocks, threads)                      \
  add_planted(catalog, #kernel, [](int* data, Stream stream) { \
    launch<kernel>({.grid = dim3(blocks),                      \
                    .block = dim3(threads),                    \
                    .shared_bytes = 4096,                      \
                    .blocks_communicate = true},               \
                   stream, data);                              \
  })

}  // namespace wm::WM_FLAVOUR
