#include "config/json_tree.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace wm {
namespace {

constexpr std::size_t kMaxDepth = 64;

/// Counts the characters the parser has consumed, which is all it tells about positions.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator() = default;
  CountingIterator(const char* at, std::size_t* consumed) : at_(at), consumed_(consumed) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    if (consumed_) ++*consumed_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_ = nullptr;
  std::size_t* consumed_ = nullptr;
};

/// Line and column of an offset into the text.
class LineIndex {
 public:
  explicit LineIndex(const std::string& text) : text_(text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') starts_.push_back(i + 1);
    }
  }
  Position at(std::size_t offset) const {
    offset = std::min(offset, text_.size());
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
    const std::size_t start = *(next - 1);
    const auto begin = text_.begin() + static_cast<std::ptrdiff_t>(start);
    const auto end = text_.begin() + static_cast<std::ptrdiff_t>(offset);
    const auto characters = std::count_if(begin, end, [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;  // not a UTF-8 continuation
    });
    return {static_cast<int>(next - starts_.begin()), static_cast<int>(characters) + 1};
  }

 private:
  const std::string& text_;
  std::vector<std::size_t> starts_{0};
};

/// Receives nlohmann's SAX events and builds the tree. A token begins where blanks and punctuation
/// after the previous token end.
class TreeBuilder {
 public:
  TreeBuilder(JsonDocument& document, const std::string& text, const std::size_t& consumed)
      : document_(document), text_(text), lines_(text), consumed_(consumed) {
    if (text.rfind("\xEF\xBB\xBF", 0) == 0) previous_end_ = 3;  // byte order mark
  }

  bool null() { return scalar(JsonNode::Kind::null, "null"); }
  bool boolean(bool value) { return scalar(JsonNode::Kind::boolean, value ? "true" : "false"); }
  bool number_integer(std::int64_t value) {
    return scalar(JsonNode::Kind::integer, std::to_string(value));
  }
  bool number_unsigned(std::uint64_t value) {
    return scalar(JsonNode::Kind::integer, std::to_string(value));
  }
  bool number_float(double, const std::string& written) {
    const bool whole = written.find_first_of(".eE") == std::string::npos;
    return scalar(whole ? JsonNode::Kind::integer : JsonNode::Kind::real, written);
  }
  bool string(std::string& value) { return scalar(JsonNode::Kind::string, value); }
  bool binary(nlohmann::json::binary_t&) { return false; }  // never sent for text
  bool start_object(std::size_t) { return open(JsonNode::Kind::object); }
  bool start_array(std::size_t) { return open(JsonNode::Kind::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    const Position at = token_start();
    JsonNode& parent = *stack_.back();
    JsonMember member{name, at, {}};
    member.value.pointer = parent.pointer + "/" + pointer_token(name);
    for (const JsonMember& other : parent.members) {
      if (other.key != name) continue;
      throw ConfigError(document_.where(member), "key '" + name +
                                                     "' appears twice in this object (first on "
                                                     "line " +
                                                     std::to_string(other.key_at.line) + ")");
    }
    parent.members.push_back(std::move(member));
    return true;
  }

  bool parse_error(std::size_t offset, const std::string&, const nlohmann::json::exception& error) {
    const std::string what = error.what();
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ..."
    const std::size_t colon = what.find(": ");
    JsonNode place;
    place.at = lines_.at(offset == 0 ? 0 : offset - 1);
    if (!stack_.empty()) place.pointer = stack_.back()->pointer;
    throw ConfigError(document_.where(place), "not valid JSON: " + what.substr(colon + 2));
  }

 private:
  Position token_start() {
    std::size_t at = previous_end_;
    while (at < text_.size() &&
           std::string_view(" \t\r\n,:").find(text_[at]) != std::string::npos) {
      ++at;
    }
    previous_end_ = std::max(consumed_, at);
    return lines_.at(at);
  }

  JsonNode& place_value() {
    if (stack_.empty()) return document_.root;
    JsonNode& parent = *stack_.back();
    if (parent.kind == JsonNode::Kind::object) return parent.members.back().value;
    JsonNode& item = parent.items.emplace_back();
    item.pointer = parent.pointer + "/" + std::to_string(parent.items.size() - 1);
    return item;
  }

  bool scalar(JsonNode::Kind kind, const std::string& text) {
    JsonNode& node = place_value();
    node.at = token_start();
    node.kind = kind;
    node.text = text;
    return true;
  }

  bool open(JsonNode::Kind kind) {
    JsonNode& node = place_value();
    node.at = token_start();
    node.kind = kind;
    if (stack_.size() == kMaxDepth) {
      throw ConfigError(document_.where(node), "nested deeper than 64 levels");
    }
    stack_.push_back(&node);
    return true;
  }

  bool close() {
    previous_end_ = consumed_;
    stack_.pop_back();
    return true;
  }

  JsonDocument& document_;
  const std::string& text_;
  LineIndex lines_;
  const std::size_t& consumed_;
  std::size_t previous_end_ = 0;
  std::vector<JsonNode*> stack_;  // a node's parent does not grow while the node is open
};

std::string place_text(const std::string& file, Position at, const std::string& pointer) {
  return file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " +
         (pointer.empty() ? "/" : pointer);
}

}  // namespace

std::string pointer_token(std::string_view key) {
  std::string token;
  for (char c : key) {
    if (c == '~') {
      token += "~0";
    } else if (c == '/') {
      token += "~1";
    } else {
      token += c;
    }
  }
  return token;
}

const JsonNode* JsonNode::find(std::string_view key) const {
  for (const JsonMember& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

std::string JsonNode::describe() const {
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return text;
    case Kind::integer:
    case Kind::real:
      return "the number " + text;
    case Kind::string:
      return "the string \"" + text + "\"";
    case Kind::array:
      return "an array";
    case Kind::object:
      return "an object";
  }
  return "";
}

std::string JsonDocument::where(const JsonNode& node) const {
  return place_text(file, node.at, node.pointer);
}

std::string JsonDocument::where(const JsonMember& member) const {
  return place_text(file, member.key_at, member.value.pointer);
}

std::shared_ptr<const JsonDocument> parse_json(const std::string& file, const std::string& text) {
  auto document = std::make_shared<JsonDocument>();
  document->file = file;
  std::size_t consumed = 0;
  TreeBuilder builder(*document, text, consumed);
  const char* begin = text.data();
  nlohmann::json::sax_parse(CountingIterator(begin, &consumed),
                            CountingIterator(begin + text.size(), nullptr), &builder);
  return document;
}

std::shared_ptr<const JsonDocument> read_json_file(const std::string& file) {
  if (std::filesystem::is_directory(file)) {
    throw UsageError("cannot read config " + file + ": it is a folder");
  }
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream) throw UsageError("cannot read config " + file + ": no such file, or not readable");
  return parse_json(file, text.str());
}

}  // namespace wm
