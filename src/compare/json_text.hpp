#pragma once
// Values as JSON text: the form in which a comparison keeps, compares and stores them.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace wm::compare {

/// A quoted JSON string; bytes that are no UTF-8 are replaced.
std::string json_text(std::string_view text);
/// A number; "NaN", "Infinity" and "-Infinity" are strings, as in a record.
std::string json_text(double value);
/// The value of such a text; the text itself as a string where it is no JSON.
nlohmann::ordered_json json_value(const std::string& text);

/// Compact text of a JSON value, at most `depth` levels deep: deeper ones are cut to "...".
std::string bounded_text(const nlohmann::ordered_json& value, int depth = 6);

}  // namespace wm::compare
