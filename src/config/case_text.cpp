// Splitting and quoting of case strings, and the text of fixed tensors.
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "config/case.hpp"
#include "core/text.hpp"

namespace wm {
namespace {

bool blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

[[noreturn]] void fail_at(std::size_t offset, const std::string& message) {
  throw UsageError("case string, column " + std::to_string(offset + 1) + ": " + message);
}

/// Reads a quoted value whose opening quote is at `at`; leaves `at` past the closing one.
std::string read_quoted(std::string_view text, std::size_t& at) {
  const std::size_t start = at++;
  std::string value;
  while (at < text.size() && text[at] != '"') {
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    value += text[at++];
  }
  if (at == text.size()) fail_at(start, "the quote that opens here is never closed");
  ++at;
  if (at < text.size() && !blank(text[at])) fail_at(at, "a blank must follow a closing quote");
  return value;
}

/// Reads up to the next blank that is not inside a [list].
std::string read_bare(std::string_view text, std::size_t& at) {
  const std::size_t start = at;
  int depth = 0;
  std::string value;
  for (; at < text.size() && (depth > 0 || !blank(text[at])); ++at) {
    if (text[at] == '[') ++depth;
    if (text[at] == ']') --depth;
    if (!blank(text[at])) value += text[at];
  }
  if (depth > 0) fail_at(start, "the list that begins here is never closed by ']'");
  return value;
}

void skip_blanks(std::string_view text, std::size_t& at) {
  while (at < text.size() && blank(text[at])) ++at;
}

std::optional<double> parse_element(std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return kInfinity;
  if (text == "-Infinity") return -kInfinity;
  return parse_real(text, true);
}

std::vector<double> parse_list(std::string_view what, std::string_view text) {
  std::vector<double> values;
  const std::string_view inner = text.substr(1, text.size() - 2);
  if (inner.empty()) return values;
  for (std::string item : split(inner, ',')) {
    if (item.size() > 1 && item.front() == '"' && item.back() == '"') {
      item = item.substr(1, item.size() - 2);
    }
    const std::optional<double> value = parse_element(item);
    if (!value) {
      throw UsageError(std::string(what) + ": '" + item +
                       "' is not a number (allowed: a flat list of numbers, NaN, Infinity, "
                       "-Infinity)");
    }
    values.push_back(*value);
  }
  return values;
}

bool same_number(double a, double b) {
  return a == b ? std::signbit(a) == std::signbit(b) : std::isnan(a) && std::isnan(b);
}

}  // namespace

CaseText split_case_string(std::string_view text) {
  std::size_t at = 0;
  skip_blanks(text, at);
  const std::size_t op_at = at;
  while (at < text.size() && !blank(text[at])) ++at;
  const std::string name(text.substr(op_at, at - op_at));
  if (name.empty() || name.find('=') != std::string::npos) {
    fail_at(op_at, "must begin with the name of an op (such as conv_fwd), got '" + name +
                       "'; `list ops` prints them");
  }
  CaseText result;
  result.op = find_op(name);
  if (!result.op) throw UsageError(unknown_message("op", name, op_names()));

  std::set<std::string> seen;
  for (skip_blanks(text, at); at < text.size(); skip_blanks(text, at)) {
    const std::size_t key_at = at;
    while (at < text.size() && text[at] != '=' && !blank(text[at])) ++at;
    std::string key(text.substr(key_at, at - key_at));
    if (at == text.size() || text[at] != '=' || key.empty()) {
      fail_at(key_at, "expected key=value, got '" + key + "'");
    }
    ++at;
    const bool quoted = at < text.size() && text[at] == '"';
    std::string value = quoted ? read_quoted(text, at) : read_bare(text, at);
    if (!seen.insert(key).second) fail_at(key_at, "key '" + key + "' is given twice");
    result.values.emplace_back(std::move(key), std::move(value));
  }
  return result;
}

std::string TensorSource::to_string() const {
  if (kind == Kind::npy) return "@" + path;
  if (kind == Kind::fill) return "fill:" + format_real(fill);
  std::vector<std::string> parts;
  parts.reserve(values.size());
  for (double value : values) parts.push_back(format_real(value));
  return "[" + join(parts, ",") + "]";
}

TensorSource TensorSource::parse(std::string_view what, std::string_view text) {
  TensorSource source;
  if (text.size() > 1 && text.front() == '@') {
    source.kind = Kind::npy;
    source.path = text.substr(1);
    return source;
  }
  if (text.substr(0, 5) == "fill:") {
    const std::optional<double> value = parse_element(text.substr(5));
    if (!value) throw UsageError(std::string(what) + "=" + std::string(text) + ": not a number");
    source.kind = Kind::fill;
    source.fill = *value;
    return source;
  }
  if (text.size() > 1 && text.front() == '[' && text.back() == ']') {
    source.values = parse_list(what, text);
    return source;
  }
  throw UsageError(std::string(what) + "=" + std::string(text) +
                   ": expected [1,2,3] (logical order), @file.npy or fill:<number>");
}

bool TensorSource::operator==(const TensorSource& other) const {
  if (kind != other.kind || path != other.path || values.size() != other.values.size()) {
    return false;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!same_number(values[i], other.values[i])) return false;
  }
  return same_number(fill, other.fill);
}

std::string shell_quote(std::string_view text) {
  std::string quoted = "'";
  for (char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace wm
