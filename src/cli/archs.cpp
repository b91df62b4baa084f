#include "cli/archs.hpp"

#include <cstdio>

#include "runner/runner.hpp"

namespace wm {

using json = nlohmann::ordered_json;

json archs_json() {
  json archs = json::array();
  for (const DeviceProps& props : emu_arch_list()) {
    const PeakRates& peaks = props.peaks;
    archs.push_back({{"arch", props.arch},
                     {"name", props.name},
                     {"compute_capability", props.compute_capability},
                     {"sm_count", props.sm_count},
                     {"warp_size", props.warp_size},
                     {"max_threads_per_block", props.max_threads_per_block},
                     {"max_threads_per_sm", props.max_threads_per_sm},
                     {"max_blocks_per_sm", props.max_blocks_per_sm},
                     {"registers_per_sm", props.registers_per_sm},
                     {"shared_static_bytes", props.shared_static_bytes},
                     {"shared_optin_bytes", props.shared_optin_bytes},
                     {"shared_per_sm_bytes", props.shared_per_sm_bytes},
                     {"mma_model", props.mma_model},
                     {"l2_bytes", props.l2_bytes},
                     {"memory_bytes", props.memory_bytes},
                     {"peaks",
                      {{"boost_clock_hz", peaks.boost_clock_hz},
                       {"memory_bytes_per_s", peaks.memory_bytes_per_s},
                       {"f64", peaks.f64},
                       {"f32", peaks.f32},
                       {"f16", peaks.f16},
                       {"bf16", peaks.bf16},
                       {"tensor_f64", peaks.tensor_f64},
                       {"tensor_tf32", peaks.tensor_tf32},
                       {"tensor_f16", peaks.tensor_f16},
                       {"tensor_bf16", peaks.tensor_bf16},
                       {"tensor_f8", peaks.tensor_f8},
                       {"tensor_i8", peaks.tensor_i8}}}});
  }
  return archs;
}

void print_archs(const json& archs) {
  std::printf("%-8s  %-24s %4s %4s  %11s  %9s  %9s  %6s  %9s  %14s\n", "arch", "name", "sm_", "SMs",
              "shared KiB", "L2 MiB", "GB/s", "MHz", "f32 TF/s", "tensor f16 TF/s");
  for (const json& arch : archs) {
    const json& peaks = arch["peaks"];
    const auto number = [](const json& value, double unit) { return value.get<double>() / unit; };
    std::printf("%-8s  %-24s %4d %4d  %11.0f  %9.0f  %9.0f  %6.0f  %9.1f  %14.1f\n",
                arch["arch"].get_ref<const std::string&>().c_str(),
                arch["name"].get_ref<const std::string&>().c_str(),
                arch["compute_capability"].get<int>(), arch["sm_count"].get<int>(),
                number(arch["shared_optin_bytes"], 1024), number(arch["l2_bytes"], 1024 * 1024),
                number(peaks["memory_bytes_per_s"], 1e9), number(peaks["boost_clock_hz"], 1e6),
                number(peaks["f32"], 1e12), number(peaks["tensor_f16"], 1e12));
  }
}

}  // namespace wm
