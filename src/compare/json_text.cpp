#include "compare/json_text.hpp"

#include <cmath>
#include <cstdint>

#include "core/text.hpp"

namespace wm::compare {
namespace {

using json = nlohmann::ordered_json;

}  // namespace

std::string json_text(std::string_view text) { return bounded_text(json(text)); }

std::string json_text(double value) {
  if (!std::isfinite(value)) return "\"" + format_real(value) + "\"";
  constexpr double kExact = 9007199254740992.0;  // integers below are exact in a double
  if (std::trunc(value) == value && std::abs(value) < kExact) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  return json(value).dump();
}

json json_value(const std::string& text) {
  json value = json::parse(text, nullptr, false);
  return value.is_discarded() ? json(text) : value;
}

std::string bounded_text(const json& value, int depth) {
  if (!value.is_structured()) return value.dump(-1, ' ', false, json::error_handler_t::replace);
  if (depth == 0) return "...";
  std::string text = value.is_object() ? "{" : "[";
  for (const auto& [key, item] : value.items()) {
    if (text.size() > 1) text += ",";
    if (value.is_object()) text += json_text(std::string_view(key)) + ":";
    text += bounded_text(item, depth - 1);
  }
  return text + (value.is_object() ? "}" : "]");
}

}  // namespace wm::compare
