// Counters of a record as people read them.
#include "core/text.hpp"
#include "report/text.hpp"

namespace wm::report {

using nlohmann::ordered_json;

double used_percent(const ordered_json& counters) {
  const double requested = number_of(counters, "global_sectors_requested");
  return requested == 0 ? 100 : 100 * number_of(counters, "global_sectors_used") / requested;
}

double lanes_a_request(const ordered_json& counters) {
  double lanes = 0, requests = 0;
  for (const char* kind : {"global_load", "global_store", "global_copy", "global_atomic",
                           "shared_load", "shared_store", "shared_atomic"}) {
    lanes += number_of(counters, std::string(kind) + "_lanes");
    requests += number_of(counters, std::string(kind) + "_requests");
  }
  return requests == 0 ? 0 : lanes / requests;
}

std::string counters_text(const ordered_json& counters) {
  if (const std::string reason = text_of(counters, "reason"); !reason.empty())
    return "none: " + reason;
  const auto count = [&](const char* name) { return format_real(number_of(counters, name)); };
  return count("global_sectors_requested") + " sectors, " + short_number(used_percent(counters)) +
         " % used; " + count("shared_wavefronts") + " wavefronts, " + count("shared_conflicts") +
         " conflicts; " + short_number(lanes_a_request(counters)) + " lanes a request; " +
         count("barriers") + " barriers; " + count("atomics") + " atomics; " + count("mma") +
         " mma";
}

}  // namespace wm::report
