#pragma once
// Reads a text as one of the formats and shows what came out.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "config/case.hpp"
#include "import/import.hpp"

namespace wm::importing {

inline Imported read_text(const std::string& format, const std::string& text,
                          const std::string& driver = "") {
  std::istringstream stream(text);
  return import_stream(format, stream, "list.txt", driver);
}

/// "conv_fwd n=1 ..." with the keys in alphabetical order and "x3" for a count.
inline std::string shown(const ImportedCase& item) {
  std::vector<std::string> words;
  for (const auto& [key, value] : item.keys) words.push_back(key + "=" + value);
  std::sort(words.begin(), words.end());
  std::string text = item.op->name;
  for (const std::string& word : words) text += " " + word;
  if (item.count != 1) text += " x" + std::to_string(item.count);
  return text + (item.label.empty() ? "" : " # " + item.label);
}

inline std::vector<std::string> shown(const Imported& imported) {
  std::vector<std::string> lines;
  for (const ImportedCase& item : imported.cases) lines.push_back(shown(item));
  return lines;
}

/// "line: reason" of every unread line.
inline std::vector<std::string> reasons(const std::vector<Remark>& remarks) {
  std::vector<std::string> lines;
  for (const Remark& each : remarks) {
    lines.push_back(std::to_string(each.line) + ": " + each.reason);
  }
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace wm::importing
