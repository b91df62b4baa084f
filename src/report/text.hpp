#pragma once
// Text helpers of the renderers: escaping, and reading fields that may be absent.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace wm::report {

/// Text from users as literal Markdown, also inside a table cell (no line breaks, no markup).
std::string md_escape(std::string_view text);
/// A fenced code block whose fence no content can close.
std::string md_code_block(std::string_view text);
/// One field of RFC 4180 CSV.
std::string csv_field(std::string_view text);

/// A string field, empty where absent.
std::string text_of(const nlohmann::ordered_json& object, std::string_view key);
/// A number, also written "NaN" or "Infinity"; `fallback` where absent.
double number_of(const nlohmann::ordered_json& object, std::string_view key, double fallback = 0);
/// The object under `key`, or an empty one.
const nlohmann::ordered_json& object_of(const nlohmann::ordered_json& object, std::string_view key);

/// Three significant digits ("0.123", "1.23e+06", "NaN").
std::string short_number(double value);
/// "12.3 us", "1.20 ms", "3.40 s".
std::string duration(double nanoseconds);
/// The problem without what its variant already says and without keys at their usual defaults.
std::string short_problem(const nlohmann::ordered_json& record);

/// Largest bound utilisation over the tensors of a record, -1 without accuracy.
double worst_utilisation(const nlohmann::ordered_json& record);
/// Statuses that stand for a finding: failed, convention, nondeterministic, error, mistrusted.
bool is_red(std::string_view status);

}  // namespace wm::report
