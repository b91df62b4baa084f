#pragma once
// The resolved launch choice of an algorithm: a pure function of problem and device properties,
// printed in the record ("tile=64x64x8,splits=4") and forcible in a case.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wm {

class Config {
 public:
  Config() = default;
  Config& set(std::string name, std::string value);
  Config& set(std::string name, std::int64_t value);
  /// Text of an item; throws UsageError when absent.
  const std::string& text(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  bool has(std::string_view name) const;
  std::string to_string() const;               ///< "" for an algorithm without choices
  static Config parse(std::string_view text);  ///< throws UsageError
  const std::vector<std::pair<std::string, std::string>>& items() const { return items_; }
  bool operator==(const Config&) const = default;

 private:
  std::vector<std::pair<std::string, std::string>> items_;
};

}  // namespace wm
