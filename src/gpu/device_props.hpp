#pragma once
// What `configure` may depend on. On CUDA read from the device, on the emulator from a description
// (configs/devices/*.json).
#include <cstddef>
#include <string>

namespace wm {

/// Published peak rates, dense: what the units could do at the boost clock. 0 where the GPU has no
/// such unit or nothing is known (always on CUDA, which does not report them).
struct PeakRates {
  double boost_clock_hz = 1.98e9;
  double memory_bytes_per_s = 4.8e12;
  // FLOP/s outside the tensor cores; a fused multiply-add counts as two.
  double f64 = 33.5e12;
  double f32 = 66.9e12;
  double f16 = 133.8e12;
  double bf16 = 133.8e12;
  // FLOP/s of the tensor cores by input type; f16, bf16 and f8 with f32 accumulation.
  double tensor_f64 = 66.9e12;
  double tensor_tf32 = 494.7e12;
  double tensor_f16 = 989.4e12;
  double tensor_bf16 = 989.4e12;
  double tensor_f8 = 1978.9e12;
  double tensor_i8 = 1978.9e12;  ///< operations/s

  bool operator==(const PeakRates&) const = default;
};

struct DeviceProps {
  std::string name = "NVIDIA H200-SXM-141GB";
  std::string arch = "h200";
  int compute_capability = 90;
  int sm_count = 132;
  int warp_size = 32;
  int max_threads_per_block = 1024;
  int max_threads_per_sm = 2048;
  int max_blocks_per_sm = 32;
  int registers_per_sm = 65536;  ///< of 32 bits
  std::size_t shared_static_bytes = 48 * 1024;
  std::size_t shared_optin_bytes = 227 * 1024;  ///< of a block, static and dynamic
  std::size_t shared_per_sm_bytes = 228 * 1024;
  /// Arithmetic of the tensor cores (core/mma_model.hpp): what the emulator computes with, and what
  /// error bounds are derived from. "any" where no model is known.
  std::string mma_model = "h100";
  std::size_t l2_bytes = 50 * 1024 * 1024;
  std::size_t memory_bytes = 141'000'000'000;
  PeakRates peaks;

  bool operator==(const DeviceProps&) const = default;
};

}  // namespace wm
