#include "compare/thresholds.hpp"

#include <algorithm>

#include "compare/file_keys.hpp"
#include "config/axis.hpp"
#include "core/text.hpp"

namespace wm::compare {

const std::array<LimitKey, 6>& limit_keys() {
  static const std::array<LimitKey, 6> keys{{
      {"max_ulp_rise_ulp", &Limits::max_ulp_rise_ulp},
      {"max_ulp_rise_percent", &Limits::max_ulp_rise_percent},
      {"bound_utilisation_rise_fraction", &Limits::bound_utilisation_rise_fraction},
      {"bound_utilisation_rise_percent", &Limits::bound_utilisation_rise_percent},
      {"counter_rise_percent", &Limits::counter_rise_percent},
      {"workspace_rise_bytes", &Limits::workspace_rise_bytes},
  }};
  return keys;
}

class ThresholdsReader {
 public:
  explicit ThresholdsReader(const JsonDocument& document) : document_(document) {}

  Thresholds read() const {
    check_root(document_, "warpmark.thresholds/1", {"schema", "$schema", "defaults", "overrides"});
    Thresholds thresholds;
    if (const JsonNode* defaults = document_.root.find("defaults")) {
      expect_kind(document_, *defaults, JsonNode::Kind::object, "an object of limits");
      for (const auto& [limit, value] : read_limits(*defaults, "defaults", {})) {
        thresholds.defaults_.*limit = value;
      }
    }
    if (const JsonNode* overrides = array_of(document_, document_.root, "overrides", false)) {
      for (const JsonNode& item : overrides->items) {
        expect_kind(document_, item, JsonNode::Kind::object, "an object: variant and limits");
        thresholds.overrides_.push_back({required_text(document_, item, "variant"),
                                         read_limits(item, "an override", {"variant", "reason"})});
      }
    }
    return thresholds;
  }

 private:
  std::vector<Thresholds::Set> read_limits(const JsonNode& object, const std::string& what,
                                           const std::vector<std::string>& others) const {
    std::vector<std::string> allowed = others;
    for (const LimitKey& key : limit_keys()) allowed.emplace_back(key.name);
    std::vector<Thresholds::Set> sets;
    for (const JsonMember& member : object.members) {
      check_unit(member);
      if (std::find(others.begin(), others.end(), member.key) != others.end()) continue;
      for (const LimitKey& key : limit_keys()) {
        if (key.name == member.key) sets.push_back({key.limit, limit_of(member.value)});
      }
    }
    check_members(document_, object, what, allowed);
    return sets;
  }

  void check_unit(const JsonMember& member) const {
    std::vector<std::string> with_unit;
    for (const LimitKey& key : limit_keys()) {
      if (key.name.starts_with(member.key + "_") && member.key.ends_with("_rise")) {
        with_unit.emplace_back(key.name);
      }
    }
    if (with_unit.empty()) return;
    throw ConfigError(document_.where(member),
                      "key '" + member.key + "' has no unit; write " + join(with_unit, " or "));
  }

  double limit_of(const JsonNode& node) const {
    const auto value = node.is_number() ? parse_real(node.text) : std::nullopt;
    if (!value || *value < 0) {
      fail_at(document_, node, "expected a number of at least 0, got " + node.describe());
    }
    return *value;
  }

  const JsonDocument& document_;
};

Limits Thresholds::of(std::string_view variant) const {
  Limits limits = defaults_;
  for (const Override& each : overrides_) {
    if (!glob_match(each.variant, variant)) continue;
    for (const Set& set : each.sets) limits.*(set.limit) = set.value;
  }
  return limits;
}

Thresholds Thresholds::read(const std::string& file) {
  return ThresholdsReader(*read_json_file(file)).read();
}

Thresholds Thresholds::parse(const std::string& name, const std::string& text) {
  return ThresholdsReader(*parse_json(name, text)).read();
}

}  // namespace wm::compare
