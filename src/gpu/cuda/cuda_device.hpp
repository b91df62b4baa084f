#pragma once
// The CUDA side of the Device interface.
#include <memory>
#include <vector>

#include "gpu/device.hpp"

namespace wm {

/// One Device a GPU. Empty where there is no driver or no GPU; throws nothing then.
std::vector<std::unique_ptr<Device>> make_cuda_devices();

}  // namespace wm
