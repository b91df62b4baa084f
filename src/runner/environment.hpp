#pragma once
// Where a report was made: tool, compiler, host, device.
#include <nlohmann/json.hpp>

#include "gpu/device.hpp"

namespace wm {

/// `redact`: without the names of host and user.
nlohmann::ordered_json environment_json(const Device& device, bool redact);
std::string tool_version();
/// The time in UTC, as strftime's format says.
std::string utc_now(const char* format);
/// "gcc 12.2.0"
std::string compiler_text();
/// Flags of the kernels that counters are taken from.
std::string count_flags();

}  // namespace wm
