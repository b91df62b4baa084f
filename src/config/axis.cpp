#include "config/axis.hpp"

#include <bit>
#include <filesystem>
#include <set>

#include "core/text.hpp"

namespace wm {
namespace {

using Kind = JsonNode::Kind;

AxisValue read_scalar(const JsonDocument& document, const std::string& key, const JsonNode& node) {
  switch (node.kind) {
    case Kind::string:
    case Kind::integer:
    case Kind::real:
      return {node.text, node.kind, &node};
    case Kind::boolean:
      return {node.text == "true" ? "1" : "0", node.kind, &node};
    case Kind::array: {  // inside an axis: one value that is a list, such as strides
      std::vector<std::string> parts;
      for (const JsonNode& item : node.items) {
        expect_kind(document, item, Kind::integer, "an integer of the list '" + key + "'");
        parts.push_back(item.text);
      }
      return {join(parts, ","), node.kind, &node};
    }
    case Kind::null:
    case Kind::object:
      break;
  }
  fail_at(document, node,
          "'" + key + "': expected a value, an array of values, {\"range\": [lo, hi, step]}, " +
              "{\"pow2\": [lo, hi]} or {\"values\": [...]}, got " + node.describe());
}

AxisValue integer_value(std::int64_t value, const JsonNode& node) {
  return {std::to_string(value), Kind::integer, &node};
}

std::vector<AxisValue> read_list(const JsonDocument& document, const std::string& key,
                                 const JsonNode& node) {
  expect_kind(document, node, Kind::array, "an array of values for '" + key + "'");
  if (node.items.empty()) fail_at(document, node, "'" + key + "': an empty array gives no case");
  std::vector<AxisValue> values;
  std::set<std::string> seen;
  for (const JsonNode& item : node.items) {
    values.push_back(read_scalar(document, key, item));
    if (!seen.insert(values.back().text).second) {
      fail_at(document, item, "'" + key + "': the value " + item.text + " is given twice");
    }
  }
  return values;
}

std::vector<AxisValue> read_range(const JsonDocument& document, const std::string& key,
                                  const JsonNode& node) {
  expect_kind(document, node, Kind::array, "[lo, hi] or [lo, hi, step]");
  if (node.items.size() != 2 && node.items.size() != 3) {
    fail_at(document, node, "'" + key + "': a range is [lo, hi] or [lo, hi, step]");
  }
  constexpr std::int64_t kLimit = std::int64_t{1} << 62;
  const std::int64_t low = read_integer(document, node.items[0], -kLimit, kLimit);
  const std::int64_t high = read_integer(document, node.items[1], low, kLimit);
  const std::int64_t step =
      node.items.size() == 3 ? read_integer(document, node.items[2], 1, kLimit) : 1;
  if ((high - low) / step >= kMaxAxisValues) {
    fail_at(document, node, "'" + key + "': more than 1000000 values in one range");
  }
  std::vector<AxisValue> values;
  for (std::int64_t i = 0; i <= (high - low) / step; ++i) {
    values.push_back(integer_value(low + i * step, node));
  }
  return values;
}

std::vector<AxisValue> read_pow2(const JsonDocument& document, const std::string& key,
                                 const JsonNode& node) {
  expect_kind(document, node, Kind::array, "[lo, hi]");
  if (node.items.size() != 2) fail_at(document, node, "'" + key + "': pow2 is [lo, hi]");
  const std::int64_t low = read_integer(document, node.items[0], 1, std::int64_t{1} << 61);
  const std::int64_t high = read_integer(document, node.items[1], low, std::int64_t{1} << 61);
  for (std::size_t i = 0; i < 2; ++i) {
    if (!std::has_single_bit(static_cast<std::uint64_t>(i == 0 ? low : high))) {
      fail_at(document, node.items[i],
              "'" + key + "': " + node.items[i].text + " is not a power of two");
    }
  }
  std::vector<AxisValue> values;
  for (std::int64_t value = low; value <= high; value *= 2) {
    values.push_back(integer_value(value, node));
  }
  return values;
}

std::vector<AxisValue> read_values(const JsonDocument& document, const std::string& key,
                                   const JsonNode& node) {
  if (node.kind == Kind::array) return read_list(document, key, node);
  if (node.kind != Kind::object) return {read_scalar(document, key, node)};
  check_members(document, node, "generator of '" + key + "'", {"range", "pow2", "values"});
  if (node.members.size() != 1) {
    fail_at(document, node, "'" + key + "': give exactly one of range, pow2, values");
  }
  const JsonMember& only = node.members.front();
  if (only.key == "range") return read_range(document, key, only.value);
  if (only.key == "pow2") return read_pow2(document, key, only.value);
  return read_list(document, key, only.value);
}

/// Text of `{"values": [...]}`, `{"npy": "file"}` or `{"fill": 1}` as in a case string.
std::string read_source(const JsonDocument& document, const JsonNode& node,
                        const std::string& name) {
  expect_kind(document, node, Kind::object, "an object for tensor '" + name + "'");
  check_members(document, node, "source of tensor '" + name + "'", {"values", "npy", "fill"});
  if (node.members.size() != 1) {
    fail_at(document, node, "tensor '" + name + "': give exactly one of values, npy, fill");
  }
  const auto& [key, key_at, value] = node.members.front();
  if (key == "npy") {
    expect_kind(document, value, Kind::string, "a file name");
    const auto folder = std::filesystem::path(document.file).parent_path();
    return "@" + (folder / value.text).lexically_normal().string();
  }
  if (key == "fill") {
    if (!value.is_number() && value.kind != Kind::string) {
      fail_at(document, value, "'fill': expected a number, got " + value.describe());
    }
    return "fill:" + value.text;
  }
  expect_kind(document, value, Kind::array, "a flat array of numbers in logical order");
  std::vector<std::string> parts;
  for (const JsonNode& item : value.items) {
    const bool special = item.text == "NaN" || item.text == "Infinity" || item.text == "-Infinity";
    if (!item.is_number() && !(item.kind == Kind::string && special)) {
      fail_at(document, item,
              "expected a number, \"NaN\", \"Infinity\" or \"-Infinity\", got " + item.describe());
    }
    parts.push_back(item.text);
  }
  return "[" + join(parts, ",") + "]";
}

}  // namespace

void fail_at(const JsonDocument& document, const JsonNode& node, const std::string& message) {
  throw ConfigError(document.where(node), message);
}

void expect_kind(const JsonDocument& document, const JsonNode& node, Kind kind,
                 const std::string& what) {
  if (node.kind != kind) fail_at(document, node, "expected " + what + ", got " + node.describe());
}

void check_members(const JsonDocument& document, const JsonNode& object, const std::string& what,
                   const std::vector<std::string>& allowed) {
  for (const JsonMember& member : object.members) {
    bool known = false;
    for (const std::string& name : allowed) known = known || name == member.key;
    if (!known) {
      throw ConfigError(document.where(member),
                        unknown_message("key of " + what, member.key, allowed));
    }
  }
}

std::int64_t read_integer(const JsonDocument& document, const JsonNode& node, std::int64_t lo,
                          std::int64_t hi) {
  const std::optional<std::int64_t> value =
      node.kind == Kind::integer ? parse_int(node.text) : std::nullopt;
  if (!value || *value < lo || *value > hi) {
    fail_at(document, node,
            "expected an integer from " + std::to_string(lo) + " to " + std::to_string(hi) +
                ", got " + node.describe());
  }
  return *value;
}

Axis read_axis(const JsonDocument& document, const std::string& key, const JsonNode& node) {
  Axis axis;
  axis.document = &document;
  axis.keys.push_back(key);
  for (AxisValue& value : read_values(document, key, node)) axis.rows.push_back({std::move(value)});
  return axis;
}

Axis read_zip(const JsonDocument& document, const JsonNode& node) {
  expect_kind(document, node, Kind::object, "an object of arrays of one length");
  Axis axis;
  axis.document = &document;
  for (const auto& [key, key_at, value] : node.members) {
    expect_kind(document, value, Kind::array, "an array of values for '" + key + "'");
    if (value.items.empty()) fail_at(document, value, "'" + key + "': an empty array in a zip");
    if (axis.keys.empty()) axis.rows.resize(value.items.size());
    if (value.items.size() != axis.rows.size()) {
      fail_at(document, value,
              "zip: '" + key + "' has " + std::to_string(value.items.size()) + " values, '" +
                  axis.keys.front() + "' has " + std::to_string(axis.rows.size()));
    }
    axis.keys.push_back(key);
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      axis.rows[i].push_back(read_scalar(document, key, value.items[i]));
    }
  }
  if (axis.keys.empty()) fail_at(document, node, "an empty zip gives no case");
  return axis;
}

std::vector<Axis> read_tensors(const JsonDocument& document, const JsonNode& node,
                               const std::string& prefix) {
  expect_kind(document, node, Kind::object, "an object: tensor name to values, npy or fill");
  std::vector<Axis> axes;
  for (const auto& [key, key_at, value] : node.members) {
    if (prefix == "expect" && key == "atol") {
      axes.push_back({&document, {"atol"}, {{read_scalar(document, key, value)}}});
      continue;
    }
    const std::string text = read_source(document, value, key);
    axes.push_back({&document, {prefix + "." + key}, {{AxisValue{text, Kind::string, &value}}}});
  }
  return axes;
}

}  // namespace wm
