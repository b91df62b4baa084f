#include "gpu/counters.hpp"

namespace wm {

CounterTotals totals_of(const Counters& c) {
  return {
      .global_sectors_requested =
          c.global_load.sectors + c.global_store.sectors + c.global_copy.sectors,
      .global_sectors_used =
          c.global_load.sectors_used + c.global_store.sectors_used + c.global_copy.sectors_used,
      .shared_wavefronts = c.shared_load.wavefronts + c.shared_store.wavefronts +
                           c.shared_copy.wavefronts + c.ldmatrix.wavefronts,
      .shared_conflicts = c.shared_load.conflicts + c.shared_store.conflicts +
                          c.shared_copy.conflicts + c.ldmatrix.conflicts,
      .atomics = c.global_atomic.lanes + c.shared_atomic.lanes,
  };
}

Counters& operator+=(Counters& sum, const Counters& other) {
  std::vector<std::uint64_t> values;
  for_each_counter(other,
                   [&](const std::string&, std::uint64_t value) { values.push_back(value); });
  auto next = values.begin();
  for_each_counter(sum, [&](const std::string&, std::uint64_t& value) { value += *next++; });
  return sum;
}

}  // namespace wm
