#pragma once
// The prober of tensor cores on a device.
#include <vector>

#include "gpu/device.hpp"
#include "probe/mma_probe.hpp"
#include "registry/catalog.hpp"

namespace wm {

/// Probes every operand type the device has. `kernels` is the device's probe catalog (CatalogSet).
/// Throws EnvironmentError where the device has no tensor core.
std::vector<ProbedOperand> probe_device_mma(Device& device, const Catalog& kernels);

}  // namespace wm
