#include "compare/comparability.hpp"

#include <array>

#include "compare/json_text.hpp"

namespace wm::compare {
namespace {

using json = nlohmann::ordered_json;

struct Part {
  const char* name;
  const char* pointer;  ///< into the header's environment
};

constexpr std::array<Part, 11> kParts{{{"GPU", "/device/name"},
                                       {"architecture", "/device/arch"},
                                       {"tensor-core model", "/device/mma_model"},
                                       {"SM count", "/device/sm_count"},
                                       {"ECC", "/device/ecc"},
                                       {"MIG", "/device/mig"},
                                       {"power cap", "/device/power_cap"},
                                       {"driver", "/driver"},
                                       {"CUDA runtime", "/cuda_runtime"},
                                       {"libraries", "/libraries"},
                                       {"native code or JIT", "/device/code"}}};

void add_difference(std::string& list, const std::string& name, std::string_view base,
                    std::string_view fresh) {
  if (base == fresh) return;
  list += list.empty() ? "" : ", ";
  list += name;
  list.append(" (").append(base.empty() ? "not given" : base).append(" / ");
  list.append(fresh.empty() ? "not given" : fresh).append(")");
}

}  // namespace

EnvironmentKey environment_key(const json& header) {
  EnvironmentKey key;
  const auto environment = header.find("environment");
  for (const Part& part : kParts) {
    const json::json_pointer pointer(part.pointer);
    const bool given = environment != header.end() && environment->contains(pointer);
    key.emplace_back(part.name, given ? bounded_text(environment->at(pointer)) : "");
  }
  return key;
}

std::string key_difference(const EnvironmentKey& base, const EnvironmentKey& fresh) {
  std::string list;
  for (std::size_t i = 0; i < base.size(); ++i) {
    add_difference(list, base[i].first, base[i].second, fresh[i].second);
  }
  return list;
}

std::optional<NoVerdict> timing_verdict(const Snapshot& base, const Snapshot& fresh,
                                        const std::string& environment_difference) {
  if (!base.has_timing || !fresh.has_timing) return std::nullopt;
  if (base.emulated_time || fresh.emulated_time) {
    return NoVerdict{Uncompared::not_compared, "emulated times are never compared"};
  }
  std::string differs = environment_difference;
  add_difference(differs, "timing method", base.timing_method, fresh.timing_method);
  add_difference(differs, "cache", base.timing_cache, fresh.timing_cache);
  add_difference(differs, "recipe", base.recipe, fresh.recipe);
  add_difference(differs, "math", base.math, fresh.math);
  add_difference(differs, "device", base.device, fresh.device);
  if (!differs.empty()) return NoVerdict{Uncompared::cross_environment, differs};
  return NoVerdict{Uncompared::not_compared,
                   "one median a side is no evidence: a verdict needs replicates"};
}

}  // namespace wm::compare
