#include "runner/environment.hpp"

#include <sys/utsname.h>

#include <fstream>
#include <string>
#include <thread>

namespace wm {
namespace {

std::string cpu_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("model name")) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

}  // namespace

std::string tool_version() { return WARPMARK_VERSION; }

nlohmann::ordered_json environment_json(const Device& device) {
  utsname system{};
  uname(&system);
  const DeviceProps& props = device.props();
  return {{"tool", {{"name", "warpmark"}, {"version", tool_version()}}},
          {"compiler", compiler()},
          {"build_flags", WARPMARK_BUILD_FLAGS},
          {"host",
           {{"cpu", cpu_model()},
            {"threads", std::thread::hardware_concurrency()},
            {"system", std::string(system.sysname) + " " + system.release},
            {"machine", system.machine}}},
          {"device",
           {{"id", device.id()},
            {"emulated", device.kind() != DeviceKind::cuda},
            {"name", props.name},
            {"arch", props.arch},
            {"mma_model", props.mma_model},
            {"sm_count", props.sm_count}}}};
}

}  // namespace wm
