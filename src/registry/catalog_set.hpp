#pragma once
// The catalogs one binary carries, and how to reach its devices. A variant's identity does not
// depend on the flavour.
#include <memory>
#include <vector>

#include "gpu/device.hpp"
#include "registry/catalog.hpp"

namespace wm {

struct CatalogSet {
  Catalog emu;
  Catalog emu_race;  ///< the same kernels with every access reported; empty where not built
  Catalog cuda;
  /// Kernels that measure the hardware (src/probe): no run or list sees them.
  Catalog emu_probe, cuda_probe;
  /// Small kernels with a planted fault, and without it, of `warpmark selfcheck` alone.
  Catalog selfcheck;
  Catalog selfcheck_race;  ///< empty where not built
  /// CUDA devices that work here; null in a build without the CUDA flavour.
  std::vector<std::unique_ptr<Device>> (*make_cuda_devices)() = nullptr;

  bool has_race_build() const { return !emu_race.variants().empty(); }
  bool has_cuda_build() const { return make_cuda_devices != nullptr; }
};

}  // namespace wm
