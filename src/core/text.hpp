#pragma once
// Small string helpers shared by the layers above.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wm {

std::vector<std::string> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// Exact decimal integer; nothing on overflow, fraction, blanks or trailing text.
std::optional<std::int64_t> parse_int(std::string_view text);
/// Finite decimal or scientific number (also inf, -inf, nan when `allow_special`).
std::optional<double> parse_real(std::string_view text, bool allow_special = false);
/// Shortest text that reads back as the same double ("1", "0.5", "1e-05"; NaN, Infinity,
/// -Infinity).
std::string format_real(double value);
/// Nearest candidate by edit distance, empty when none is near (distance > max(2, length / 3)).
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);
/// "unknown <what> 'word'; did you mean 'x'? allowed: a, b, c"
std::string unknown_message(std::string_view what, std::string_view word,
                            const std::vector<std::string>& candidates);
/// Shell-style glob over the whole text: * ? [abc] and {a,b}.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace wm
