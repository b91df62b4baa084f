#pragma once
// Counters of one case (docs/counters.md) and their place in a record.
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device.hpp"
#include "runner/execution.hpp"

namespace wm {

struct CaseCounters {
  std::vector<KernelCounters> kernels;  ///< in the order of their first launch
  std::string reason;                   ///< why they are not whole; empty when they are
};

/// Runs the kernels once more and counts. A launch that cannot be counted gives the reason.
CaseCounters count_run(Device& device, Execution& execution, const ExecutionSettings& settings);

/// The totals over all kernels, then a row a kernel; with what the numbers depend on.
nlohmann::ordered_json counters_json(const CaseCounters& counters);

}  // namespace wm
