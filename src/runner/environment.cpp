#include "runner/environment.hpp"

#include <pwd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace wm {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* kRedacted = "redacted";

/// The value behind "key :" or "key=" in a file of such lines; empty where there is none.
std::string field_of(const char* file, const std::string& key, char separator) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const auto at = line.find(separator);
    if (at == std::string::npos) continue;
    const auto begin = line.find_first_not_of(" \t\"", at + 1);
    const auto end = line.find_last_not_of(" \t\"");
    return begin == std::string::npos || end < begin ? "" : line.substr(begin, end - begin + 1);
  }
  return "";
}

std::string first_line(const char* file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// Absent is absent: null, not a guess.
json or_null(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

std::string user_name() {
  const passwd* entry = getpwuid(geteuid());
  return entry ? entry->pw_name : std::to_string(geteuid());
}

std::string container() {
  if (const char* told = std::getenv("container")) return told;
  if (std::filesystem::exists("/.dockerenv")) return "docker";
  return std::filesystem::exists("/run/.containerenv") ? "podman" : "";
}

/// Those of the list that are set.
json variables(std::initializer_list<const char*> names) {
  json found = json::object();
  for (const char* name : names)
    if (const char* value = std::getenv(name)) found[name] = value;
  return found;
}

/// What decides which code is loaded and how it computes.
json loader_and_math_variables() {
  return variables(
      {"LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "GLIBC_TUNABLES", "CUDA_INJECTION64_PATH",
       "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_LAUNCH_BLOCKING", "CUDA_MODULE_LOADING",
       "CUDA_FORCE_PTX_JIT", "CUDA_CACHE_DISABLE", "CUBLAS_WORKSPACE_CONFIG", "CUDNN_LOGLEVEL_DBG",
       "NVIDIA_TF32_OVERRIDE", "NVIDIA_VISIBLE_DEVICES", "OMP_NUM_THREADS", "MALLOC_ARENA_MAX"});
}

json scheduler_variables() {
  return variables({"SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", "SLURM_PROCID",
                    "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ID",
                    "CI_JOB_ID", "CI_NODE_INDEX", "GITHUB_RUN_ID", "GITHUB_SHA", "BUILD_ID"});
}

json host_json(bool redact) {
  utsname system{};
  uname(&system);
  const std::string governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  return {{"name", redact ? kRedacted : system.nodename},
          {"user", redact ? kRedacted : user_name()},
          {"cpu", or_null(field_of("/proc/cpuinfo", "model name", ':'))},
          {"microcode", or_null(field_of("/proc/cpuinfo", "microcode", ':'))},
          {"threads", std::thread::hardware_concurrency()},
          {"governor", or_null(governor)},
          {"memory", or_null(field_of("/proc/meminfo", "MemTotal", ':'))},
          {"cpu_limit", or_null(first_line("/sys/fs/cgroup/cpu.max"))},
          {"system", std::string(system.sysname) + " " + system.release},
          {"distribution", or_null(field_of("/etc/os-release", "PRETTY_NAME", '='))},
          {"machine", system.machine},
          {"container", or_null(container())},
          {"scheduler", scheduler_variables()}};
}

}  // namespace

std::string compiler_text() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

std::string count_flags() { return WARPMARK_COUNT_FLAGS; }

std::string tool_version() { return WARPMARK_VERSION; }

std::string utc_now(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof(text), format, &parts)};
}

json environment_json(const Device& device, bool redact) {
  const DeviceProps& props = device.props();
  return {{"tool", {{"name", "warpmark"}, {"version", tool_version()}}},
          {"compiler", compiler_text()},
          {"build_flags", WARPMARK_BUILD_FLAGS},
          {"variables", loader_and_math_variables()},
          {"host", host_json(redact)},
          {"device",
           {{"id", device.id()},
            {"emulated", device.kind() != DeviceKind::cuda},
            {"name", props.name},
            {"arch", props.arch},
            {"mma_model", props.mma_model},
            {"sm_count", props.sm_count}}},
          {"redacted", redact}};
}

}  // namespace wm
