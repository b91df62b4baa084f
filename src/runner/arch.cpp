// Device properties the emulator can take on, so that `configure` chooses as it would on that GPU.
// Sources: NVIDIA A100, H100, H200, B200 and Ada architecture white papers; the CUDA C++
// Programming Guide's table of technical specifications per compute capability (shared memory,
// threads per SM).
#include "core/error.hpp"
#include "core/text.hpp"
#include "runner/runner.hpp"

namespace wm {
namespace {

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * 1024;

DeviceProps describe(std::string arch, std::string name, int capability, int sms,
                     int threads_per_sm, std::size_t optin, std::size_t l2) {
  DeviceProps props;
  props.arch = std::move(arch);
  props.name = std::move(name);
  props.compute_capability = capability;
  props.sm_count = sms;
  props.max_threads_per_sm = threads_per_sm;
  props.shared_optin_bytes = optin;
  props.l2_bytes = l2;
  return props;
}

const std::vector<DeviceProps>& known() {
  static const std::vector<DeviceProps> list{
      describe("h200", "NVIDIA H200", 90, 132, 2048, 227 * kKiB, 50 * kMiB),
      describe("h100", "NVIDIA H100 SXM", 90, 132, 2048, 227 * kKiB, 50 * kMiB),
      describe("a100", "NVIDIA A100", 80, 108, 2048, 163 * kKiB, 40 * kMiB),
      describe("b200", "NVIDIA B200", 100, 148, 2048, 227 * kKiB, 126 * kMiB),
      describe("rtx4090", "NVIDIA GeForce RTX 4090", 89, 128, 1536, 99 * kKiB, 72 * kMiB),
  };
  return list;
}

}  // namespace

std::vector<std::string> emu_arch_names() {
  std::vector<std::string> names;
  for (const DeviceProps& props : known()) names.push_back(props.arch);
  return names;
}

const DeviceProps& emu_arch(const std::string& name) {
  for (const DeviceProps& props : known())
    if (props.arch == name) return props;
  throw UsageError(unknown_message("emulated architecture", name, emu_arch_names()));
}

}  // namespace wm
