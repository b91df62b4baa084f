#pragma once
// From a plan to the records this run is to make: algorithm patterns expanded, devices named, the
// other shards' cases and the records of an earlier run left out.
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/plan.hpp"
#include "runner/assignment.hpp"
#include "runner/runner.hpp"

namespace wm {

class Planner {
 public:
  Planner(const Plan& plan, const RunOptions& options, const CatalogSet& catalogs)
      : plan_(plan), options_(options), catalogs_(catalogs) {}

  /// Walks the plan once: opens its devices, checks names and forced configs, counts. Not in a
  /// process that will fork, if there may be a CUDA device. The result is for `use`.
  nlohmann::ordered_json look() const;
  void use(const nlohmann::ordered_json& facts) { facts_ = facts; }

  /// Records of the whole plan and of this shard, and the SHA-256 over the former.
  std::int64_t records() const { return facts_.at("records"); }
  std::int64_t own_records() const { return facts_.at("own_records"); }
  std::string records_hash() const { return facts_.at("records_hash"); }
  const nlohmann::ordered_json& environment() const { return facts_.at("environment"); }
  bool uses_cuda() const { return facts_.at("uses_cuda"); }
  /// Cases of this shard.
  std::int64_t cases() const { return facts_.at("cases"); }

  /// Calls `visit` with the shard's assignments in order, each without the records `made` has
  /// marked, until it returns false.
  void for_each(const std::vector<bool>& made,
                const std::function<bool(Assignment&&)>& visit) const;

 private:
  using Visit = std::function<bool(Assignment&&, bool own)>;
  /// `device_of`: the id of the device of a case.
  void walk(const std::function<std::string(const Case&)>& device_of, const Visit& visit) const;
  CaseSettings settings_of(const Case& item) const;
  bool in_shard(const Case& item) const;

  const Plan& plan_;
  const RunOptions& options_;
  const CatalogSet& catalogs_;
  nlohmann::ordered_json facts_;
};

/// What `records_hash` takes of a record: a line with its case id and its variant.
std::string record_key(const std::string& case_id, const std::string& variant);

}  // namespace wm
