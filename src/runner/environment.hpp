#pragma once
// Where a report was made: tool, compiler, host, device.
#include <nlohmann/json.hpp>

#include "gpu/device.hpp"

namespace wm {

/// `redact`: without the names of host and user.
nlohmann::ordered_json environment_json(const Device& device, bool redact);
std::string tool_version();

}  // namespace wm
