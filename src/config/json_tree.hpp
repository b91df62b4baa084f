#pragma once
// A JSON document that remembers where every value and key stands, for error messages.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace wm {

struct Position {
  int line = 1;
  int column = 1;  ///< characters, 1-based
};

struct JsonMember;

struct JsonNode {
  enum class Kind { null, boolean, integer, real, string, array, object } kind = Kind::null;
  std::string text;  ///< a string's content, a number as written, "true" / "false"
  std::vector<JsonNode> items;
  std::vector<JsonMember> members;  ///< in the order of the file
  Position at;
  std::string pointer;  ///< JSON pointer (RFC 6901); empty for the root

  const JsonNode* find(std::string_view key) const;
  bool is_number() const { return kind == Kind::integer || kind == Kind::real; }
  /// "the string \"64\"", "the number 3", "an array": for messages.
  std::string describe() const;
};

struct JsonMember {
  std::string key;
  Position key_at;
  JsonNode value;
};

struct JsonDocument {
  std::string file;  ///< as given by the user
  JsonNode root;

  /// "file:line:column: /json/pointer", the first argument of ConfigError.
  std::string where(const JsonNode& node) const;
  std::string where(const JsonMember& member) const;
};

/// Strict JSON: no comments, no duplicate keys, at most 64 levels. Throws ConfigError with the
/// place, or UsageError when the file cannot be read.
std::shared_ptr<const JsonDocument> read_json_file(const std::string& file);
std::shared_ptr<const JsonDocument> parse_json(const std::string& file, const std::string& text);

/// `key` as one token of a JSON pointer.
std::string pointer_token(std::string_view key);

}  // namespace wm
