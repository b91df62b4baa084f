#include "config/key_rules.hpp"

#include <algorithm>

#include "config/axis.hpp"
#include "config/case.hpp"
#include "core/text.hpp"

namespace wm {
namespace {

using Kind = JsonNode::Kind;

const Key* find_key(const Op& op, const std::string& name) {
  for (const Key& key : op.keys) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

/// The kinds of JSON value a key takes, and their name in messages.
struct Wanted {
  std::vector<Kind> kinds;
  std::string text;
};

Wanted wanted_kinds(const Op& op, const std::string& name) {
  const Wanted integer{{Kind::integer}, "an integer"};
  const Wanted word{{Kind::string}, "a string"};
  const Wanted list{{Kind::integer, Kind::array, Kind::string},
                    "an integer or a list of integers such as \"2x3\""};
  const Wanted real{{Kind::integer, Kind::real}, "a number"};
  if (const Key* key = find_key(op, name)) {
    switch (key->kind) {
      case Key::Kind::integer:
        return integer;
      case Key::Kind::real:
        return real;
      case Key::Kind::list:
        return list;
      case Key::Kind::word:
        return word;
      case Key::Kind::flag:
        return {{Kind::integer, Kind::boolean}, "true or false"};
    }
  }
  if (name == "seed" || name == "count") return integer;
  if (name == "atol") return real;
  if (name.ends_with(".offset")) return integer;
  if (name.ends_with(".strides")) return list;
  return word;
}

}  // namespace

void check_types(const Op& op, const Axis& axis) {
  for (std::size_t column = 0; column < axis.keys.size(); ++column) {
    const Wanted wanted = wanted_kinds(op, axis.keys[column]);
    for (const auto& row : axis.rows) {
      const AxisValue& value = row[column];
      if (!value.node) continue;
      const auto& kinds = wanted.kinds;
      if (std::find(kinds.begin(), kinds.end(), value.kind) == kinds.end()) {
        fail_at(*axis.document, *value.node,
                "'" + axis.keys[column] + "': expected " + wanted.text + ", got " +
                    value.node->describe());
      }
    }
  }
}

std::size_t rank_of(const Op& op, const Axis& axis) {
  const std::vector<std::string> order = case_keys(op);
  std::size_t rank = order.size();
  for (const std::string& key : axis.keys) {
    const auto found = std::find(order.begin(), order.end(), key);
    rank = std::min(rank, static_cast<std::size_t>(found - order.begin()));
  }
  return rank;
}

std::string default_text(const Op& op, const std::string& key) {
  if (const Key* found = find_key(op, key)) return found->default_text.value_or("");
  if (key == "dtype") return "f32";
  if (key == "math") return "ieee";
  if (key == "layout") return op.has_layout ? "nchw" : "";
  if (key == "algo") return "*";
  if (key == "recipe") return "normal";
  if (key == "seed" || key == "count") return "1";
  if (key == "schedule") return "in_order";
  return key == "guard" ? "none" : "";
}

std::string normal_text(const Op& op, const std::string& key, std::string text) {
  if (key == "dtype") {
    const std::vector<std::string> words = split(text, '.');
    if (words.size() > 1) return text;
    return join(std::vector<std::string>(op.has_weights ? 3 : 2, text), ".");
  }
  const Key* found = find_key(op, key);
  if (found && found->kind == Key::Kind::list) std::replace(text.begin(), text.end(), ',', 'x');
  if (found && found->kind == Key::Kind::flag) {
    if (text == "true") return "1";
    if (text == "false") return "0";
  }
  const std::optional<double> number = parse_real(text);
  return number ? format_real(*number) : text;
}

bool is_wildcard(const std::string& algorithm) {
  return algorithm.find_first_of("*?[{") != std::string::npos;
}

bool mentions(const std::string& message, const std::string& key) {
  for (const std::string& form :
       {"'" + key + "'", " " + key + "=", "\"" + key + "\"", "unknown " + key + " "}) {
    if (message.find(form) != std::string::npos) return true;
  }
  return message.rfind(key + "=", 0) == 0 || message.rfind(key + ":", 0) == 0;
}

}  // namespace wm
