#include "report/escape.hpp"

#include <algorithm>

namespace wm::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// Whether `text` has at `at` a character that changes the direction of what follows: U+200E,
/// U+200F, U+202A to U+202E, U+2066 to U+2069 (three bytes each).
bool is_direction_control(std::string_view text, std::size_t at) {
  const std::string_view three = text.substr(at, 3);
  if (three.size() < 3 || three[0] != '\xE2') return false;
  const auto last = static_cast<unsigned char>(three[2]);
  if (three[1] == '\x80') return last == 0x8E || last == 0x8F || (last >= 0xAA && last <= 0xAE);
  return three[1] == '\x81' && last >= 0xA6 && last <= 0xA9;
}

/// A C1 control character, U+0080 to U+009F (two bytes).
bool is_c1_control(std::string_view text, std::size_t at) {
  return text.substr(at, 1) == "\xC2" && at + 1 < text.size() &&
         static_cast<unsigned char>(text[at + 1]) < 0xA0;
}

/// Copies `text` with each character that `replacement` has a text for replaced by that.
template <class Replacement>
std::string with_replaced(std::string_view text, Replacement replacement) {
  std::string result;
  result.reserve(text.size());
  for (char c : text) {
    const char* other = replacement(c);
    if (other != nullptr) {
      result += other;
    } else {
      result += c;
    }
  }
  return result;
}

/// Without what XML 1.0 forbids: C0 controls but tab, LF and CR; U+FFFE and U+FFFF.
std::string xml_characters(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 && c != '\t' && c != '\n' && c != '\r') continue;
    const std::string_view three = text.substr(i, 3);
    if (three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF") {
      i += 2;
      continue;
    }
    result += text[i];
  }
  return result;
}

}  // namespace

std::string cut_text(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  std::size_t end = bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "... (" + std::to_string(text.size() - end) +
         " more bytes)";
}

std::string one_line(std::string_view text) {
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '\n' || c == '\r' || c == '\t') {
      line += ' ';
    } else if (c < 0x20 || c == 0x7F) {
      line += kReplacement;
    } else if (is_c1_control(text, i)) {
      line += kReplacement;
      i += 1;
    } else if (is_direction_control(text, i)) {
      line += kReplacement;
      i += 2;
    } else {
      line += text[i];
    }
  }
  return line;
}

std::string md_escape(std::string_view text) {
  std::string escaped;
  for (char c : one_line(text)) {
    if (c == '<') {
      escaped += "&lt;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else {
      if (std::string_view("\\`*_{}[]()#+!|~>").find(c) != std::string_view::npos) escaped += '\\';
      escaped += c;
    }
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
  return "\"" + with_replaced(text, [](char c) { return c == '"' ? "\"\"" : nullptr; }) + "\"";
}

std::string csv_text(std::string_view text) {
  const bool formula =
      !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
  return csv_field(formula ? "'" + std::string(text) : std::string(text));
}

std::string html_escape(std::string_view text) {
  return with_replaced(text, [](char c) -> const char* {
    switch (c) {
      case '&':
        return "&amp;";
      case '<':
        return "&lt;";
      case '>':
        return "&gt;";
      case '"':
        return "&quot;";
      case '\'':
        return "&#39;";
      default:
        return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t'
                   ? "\xEF\xBF\xBD"
                   : nullptr;
    }
  });
}

std::string json_in_script(std::string json) {
  return with_replaced(json, [](char c) { return c == '<' ? "\\u003c" : nullptr; });
}

std::string xml_text(std::string_view text) {
  return with_replaced(xml_characters(text), [](char c) -> const char* {
    switch (c) {
      case '&':
        return "&amp;";
      case '<':
        return "&lt;";
      case '>':
        return "&gt;";  // also ends every "]]>"
      case '\r':
        return "&#13;";
      default:
        return nullptr;
    }
  });
}

std::string xml_attribute(std::string_view text) {
  return with_replaced(xml_text(text), [](char c) -> const char* {
    switch (c) {
      case '"':
        return "&quot;";
      case '\n':
        return "&#10;";
      case '\t':
        return "&#9;";
      default:
        return nullptr;
    }
  });
}

std::string github_message(std::string_view text) {
  return with_replaced(text, [](char c) -> const char* {
    switch (c) {
      case '%':
        return "%25";
      case '\r':
        return "%0D";
      case '\n':
        return "%0A";
      default:
        return nullptr;
    }
  });
}

std::string github_property(std::string_view text) {
  return with_replaced(github_message(text), [](char c) -> const char* {
    switch (c) {
      case ':':
        return "%3A";
      case ',':
        return "%2C";
      default:
        return nullptr;
    }
  });
}

}  // namespace wm::report
