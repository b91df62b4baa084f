#pragma once
// Where a report was made: tool, compiler, host, device.
#include <nlohmann/json.hpp>

#include "gpu/device.hpp"

namespace wm {

nlohmann::ordered_json environment_json(const Device& device);
std::string tool_version();

}  // namespace wm
