#pragma once
// Tiny kernels whose counts can be worked out by hand. Each is registered as an algorithm whose
// launcher gets one buffer: float data[65536] (LaunchArgs::workspace), zeros, aligned to 256 bytes.
#include "gpu/kernel.hpp"
#include "registry/register.hpp"

namespace wm::WM_FLAVOUR {

inline constexpr int kOut = 32768;  ///< first element that kernels write their results to

using CountedLaunch = void (*)(float* data, Stream stream);

inline void add_counted(Catalog& catalog, const char* name, CountedLaunch launch) {
  Variant variant;
  variant.id = variant_id<float>("activation_fwd", name, Layout::nchw);
  variant.summary = "a kernel for the tests of the counters";
  variant.supports = [](const Problem&, const DeviceProps&) { return Support::yes(); };
  variant.claims = [](const Problem&, const Config&) { return Claims{}; };
  variant.launch = [launch](const Problem&, const Config&, const LaunchArgs& args) {
    launch(static_cast<float*>(args.workspace), args.stream);
  };
  catalog.add(variant);
}

/// Registers a kernel with its launch shape under a name.
#define WM_COUNTED(name, blocks, threads, ...)                                                   \
  add_counted(catalog, name, [](float* data, Stream stream) {                                    \
    launch<__VA_ARGS__>(                                                                         \
        {.grid = dim3(blocks), .block = threads, .shared_bytes = 0, .blocks_communicate = true}, \
        stream, data);                                                                           \
  })

}  // namespace wm::WM_FLAVOUR
