#include "import/collector.hpp"

#include <algorithm>
#include <array>

#include "config/case.hpp"
#include "core/text.hpp"

namespace wm::importing {
namespace {

constexpr std::size_t kMaxLine = std::size_t{1} << 20;
constexpr std::size_t kMaxText = 200;
constexpr std::size_t kMaxLabel = 160;

std::optional<std::string> default_of(const Op& op, const std::string& key) {
  const auto declared = std::find_if(op.keys.begin(), op.keys.end(),
                                     [&](const Key& each) { return each.name == key; });
  return declared == op.keys.end() ? std::nullopt : declared->default_text;
}

/// Keys that say something: those at their default are left out, and so are acc and math where
/// they follow from the types.
KeyValues telling_keys(const Case& item, const KeyValues& given) {
  KeyValues keys;
  for (const auto& [key, value] : item.problem.keys) {
    const bool chosen = find_value(given, key) != nullptr;
    if ((key == "acc" || key == "math") && !chosen) continue;
    const std::optional<std::string> fallback = default_of(*item.problem.op, key);
    if (fallback && *fallback == value) continue;
    keys.emplace_back(key, value);
  }
  for (const auto& [key, value] : given) {
    if (key.ends_with(".strides")) keys.emplace_back(key, value);
  }
  return keys;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string clean_label(std::string_view label) {
  std::string clean(trimmed(label).substr(0, kMaxLabel));
  std::replace_if(
      clean.begin(), clean.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  return clean;
}

}  // namespace

void Collector::add(const Place& place, const std::string& op_name, const KeyValues& keys,
                    const std::string& label, std::int64_t count) {
  const Op* op = find_op(op_name);
  if (!op) return unread(place, "op " + printable(op_name) + " not in this library");
  if (count < 1 || count > 1'000'000'000) {
    return unread(place, "count " + std::to_string(count) + ": expected 1 to 1000000000");
  }
  try {
    const Case item = make_case(*op, keys);
    merge(place, {op, telling_keys(item, keys), clean_label(label), count});
  } catch (const std::exception& error) {
    unread(place, error.what());
  }
}

void Collector::merge(const Place& place, ImportedCase found) {
  std::string text = found.op->name;
  for (const auto& [key, value] : found.keys) text += " " + key + "=" + value;
  const auto known = index_.find(text);
  if (known == index_.end() && imported_.cases.size() >= kMaxCases) {
    return unread(place, "more than " + std::to_string(kMaxCases) + " distinct problems");
  }
  imported_.problems += found.count;
  const std::size_t at = known == index_.end() ? imported_.cases.size() : known->second;
  const bool new_label =
      !found.label.empty() && labels_.insert(std::to_string(at) + ":" + found.label).second;
  if (known == index_.end()) {
    index_.emplace(std::move(text), at);
    imported_.cases.push_back(std::move(found));
    return;
  }
  ImportedCase& item = imported_.cases[at];
  item.count = std::min<std::int64_t>(item.count + found.count, 1'000'000'000);
  if (!new_label || item.label.size() + found.label.size() > kMaxLabel) return;
  item.label += (item.label.empty() ? "" : ", ") + found.label;
}

void Collector::unread(const Place& place, const std::string& reason) {
  imported_.unread.push_back({place.file, place.line, printable(place.text), printable(reason)});
}

void Collector::note(const Place& place, const std::string& what) {
  imported_.notes.push_back({place.file, place.line, printable(place.text), printable(what)});
}

bool LineReader::next(std::string& line) {
  line.clear();
  too_long_ = false;
  std::streambuf* buffer = stream_.rdbuf();
  bool any = false;
  for (int c = buffer->sbumpc(); c != std::char_traits<char>::eof(); c = buffer->sbumpc()) {
    any = true;
    if (c == '\n') break;
    if (line.size() < kMaxLine) {
      line += static_cast<char>(c);
    } else {
      too_long_ = true;
    }
  }
  if (!any) return false;
  ++number_;
  if (line.ends_with('\r')) line.pop_back();
  return true;
}

std::string printable(std::string_view text) {
  constexpr std::array<char, 17> kHex{"0123456789abcdef"};
  std::string result;
  for (const char c : text) {
    if (result.size() >= kMaxText) return result + "...";
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F) {
      result += c;
    } else if (c == '\t') {
      result += ' ';
    } else {
      result += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return result;
}

std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool open = false;
  char quote = 0;
  for (const char c : line) {
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      open = true;
    } else if (is_blank(c)) {
      if (open) words.push_back(std::move(word));
      word.clear();
      open = false;
    } else {
      word += c;
      open = true;
    }
  }
  if (open) words.push_back(std::move(word));
  return words;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<std::int64_t> int_within(std::string_view text, std::int64_t lo, std::int64_t hi) {
  const std::optional<std::int64_t> value = parse_int(text);
  if (!value || *value < lo || *value > hi) return std::nullopt;
  return value;
}

}  // namespace wm::importing
