#pragma once
// The device side of one (problem, variant, config): its buffers, and runs of the kernel over them
// under the knobs a probe turns.
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "gpu/device.hpp"
#include "reference/reference.hpp"
#include "registry/variant.hpp"

namespace wm {

struct ExecutionSettings {
  Schedule schedule;
  Poison output_poison =
      Poison::nan;  ///< outputs (and shared memory on the emulator) start as this
  Poison workspace_poison = Poison::nan;
};

struct RunOutputs {
  /// Device bytes of each output (span of the tensor, without its offset), in problem order.
  std::vector<std::vector<std::byte>> outputs;
  double elapsed_ns = 0;
  /// A violated buffer rule ("input 'w' was written"), empty when all hold.
  std::string violation;
};

class Execution {
 public:
  /// Uploads `inputs` (values in logical order). Throws EnvironmentError when memory is short.
  Execution(Device& device, const Variant& variant, const Problem& problem, const Config& config,
            const std::vector<HostTensor>& inputs, Guard guard);

  /// Poisons, launches, waits, checks every buffer, downloads. Throws KernelError.
  RunOutputs run(const ExecutionSettings& settings);
  std::size_t workspace_bytes() const { return workspace_bytes_; }

 private:
  struct Slot {
    const TensorDesc* desc;
    std::unique_ptr<Buffer> buffer;
    std::vector<std::byte> input_bytes;  // what an input must still hold after the run
  };

  void add_slot(const TensorDesc& desc, const HostTensor* input, Guard guard);
  std::string check_buffers(const ExecutionSettings& settings, RunOutputs& result);
  std::string check_input(const Slot& slot);
  std::string check_gaps(const Slot& slot, const std::vector<std::byte>& bytes, Poison poison);

  Device& device_;
  const Variant& variant_;
  const Problem& problem_;
  Config config_;
  std::vector<Slot> slots_;
  std::unique_ptr<Buffer> workspace_;
  std::size_t workspace_bytes_ = 0;
};

}  // namespace wm
