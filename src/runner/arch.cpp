// Which GPU the emulator poses as, so that `configure` chooses as it would there: one of the
// descriptions in the binary, or a file of the user's.
#include <algorithm>

#include "core/error.hpp"
#include "core/mma_rules.hpp"
#include "core/text.hpp"
#include "runner/device_description.hpp"
#include "runner/mma_file.hpp"
#include "runner/runner.hpp"

namespace wm {
namespace {

constexpr std::string_view kFileSuffix = ".json";

/// Where the part before "+MODEL" ends: the first '+' after the name of a known GPU or after a
/// file, whose path may hold a '+' itself.
std::size_t end_of_arch(const std::string& name) {
  const std::size_t plus = name.find('+');
  const std::vector<std::string> known = emu_arch_names();
  if (std::find(known.begin(), known.end(), name.substr(0, plus)) != known.end()) return plus;
  const std::size_t suffix = name.find(std::string(kFileSuffix) + "+");
  return suffix == std::string::npos ? suffix : suffix + kFileSuffix.size();
}

/// The name of a model, published or of a file.
std::string model_name_of(const std::string& text) {
  if (!text.ends_with(kFileSuffix)) return std::string(mma_model(text).name);
  return std::string(add_mma_model(read_mma_model(text)).name);
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
  if (plus != std::string::npos) props.mma_model = model_name_of(name.substr(plus + 1));
  return props;
}

}  // namespace wm
