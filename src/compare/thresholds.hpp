#pragma once
// How far a number may move before it is a regression (configs/schema/thresholds.schema.json).
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace wm::compare {

/// A rise counts when it is above the absolute and above the relative limit.
struct Limits {
  double max_ulp_rise_ulp = 0.5;
  double max_ulp_rise_percent = 10;
  double bound_utilisation_rise_fraction = 0.02;  ///< of the bound
  double bound_utilisation_rise_percent = 10;
  double counter_rise_percent = 0;
  double workspace_rise_bytes = 0;
};

/// The keys of a thresholds file and the limit each sets.
struct LimitKey {
  std::string_view name;
  double Limits::*limit;
};
const std::array<LimitKey, 6>& limit_keys();

class Thresholds {
 public:
  /// The limits of one variant: the defaults, then each matching override in the order of the file.
  Limits of(std::string_view variant) const;

  /// Throws ConfigError with file, line and JSON pointer for an unknown key (naming the nearest
  /// one), a missing or other `schema`, a limit that is no finite number of at least 0, or an
  /// override without `variant`.
  static Thresholds read(const std::string& file);
  static Thresholds parse(const std::string& name, const std::string& text);

 private:
  struct Set {
    double Limits::*limit;
    double value;
  };
  struct Override {
    std::string variant;  ///< glob
    std::vector<Set> sets;
  };
  friend class ThresholdsReader;

  Limits defaults_;
  std::vector<Override> overrides_;
};

}  // namespace wm::compare
