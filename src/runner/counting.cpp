#include "runner/counting.hpp"

#include "core/error.hpp"
#include "runner/environment.hpp"

namespace wm {
namespace {

void add_counts(const Counters& counters, nlohmann::ordered_json& to) {
  const CounterTotals totals = totals_of(counters);
  to["global_sectors_requested"] = totals.global_sectors_requested;
  to["global_sectors_used"] = totals.global_sectors_used;
  to["shared_wavefronts"] = totals.shared_wavefronts;
  to["shared_conflicts"] = totals.shared_conflicts;
  to["atomics"] = totals.atomics;
  for_each_counter(counters,
                   [&](const std::string& name, std::uint64_t value) { to[name] = value; });
}

/// Ends counting however the run ends.
class Counting {
 public:
  explicit Counting(Device& device) : device_(device) { device_.begin_counting(); }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;
  ~Counting() { device_.end_counting(); }
  std::vector<KernelCounters> end() { return device_.end_counting(); }

 private:
  Device& device_;
};

}  // namespace

CaseCounters count_run(Device& device, Execution& execution, const ExecutionSettings& settings) {
  CaseCounters counters;
  Counting counting(device);
  try {
    execution.run(settings);
    counters.kernels = counting.end();
  } catch (const KernelError& error) {
    counters.reason = error.what();
  }
  return counters;
}

nlohmann::ordered_json counters_json(const CaseCounters& counters) {
  nlohmann::ordered_json out{{"compiler", compiler_text()}, {"flags", count_flags()}};
  if (!counters.reason.empty()) {
    out["reason"] = counters.reason;
    return out;
  }
  Counters sum;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const KernelCounters& each : counters.kernels) {
    sum += each.counters;
    nlohmann::ordered_json row{{"kernel", each.kernel},
                               {"launches", each.launches},
                               {"blocks", each.blocks},
                               {"threads", each.threads}};
    add_counts(each.counters, row);
    rows.push_back(std::move(row));
  }
  add_counts(sum, out);
  out["kernels"] = std::move(rows);
  return out;
}

}  // namespace wm
