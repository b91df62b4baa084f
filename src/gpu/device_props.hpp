#pragma once
// What `configure` may depend on. On CUDA read from the device, on the emulator from a description.
#include <cstddef>
#include <string>

namespace wm {

struct DeviceProps {
  std::string name = "H200";
  std::string arch = "h200";
  int compute_capability = 90;
  int sm_count = 132;
  int warp_size = 32;
  int max_threads_per_block = 1024;
  int max_threads_per_sm = 2048;
  std::size_t shared_static_bytes = 48 * 1024;
  std::size_t shared_optin_bytes = 227 * 1024;
  /// Arithmetic of the tensor cores (core/mma_model.hpp): what the emulator computes with, and what
  /// error bounds are derived from. "any" where no model is known.
  std::string mma_model = "h100";
  std::size_t l2_bytes = 50 * 1024 * 1024;
};

}  // namespace wm
