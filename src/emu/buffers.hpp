#pragma once
// Device buffers of the emulator and the registry through which reports name them.
#include <memory>
#include <string>

#include "gpu/device.hpp"

namespace wm::emu {

/// `shadow`: the race detector watches it. Throws EnvironmentError when memory is short.
std::unique_ptr<Buffer> make_buffer(const std::string& name, std::size_t bytes,
                                    std::size_t element_bytes, Guard guard, bool shadow = false);
/// One sentence about changed canaries of a buffer made by make_buffer, or empty.
std::string canary_report(const Buffer& buffer);

/// `byte 4112 of buffer "y" (4096 bytes), 16 bytes past its end`, or that no buffer is there.
std::string describe_address(const void* address);

}  // namespace wm::emu
