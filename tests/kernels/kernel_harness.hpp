#pragma once
// Runs one variant on the emulator and judges it by the reference and the bound of its own claims:
// twice, with different poison in outputs and workspace, which must change nothing.
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/device.hpp"
#include "reference/reference.hpp"
#include "registry/catalog.hpp"

namespace wm::test {

struct KernelCase {
  std::string op;
  std::string algorithm;
  std::string keys;    ///< "m=3 n=5 k=7 dtype=f32"
  std::string config;  ///< empty: the heuristic's
  std::string recipe = "exact";
  Guard guard = Guard::none;
  Schedule schedule;
  std::string mma_model = "h100";
  bool padded = false;                    ///< strides with gaps, bases moved by one element
  std::function<void(HostTensor&)> edit;  ///< changes the filled inputs
  std::string text() const;
};

/// Algorithms of the op, for any type.
std::vector<std::string> all_algorithms(std::string_view op);

/// Empty when the variant refuses the problem or everything was right; else what was wrong.
/// `ran` (when given) tells which of the two.
std::string check_kernel(const KernelCase& kernel_case, bool* ran = nullptr);

struct KernelRun {
  std::vector<std::byte> output;
  Claims claims;
  double seconds = 0;
  double flops = 0;
};
/// One run, not judged. Throws where the variant refuses the problem.
KernelRun run_kernel(const KernelCase& kernel_case);

/// Expects check_kernel to find nothing for every algorithm of the op, and at least one to run.
void expect_all_pass(KernelCase kernel_case);

}  // namespace wm::test
