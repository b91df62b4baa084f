#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <system_error>

namespace wm {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (&part != parts.data()) text += separator;
    text += part;
  }
  return text;
}

std::optional<std::int64_t> parse_int(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::optional<double> parse_real(std::string_view text, bool allow_special) {
  if (allow_special) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (text == "inf") return kInfinity;
    if (text == "-inf") return -kInfinity;
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  }
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, std::chars_format::general);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string format_real(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

namespace {

/// Levenshtein distance with one row of state.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3);
  std::string best;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance || (distance == best_distance && best.empty())) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string unknown_message(std::string_view what, std::string_view word,
                            const std::vector<std::string>& candidates) {
  std::string text = "unknown ";
  text.append(what).append(" '").append(word).append("'; ");
  if (const std::string near = nearest(word, candidates); !near.empty()) {
    text += "did you mean '" + near + "'? ";
  }
  return text + "allowed: " + join(candidates, ", ");
}

namespace {

/// Position just past the `}` that closes the brace at `open`, or npos.
std::size_t brace_end(std::string_view pattern, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < pattern.size(); ++i) {
    if (pattern[i] == '{') ++depth;
    if (pattern[i] == '}' && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

/// The comma-separated alternatives of a brace body, commas of inner braces kept.
std::vector<std::string_view> alternatives(std::string_view body) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] == '{') ++depth;
    if (body[i] == '}') --depth;
    if (body[i] == ',' && depth == 0) {
      parts.push_back(body.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  parts.push_back(body.substr(begin));
  return parts;
}

/// Matches one character against the pattern element at `at`; its length, or 0 when it differs.
std::size_t match_one(std::string_view pattern, std::size_t at, char c) {
  if (at >= pattern.size()) return 0;
  if (pattern[at] == '?') return 1;
  const std::size_t close = pattern.find(']', at + 2);
  if (pattern[at] != '[' || close == std::string_view::npos) return pattern[at] == c ? 1 : 0;
  std::size_t i = at + 1;
  const bool negated = pattern[i] == '!' && i + 1 < close;
  if (negated) ++i;
  bool found = false;
  for (; i < close; ++i) {
    const bool range = i + 2 < close && pattern[i + 1] == '-';
    found = found || (pattern[i] <= c && c <= (range ? pattern[i + 2] : pattern[i]));
    if (range) i += 2;
  }
  return found != negated ? close + 1 - at : 0;
}

/// Glob without braces: on a mismatch the last star takes one character more.
bool match_plain(std::string_view pattern, std::string_view text) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t p = 0, t = 0, after_star = kNone, star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      after_star = ++p;
      star_text = t;
    } else if (const std::size_t length = match_one(pattern, p, text[t]); length != 0) {
      p += length;
      ++t;
    } else if (after_star != kNone) {
      p = after_star;
      t = ++star_text;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == kNone;
}

}  // namespace

bool glob_match(std::string_view pattern, std::string_view text) {
  const std::size_t open = pattern.find('{');
  const std::size_t end =
      open == std::string_view::npos ? std::string_view::npos : brace_end(pattern, open);
  if (end == std::string_view::npos) return match_plain(pattern, text);
  for (const std::string_view part : alternatives(pattern.substr(open + 1, end - open - 2))) {
    std::string expanded(pattern.substr(0, open));
    expanded.append(part).append(pattern.substr(end));
    if (glob_match(expanded, text)) return true;
  }
  return false;
}

}  // namespace wm
