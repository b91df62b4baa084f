#pragma once
// What a comparison keeps of one record. A baseline of a million records is held in memory, so
// texts that many records share are stored once.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace wm::compare {

/// Stores equal texts once; the views live as long as the pool.
class Pool {
 public:
  std::string_view keep(std::string_view text) {
    return *texts_.emplace(text).first;  // nodes of the set do not move
  }

 private:
  std::unordered_set<std::string> texts_;
};

/// Named values as pooled text, for values that many records share: a line each, name, tab, value.
using Lines = std::string_view;

/// Named values in the order of the record; a value is JSON text ("true", "\"f32\"", "12").
using Fields = std::vector<std::pair<std::string_view, std::string>>;

struct TensorErrors {
  std::string_view tensor;
  double max_ulp = 0;
  double bound_utilisation = 0;
};

struct Snapshot {
  std::string case_id, repro;
  std::string_view variant, algorithm;  ///< `algorithm` is provider:op/algorithm
  std::string_view device, status, config, recipe, math;
  std::string reason;
  bool ran = false;  ///< has claims: the case was launched
  double workspace_bytes = 0;
  Lines claims;
  bool deterministic = true, bit_twin = true;  ///< as claimed
  Fields digests;                              ///< tensor -> quoted SHA-256
  Lines probes;                                ///< "rerun.y" and its verdict
  Fields trees;                                ///< tensor -> {"height", "hash"}
  std::vector<TensorErrors> errors;
  std::vector<std::pair<std::string_view, double>> counters;
  std::string_view counter_key;  ///< compiler, version and flags the counters depend on
  std::string_view timing_method, timing_cache;
  bool has_timing = false, emulated_time = false;
};

Fields fields_of(Lines lines);

/// Reads a record of schema warpmark.record/1. Throws UsageError for a record without case_id,
/// variant or status, or with a field of another type.
Snapshot snapshot_of(const nlohmann::ordered_json& record, Pool& pool);

/// The value of `name`, or nullptr.
const std::string* find(const Fields& fields, std::string_view name);

}  // namespace wm::compare
