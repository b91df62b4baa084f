#include "compare/file_keys.hpp"

#include "config/axis.hpp"

namespace wm::compare {

void check_root(const JsonDocument& document, const std::string& schema,
                const std::vector<std::string>& allowed) {
  const JsonNode& root = document.root;
  expect_kind(document, root, JsonNode::Kind::object, "an object");
  const JsonNode* found = root.find("schema");
  if (!found) fail_at(document, root, "key 'schema' is missing; expected \"" + schema + "\"");
  if (found->kind != JsonNode::Kind::string || found->text != schema) {
    fail_at(document, *found, "'schema': expected \"" + schema + "\", got " + found->describe());
  }
  check_members(document, root, schema, allowed);
}

const JsonNode* array_of(const JsonDocument& document, const JsonNode& object,
                         const std::string& key, bool required) {
  const JsonNode* found = object.find(key);
  if (!found) {
    if (required) fail_at(document, object, "key '" + key + "' is missing");
    return nullptr;
  }
  expect_kind(document, *found, JsonNode::Kind::array, "an array for '" + key + "'");
  return found;
}

std::string required_text(const JsonDocument& document, const JsonNode& object,
                          const std::string& key) {
  const JsonNode* found = object.find(key);
  if (!found) fail_at(document, object, "key '" + key + "' is missing");
  expect_kind(document, *found, JsonNode::Kind::string, "a string for '" + key + "'");
  if (found->text.empty()) fail_at(document, *found, "'" + key + "' is empty");
  return found->text;
}

}  // namespace wm::compare
