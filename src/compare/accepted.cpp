#include "compare/accepted.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "compare/file_keys.hpp"
#include "compare/json_text.hpp"
#include "config/axis.hpp"
#include "core/error.hpp"

namespace wm::compare {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* kSchema = "warpmark.accepted/1";

/// A value of the file as the JSON text a finding has.
std::string value_text(const JsonDocument& document, const JsonNode& node) {
  switch (node.kind) {
    case JsonNode::Kind::null:
      return "null";
    case JsonNode::Kind::string:
      return json_text(node.text);
    case JsonNode::Kind::object: {
      json object = json::object();
      for (const JsonMember& member : node.members) {
        object[member.key] = json::parse(value_text(document, member.value));
      }
      return object.dump();
    }
    case JsonNode::Kind::array:
      fail_at(document, node, "expected a single value or an object, got an array");
    default:
      return json::parse(node.text).dump();
  }
}

std::string required_value(const JsonDocument& document, const JsonNode& object,
                           const std::string& key) {
  const JsonNode* found = object.find(key);
  if (!found) fail_at(document, object, "key '" + key + "' is missing");
  return value_text(document, *found);
}

}  // namespace

bool is_acceptable(const Finding& finding) {
  return finding.counts() && finding.verdict != Verdict::worse;
}

Accepted::Place Accepted::place_of(const Finding& finding) {
  return {finding.case_id, finding.variant, finding.aspect, finding.tensor};
}

Accepted Accepted::parse(const std::string& name, const std::string& text) {
  const auto document = parse_json(name, text);
  check_root(*document, kSchema, {"schema", "$schema", "changes"});
  Accepted accepted;
  for (const JsonNode& item : array_of(*document, document->root, "changes", true)->items) {
    expect_kind(*document, item, JsonNode::Kind::object, "an object: one accepted change");
    check_members(*document, item, "an accepted change",
                  {"case_id", "variant", "aspect", "tensor", "old", "new", "reason", "tool"});
    Finding place;
    place.case_id = required_text(*document, item, "case_id");
    place.variant = required_text(*document, item, "variant");
    place.aspect = required_text(*document, item, "aspect");
    if (item.find("tensor")) place.tensor = required_text(*document, item, "tensor");
    const AcceptedChange change{
        required_value(*document, item, "old"), required_value(*document, item, "new"),
        required_text(*document, item, "reason"), required_text(*document, item, "tool")};
    if (!accepted.changes_.emplace(place_of(place), change).second) {
      fail_at(*document, item, "a second entry for the same case, variant, aspect and tensor");
    }
  }
  return accepted;
}

Accepted Accepted::read(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad() || std::filesystem::is_directory(file)) {
    throw UsageError("cannot read " + file + ": no such file, or not readable");
  }
  return parse(file, text);
}

const AcceptedChange* Accepted::match(const Finding& finding) {
  const auto found = changes_.find(place_of(finding));
  if (found == changes_.end()) return nullptr;
  AcceptedChange& change = found->second;
  if (change.old_value != finding.old_value || change.new_value != finding.new_value) {
    return nullptr;
  }
  change.used = true;
  return &change;
}

void Accepted::add(const Finding& finding, const std::string& reason, const std::string& tool) {
  changes_[place_of(finding)] = {finding.old_value, finding.new_value, reason, tool, true};
}

std::vector<std::string> Accepted::stale_notes() const {
  std::vector<std::string> notes;
  for (const auto& [place, change] : changes_) {
    if (change.used) continue;
    const auto& [case_id, variant, aspect, tensor] = place;
    notes.push_back("stale accepted change: case " + case_id + " " + variant + " " + aspect +
                    (tensor.empty() ? "" : " of " + tensor) + ": " + change.old_value + " -> " +
                    change.new_value + " does not occur");
  }
  return notes;
}

std::string Accepted::to_text() const {
  json list = json::array();
  for (const auto& [place, change] : changes_) {
    const auto& [case_id, variant, aspect, tensor] = place;
    json entry{{"case_id", case_id}, {"variant", variant}, {"aspect", aspect}};
    if (!tensor.empty()) entry["tensor"] = tensor;
    entry["old"] = json_value(change.old_value);
    entry["new"] = json_value(change.new_value);
    entry["reason"] = change.reason;
    entry["tool"] = change.tool;
    list.push_back(std::move(entry));
  }
  return json{{"schema", kSchema}, {"changes", list}}.dump(2, ' ', false,
                                                           json::error_handler_t::replace) +
         "\n";
}

void Accepted::write(const std::string& file) const {
  const std::string temporary = file + ".tmp" + std::to_string(getpid());
  std::ofstream stream(temporary, std::ios::trunc | std::ios::binary);
  stream << to_text();
  stream.close();
  std::error_code error;
  if (stream) std::filesystem::rename(temporary, file, error);
  if (!stream || error) {
    std::filesystem::remove(temporary, error);
    throw EnvironmentError("cannot write " + file);
  }
}

}  // namespace wm::compare
