#pragma once
// --require deterministic,batch_invariant: what every record of an audit must have been seen to be,
// whatever is claimed.
#include <ostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace wm {

class RequiredProperties {
 public:
  static const std::vector<std::string>& words();
  explicit RequiredProperties(std::vector<std::string> required) : required_(std::move(required)) {}

  void record(const nlohmann::ordered_json& record);
  /// One line an unmet record with the probe and the repro; whether all were met.
  bool conclude(std::ostream& errors) const;

 private:
  std::vector<std::string> required_;
  std::vector<std::string> unmet_;
};

}  // namespace wm
