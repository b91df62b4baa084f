#include "report/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>

namespace wm::report {
namespace {

using json = nlohmann::ordered_json;

std::string formatted(const char* format, double value) {
  std::array<char, 64> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), format, value);
  return {buffer.data(), static_cast<std::size_t>(length)};
}

}  // namespace

std::string md_escape(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    if (c == '\n' || c == '\r') {
      escaped += ' ';
      continue;
    }
    if (c == '<') {
      escaped += "&lt;";
      continue;
    }
    if (c == '&') {
      escaped += "&amp;";
      continue;
    }
    if (std::string_view("\\`*_{}[]()#+!|~>").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string md_code_block(std::string_view text) {
  std::size_t longest = 2, run = 0;
  for (char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fence + "\n" + std::string(text) + "\n" + fence + "\n";
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string text_of(const json& object, std::string_view key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

double number_of(const json& object, std::string_view key, double fallback) {
  const auto found = object.find(key);
  if (found == object.end()) return fallback;
  if (found->is_number()) return found->get<double>();
  if (*found == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (*found == "Infinity") return std::numeric_limits<double>::infinity();
  if (*found == "-Infinity") return -std::numeric_limits<double>::infinity();
  return fallback;
}

const json& object_of(const json& object, std::string_view key) {
  static const json empty = json::object();
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? *found : empty;
}

std::string short_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return formatted("%.3g", value);
}

std::string duration(double nanoseconds) {
  if (nanoseconds < 1e3) return formatted("%.0f ns", nanoseconds);
  if (nanoseconds < 1e6) return formatted("%.3g us", nanoseconds / 1e3);
  if (nanoseconds < 1e9) return formatted("%.3g ms", nanoseconds / 1e6);
  return formatted("%.2f s", nanoseconds / 1e9);
}

std::string short_problem(const json& record) {
  static const std::set<std::string> variant_keys{"dtype", "acc", "math", "layout"};
  static const std::set<std::string> usual{"batch=1",
                                           "transpose_a=0",
                                           "transpose_b=0",
                                           "alpha=1",
                                           "beta=0",
                                           "pad=0",
                                           "stride=1",
                                           "dil=1",
                                           "groups=1",
                                           "bias=0",
                                           "act=none",
                                           "residual=0",
                                           "epilogue=none",
                                           "mode=channel",
                                           "kind=accurate",
                                           "act=identity",
                                           "mode=cross_correlation"};
  // The case keeps the op's order of keys, which a JSON object does not.
  std::string result;
  const json& problem = object_of(record, "problem");
  const std::string text = text_of(record, "case");
  for (std::size_t at = text.find(' '); at != std::string::npos;) {
    const std::size_t next = text.find(' ', at + 1);
    const std::string item = text.substr(at + 1, next == std::string::npos ? next : next - at - 1);
    const std::string key = item.substr(0, item.find('='));
    if (!problem.contains(key)) break;
    if (!variant_keys.contains(key) && !usual.contains(item)) {
      result += (result.empty() ? "" : " ") + item;
    }
    at = next;
  }
  return result;
}

double worst_utilisation(const json& record) {
  double worst = -1;
  for (const json& tensor : object_of(record, "accuracy")) {
    const double value = number_of(tensor, "bound_utilisation");
    if (std::isnan(value)) return value;
    worst = std::max(worst, value);
  }
  return worst;
}

bool is_red(std::string_view status) {
  constexpr std::array<std::string_view, 5> kRed{"failed", "convention", "nondeterministic",
                                                 "error", "mistrusted"};
  return std::find(kRed.begin(), kRed.end(), status) != kRed.end();
}

}  // namespace wm::report
