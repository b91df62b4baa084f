#pragma once
// What a run amounts to: counts, coverage, and the findings that no single record can tell.
#include <cstdint>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "registry/variant.hpp"
#include "runner/case_run.hpp"

namespace wm {

class Summary {
 public:
  void add(const Case& item, const VariantId& id, const CaseResult& result);
  nlohmann::ordered_json to_json(double wall_s, bool interrupted, std::int64_t min_passed) const;

 private:
  struct Coverage {
    std::int64_t passed = 0;
    std::int64_t records = 0;
    bool claims_nondeterminism = false;  // on some problem under a rounding recipe
    bool schedule_probed = false;
    bool seen_to_differ = false;
  };
  /// A variant on one problem: whether any gate could have seen a lost term.
  struct Trust {
    bool ran = false;
    bool trusted = false;
    std::string repro;
  };

  std::map<std::string, std::int64_t> by_status_;
  std::map<std::string, Coverage> variants_;
  std::map<std::pair<std::string, std::string>, Trust> trust_;
};

}  // namespace wm
