#pragma once
// What a run amounts to: counts, coverage, and the findings that no single record can tell. Made
// from the records alone, so that a resumed or merged report has the summary of an undisturbed one.
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace wm {

class Summary {
 public:
  void add(const nlohmann::ordered_json& record);
  /// `whole`: the records are those of a whole plan, so that what only all of them together can
  /// tell is told (coverage, mistrusted variants, nondeterminism not observed).
  nlohmann::ordered_json to_json(double wall_s, bool interrupted, std::int64_t min_passed,
                                 bool whole) const;

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
    bool trusted = false;
    std::int64_t index = -1;  ///< of the record whose repro it is: the first of the plan
    std::string repro;
  };
  void add_schedule_probe(const nlohmann::ordered_json& record, Coverage& coverage);
  void add_trust(const nlohmann::ordered_json& record, const std::string& variant);

  std::map<std::string, std::int64_t> by_status_;
  std::map<std::string, Coverage> variants_;
  std::map<std::pair<std::string, std::string>, Trust> trust_;
};

}  // namespace wm
