#include "gpu/device.hpp"

#include "core/error.hpp"

namespace wm {

void Device::begin_counting() {
  throw UsageError("device " + id() + " cannot count; counters need device emu-race");
}

}  // namespace wm
