#pragma once
// Running the planted kernels on emu-race.
#include <string>

#include "gpu/device.hpp"

namespace wm::test {

/// A device and its buffer `data`, zeros.
class PlantedRun {
 public:
  explicit PlantedRun(std::size_t element_bytes = 4);
  /// What the launch of a kernel reports; empty when nothing.
  std::string operator()(const std::string& kernel, const Schedule& schedule = {});

 private:
  std::unique_ptr<Device> device_;
  std::unique_ptr<Buffer> buffer_;
};

}  // namespace wm::test
