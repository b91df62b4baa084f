// An Imported as a sweep file: one line a case.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "import/import.hpp"

namespace wm::importing {
namespace {

using json = nlohmann::ordered_json;

/// The text of a key in the JSON type that the sweep reader expects for it.
json typed(const Op& op, const std::string& key, const std::string& value) {
  const auto declared = std::find_if(op.keys.begin(), op.keys.end(),
                                     [&](const Key& each) { return each.name == key; });
  if (declared == op.keys.end() || declared->kind == Key::Kind::word) return value;
  if (const auto integer = parse_int(value)) return *integer;
  if (declared->kind == Key::Kind::real) {
    if (const auto real = parse_real(value)) return *real;
  }
  return value;
}

std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string case_line(const ImportedCase& item) {
  json line{{"op", item.op->name}};
  for (const auto& [key, value] : item.keys) line[key] = typed(*item.op, key, value);
  if (!item.label.empty()) line["label"] = item.label;
  if (item.count > 1) line["count"] = item.count;
  return dump(line);
}

}  // namespace

std::string to_sweep(const Imported& imported, const std::string& name,
                     const std::string& description) {
  std::string text = "{\n  \"name\": " + dump(name) + ",\n  \"description\": " + dump(description) +
                     ",\n  \"run\": {\"recipes\": [\"exact\", \"normal\"], \"seed\": 1},\n" +
                     "  \"defaults\": {\"algo\": \"*\"},\n  \"cases\": [";
  const char* separator = "\n    ";
  for (const ImportedCase& item : imported.cases) {
    text += separator + case_line(item);
    separator = ",\n    ";
  }
  return text + "\n  ]\n}\n";
}

}  // namespace wm::importing
