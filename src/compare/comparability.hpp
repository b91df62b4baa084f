#pragma once
// Which measurements may stand beside each other: the comparability key of a timing.
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compare/finding.hpp"
#include "compare/snapshot.hpp"

namespace wm::compare {

/// Name and JSON text of each part, in a fixed order; a part that a report does not give is "".
using EnvironmentKey = std::vector<std::pair<std::string, std::string>>;

/// The parts of the key that one report's header decides: GPU name, architecture, SM count, ECC,
/// MIG, power cap, driver, CUDA runtime, libraries and their hashes.
EnvironmentKey environment_key(const nlohmann::ordered_json& header);

/// Names of the parts that differ, with both values: "driver (550.54 / 580.10)". Empty: equal keys.
std::string key_difference(const EnvironmentKey& base, const EnvironmentKey& fresh);

struct NoVerdict {
  Uncompared kind;
  std::string reason;
};

/// Why the two times of a matched pair get no verdict; nothing where a side has no time. Emulated
/// times are never compared; times of differing keys (environment, method, cache, recipe, math) are
/// cross-environment; others need the samples of several processes, which a record does not hold.
std::optional<NoVerdict> timing_verdict(const Snapshot& base, const Snapshot& fresh,
                                        const std::string& environment_difference);

}  // namespace wm::compare
