// Device properties the emulator can take on, so that `configure` chooses as it would on that GPU.
// Sources: NVIDIA A100, H100, H200, B200 and Ada architecture white papers; the CUDA C++
// Programming Guide's table of technical specifications per compute capability (shared memory,
// threads per SM). Tensor-core models: core/mma_model.hpp; an H200 has the multiprocessors of an
// H100.
#include "core/error.hpp"
#include "core/mma_model.hpp"
#include "core/text.hpp"
#include "runner/runner.hpp"

namespace wm {
namespace {

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * 1024;

DeviceProps describe(std::string arch, std::string name, std::string mma_model, int capability,
                     int sms, int threads_per_sm, std::size_t optin, std::size_t l2) {
  DeviceProps props;
  props.arch = std::move(arch);
  props.name = std::move(name);
  props.mma_model = std::move(mma_model);
  props.compute_capability = capability;
  props.sm_count = sms;
  props.max_threads_per_sm = threads_per_sm;
  props.shared_optin_bytes = optin;
  props.l2_bytes = l2;
  return props;
}

const std::vector<DeviceProps>& known() {
  static const std::vector<DeviceProps> list{
      describe("h200", "NVIDIA H200", "h100", 90, 132, 2048, 227 * kKiB, 50 * kMiB),
      describe("h100", "NVIDIA H100 SXM", "h100", 90, 132, 2048, 227 * kKiB, 50 * kMiB),
      describe("a100", "NVIDIA A100", "a100", 80, 108, 2048, 163 * kKiB, 40 * kMiB),
      describe("b200", "NVIDIA B200", "b200", 100, 148, 2048, 227 * kKiB, 126 * kMiB),
      describe("rtx4090", "NVIDIA GeForce RTX 4090", "ada", 89, 128, 1536, 99 * kKiB, 72 * kMiB),
  };
  return list;
}

}  // namespace

std::vector<std::string> emu_arch_names() {
  std::vector<std::string> names;
  for (const DeviceProps& props : known()) names.push_back(props.arch);
  return names;
}

DeviceProps emu_arch(const std::string& name) {
  const std::size_t plus = name.find('+');
  const std::string arch = name.substr(0, plus);
  for (const DeviceProps& known_props : known()) {
    if (known_props.arch != arch) continue;
    DeviceProps props = known_props;
    if (plus != std::string::npos) props.mma_model = mma_model(name.substr(plus + 1)).name;
    return props;
  }
  throw UsageError(unknown_message("emulated architecture", arch, emu_arch_names()));
}

}  // namespace wm
