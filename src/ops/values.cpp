#include "ops/values.hpp"

#include <stdexcept>
#include <utility>

#include "core/text.hpp"

namespace wm::keys {
namespace {

std::string integer_range(const Key& key) {
  return "from " + std::to_string(key.min) + " to " + std::to_string(key.max);
}

bool in_range(const Key& key, const std::optional<std::int64_t>& value) {
  return value && *value >= key.min && *value <= key.max;
}

[[noreturn]] void bad_value(std::string_view op, const Key& key, const std::string& text,
                            const std::string& wanted) {
  throw UsageError(std::string(op) + ": " + key.name + "=" + text + ": expected " + wanted + " (" +
                   key.doc + ")");
}

std::string normal_integer(std::string_view op, const Key& key, const std::string& text) {
  const std::optional<std::int64_t> value = parse_int(text);
  if (!in_range(key, value)) bad_value(op, key, text, "an integer " + integer_range(key));
  return std::to_string(*value);
}

std::string normal_list(std::string_view op, const Key& key, const std::string& text) {
  std::vector<std::string> parts;
  for (const std::string& part : split(text, text.find('x') != std::string::npos ? 'x' : ',')) {
    const std::optional<std::int64_t> value = parse_int(part);
    if (!in_range(key, value)) {
      bad_value(op, key, text,
                "an integer " + integer_range(key) + ", or one a dimension such as 2x3 or 3,0,5");
    }
    parts.push_back(std::to_string(*value));
  }
  return join(parts, "x");
}

std::string normal_word(std::string_view op, const Key& key, const std::string& text) {
  for (const std::string& word : key.words) {
    if (word == text) return text;
  }
  throw UsageError(std::string(op) + ": " + unknown_message(key.name, text, key.words));
}

}  // namespace

Key size(std::string name, std::string doc, std::int64_t min, std::int64_t max) {
  Key key;
  key.name = std::move(name);
  key.min = min;
  key.max = max;
  key.doc = std::move(doc);
  return key;
}

Key size_or(std::string name, std::int64_t default_value, std::string doc, std::int64_t min,
            std::int64_t max) {
  Key key = size(std::move(name), std::move(doc), min, max);
  key.default_text = std::to_string(default_value);
  return key;
}

Key real_or(std::string name, std::string default_text, std::string doc) {
  Key key;
  key.name = std::move(name);
  key.kind = Key::Kind::real;
  key.default_text = std::move(default_text);
  key.doc = std::move(doc);
  return key;
}

Key flag(std::string name, std::string doc) {
  Key key;
  key.name = std::move(name);
  key.kind = Key::Kind::flag;
  key.default_text = "0";
  key.max = 1;
  key.doc = std::move(doc);
  return key;
}

Key word(std::string name, std::string default_text, std::vector<std::string> words,
         std::string doc) {
  Key key;
  key.name = std::move(name);
  key.kind = Key::Kind::word;
  key.default_text = std::move(default_text);
  key.words = std::move(words);
  key.doc = std::move(doc);
  return key;
}

const std::string& text(const KeyValues& values, std::string_view key) {
  if (const std::string* found = find_value(values, key)) return *found;
  throw std::logic_error("key '" + std::string(key) + "' was not resolved");
}

std::int64_t integer(const KeyValues& values, std::string_view key) {
  return parse_int(text(values, key)).value();
}

double real(const KeyValues& values, std::string_view key) {
  return parse_real(text(values, key)).value();
}

bool flag_value(const KeyValues& values, std::string_view key) { return text(values, key) == "1"; }

std::string normalised(std::string_view op, const Key& key, const std::string& text) {
  switch (key.kind) {
    case Key::Kind::integer:
      return normal_integer(op, key, text);
    case Key::Kind::list:
      return normal_list(op, key, text);
    case Key::Kind::word:
      return normal_word(op, key, text);
    case Key::Kind::real: {
      const std::optional<double> value = parse_real(text);
      if (!value) bad_value(op, key, text, "a finite number");
      return format_real(*value == 0 ? 0 : *value);
    }
    case Key::Kind::flag:
      if (text == "0" || text == "false") return "0";
      if (text == "1" || text == "true") return "1";
      bad_value(op, key, text, "0 or 1");
  }
  throw std::logic_error("key kind");
}

void set(KeyValues& values, std::string_view key, std::string value) {
  for (auto& [name, text] : values) {
    if (name == key) {
      text = std::move(value);
      return;
    }
  }
  values.emplace_back(key, std::move(value));
}

TensorDesc tensor(std::string name, Role role, DType dtype, Dims dims, Layout layout) {
  TensorDesc desc;
  desc.name = std::move(name);
  desc.role = role;
  desc.dtype = dtype;
  desc.strides = layout == Layout::nhwc ? channels_last_strides(dims) : packed_strides(dims);
  desc.dims = std::move(dims);
  return desc;
}

void require_floating(const Problem& problem) {
  for (const DType dtype : {problem.dtypes.in, problem.dtypes.out}) {
    if (info(dtype).floating) continue;
    throw UsageError(problem.op->name + ": dtype=" + problem.dtype_text() + ": " +
                     std::string(name_of(dtype)) +
                     " is no floating-point type; allowed: f64, f32, f16, bf16, e4m3, e5m2");
  }
}

}  // namespace wm::keys
