// Which GPU the emulator poses as, so that `configure` chooses as it would there: one of the
// descriptions in the binary, or a file of the user's.
#include "core/error.hpp"
#include "core/mma_model.hpp"
#include "core/text.hpp"
#include "runner/device_description.hpp"
#include "runner/runner.hpp"

namespace wm {
namespace {

constexpr std::string_view kFileSuffix = ".json";

/// Where the part before "+MODEL" ends. A file's path may hold a '+' itself.
std::size_t end_of_arch(const std::string& name) {
  const std::size_t suffix = name.rfind(kFileSuffix);
  return name.find('+', suffix == std::string::npos ? 0 : suffix);
}

DeviceProps props_of(const std::string& arch) {
  if (arch.ends_with(kFileSuffix)) return device_of(*read_json_file(arch));
  for (const DeviceProps& props : known_devices())
    if (props.arch == arch) return props;
  throw UsageError(unknown_message("emulated architecture", arch, emu_arch_names()) +
                   ", or a FILE.json that describes a GPU");
}

}  // namespace

std::vector<std::string> emu_arch_names() {
  std::vector<std::string> names;
  for (const DeviceProps& props : known_devices()) names.push_back(props.arch);
  return names;
}

std::vector<DeviceProps> emu_arch_list() { return known_devices(); }

DeviceProps emu_arch(const std::string& name) {
  const std::size_t plus = end_of_arch(name);
  DeviceProps props = props_of(name.substr(0, plus));
  if (plus != std::string::npos) props.mma_model = mma_model(name.substr(plus + 1)).name;
  return props;
}

}  // namespace wm
