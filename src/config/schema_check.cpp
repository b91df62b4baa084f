#include "config/schema_check.hpp"

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace wm {
namespace {

using json = nlohmann::json;
using valijson::adapters::NlohmannJsonAdapter;

json to_json(const JsonNode& node) {
  switch (node.kind) {
    case JsonNode::Kind::null:
      return nullptr;
    case JsonNode::Kind::boolean:
      return node.text == "true";
    case JsonNode::Kind::integer:
    case JsonNode::Kind::real:
      return json::parse(node.text);
    case JsonNode::Kind::string:
      return node.text;
    case JsonNode::Kind::array: {
      json array = json::array();
      for (const JsonNode& item : node.items) array.push_back(to_json(item));
      return array;
    }
    case JsonNode::Kind::object:
      break;
  }
  json object = json::object();
  for (const JsonMember& member : node.members) object[member.key] = to_json(member.value);
  return object;
}

/// The node that valijson's path names: "<root>", "[key]" or "[3]", ... As far as it leads.
const JsonNode& node_at(const JsonDocument& document, const std::vector<std::string>& path) {
  const JsonNode* node = &document.root;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const std::string step = path[i].substr(1, path[i].size() - 2);
    const JsonNode* next = nullptr;
    if (node->kind == JsonNode::Kind::object) {
      next = node->find(step);
    } else if (node->kind == JsonNode::Kind::array && !step.empty() &&
               step.find_first_not_of("0123456789") == std::string::npos) {
      const std::size_t index = std::stoul(step);
      if (index < node->items.size()) next = &node->items[index];
    }
    if (next == nullptr) break;
    node = next;
  }
  return *node;
}

const valijson::Schema& sweep_schema() {
  static const valijson::Schema& parsed = [&]() -> const valijson::Schema& {
    static valijson::Schema schema;
    static const json text = json::parse(sweep_schema_text());
    valijson::SchemaParser().populateSchema(NlohmannJsonAdapter(text), schema);
    return schema;
  }();
  return parsed;
}

}  // namespace

void check_sweep_schema(const JsonDocument& document) {
  const json text = to_json(document.root);
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(sweep_schema(), NlohmannJsonAdapter(text), &results)) return;
  // The deepest is the one nearest to the cause.
  std::vector<std::string> path;
  std::string rule = "not allowed by the schema";
  for (const auto& error : results) {
    if (error.context.size() < path.size()) continue;
    path = error.context;
    rule = error.description;
  }
  throw ConfigError(document.where(node_at(document, path)),
                    rule + " (configs/schema/sweep.schema.json)");
}

}  // namespace wm
