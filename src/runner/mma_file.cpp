#include "runner/mma_file.hpp"

#include <algorithm>
#include <optional>

#include "config/json_tree.hpp"
#include "core/text.hpp"

namespace wm {
namespace {

constexpr const char* kMmaFileSchema = "warpmark.mma_model/1";
const std::vector<std::string> kMmaFileKeys{"schema",     "name",     "device",     "ieee",
                                            "fp8_by_f16", "operands", "unexplained"};
const std::vector<std::string> kMmaOperandKeys{"products", "extra_bits", "fraction_bits", "terms",
                                               "sum",      "subnormals", "confirmed"};

class MmaFileReader {
 public:
  explicit MmaFileReader(const JsonDocument& document) : document_(document) {}

  OwnMmaModel read() const {
    const JsonNode& root = document_.root;
    expect(root, JsonNode::Kind::object, "an object that describes a tensor core");
    check_keys(root, kMmaFileKeys);
    if (word(need(root, "schema")) != kMmaFileSchema)
      fail(need(root, "schema"), std::string("expected \"") + kMmaFileSchema + "\"");
    OwnMmaModel model;
    model.name = word(need(root, "name"));
    if (model.name.empty() || model.name.find_first_of("+ \t/") != std::string::npos)
      fail(need(root, "name"), "name must be a word without '+', '/' and blanks");
    model.device = word(need(root, "device"));
    model.model.ieee = truth(need(root, "ieee"));
    model.model.fp8_by_f16 = truth(need(root, "fp8_by_f16"));
    const JsonNode& operands = need(root, "operands");
    expect(operands, JsonNode::Kind::object, "an object of operand types");
    for (const JsonMember& member : operands.members) read_operand(model, member);
    if (model.model.fp8_by_f16 && operands.find("f16") == nullptr)
      fail(operands, "fp8_by_f16 needs the operand f16");
    return model;
  }

 private:
  [[noreturn]] void fail(const JsonNode& node, const std::string& message) const {
    throw ConfigError(document_.where(node), message);
  }
  void expect(const JsonNode& node, JsonNode::Kind kind, const char* wanted) const {
    if (node.kind != kind)
      fail(node, std::string("expected ") + wanted + ", got " + node.describe());
  }
  const JsonNode& need(const JsonNode& object, const char* key) const {
    const JsonNode* found = object.find(key);
    if (found == nullptr) fail(object, std::string("key '") + key + "' is missing");
    return *found;
  }
  const std::string& word(const JsonNode& node) const {
    expect(node, JsonNode::Kind::string, "a string");
    return node.text;
  }
  bool truth(const JsonNode& node) const {
    expect(node, JsonNode::Kind::boolean, "true or false");
    return node.text == "true";
  }
  void check_keys(const JsonNode& object, const std::vector<std::string>& allowed) const {
    for (const JsonMember& member : object.members)
      if (std::find(allowed.begin(), allowed.end(), member.key) == allowed.end())
        throw ConfigError(document_.where(member),
                          unknown_message("key of a tensor-core model", member.key, allowed));
  }
  int integer(const JsonNode& object, const char* key, int least, int most) const {
    const JsonNode& node = need(object, key);
    expect(node, JsonNode::Kind::integer, "an integer");
    const auto value = parse_int(node.text);
    if (!value || *value < least || *value > most)
      fail(node, std::string(key) + " is " + node.text + ", allowed are " + std::to_string(least) +
                     " to " + std::to_string(most));
    return static_cast<int>(*value);
  }
  /// The value whose name stands at `key`.
  template <class Value>
  Value named(const JsonNode& object, const char* key, std::vector<Value> values) const {
    const JsonNode& node = need(object, key);
    std::vector<std::string> names;
    for (const Value value : values) {
      if (name_of(value) == word(node)) return value;
      names.emplace_back(name_of(value));
    }
    fail(node, unknown_message(key, node.text, names));
  }
  MmaRounding rounding(const JsonNode& object, const char* key) const {
    return named<MmaRounding>(object, key, {MmaRounding::truncate, MmaRounding::nearest});
  }

  void read_operand(OwnMmaModel& model, const JsonMember& member) const {
    std::vector<std::string> names;
    std::optional<std::size_t> at;
    for (std::size_t i = 0; i < kMmaOperands; ++i) {
      const auto operand = static_cast<MmaOperand>(i);
      if (operand == MmaOperand::s8) continue;  // exact: there is nothing to describe
      names.emplace_back(name_of(operand));
      if (names.back() == member.key) at = i;
    }
    if (!at)
      throw ConfigError(document_.where(member), unknown_message("operand", member.key, names));
    const JsonNode& node = member.value;
    expect(node, JsonNode::Kind::object, "an object that describes an operand");
    check_keys(node, kMmaOperandKeys);
    model.model.blocks[*at] = {integer(node, "products", 1, 64),
                               integer(node, "extra_bits", -16, 3),
                               integer(node, "fraction_bits", 1, 23)};
    model.rules[*at] = {rounding(node, "terms"), rounding(node, "sum"),
                        named<MmaSubnormals>(node, "subnormals",
                                             {MmaSubnormals::minimum, MmaSubnormals::normalised,
                                              MmaSubnormals::flush})};
  }

  const JsonDocument& document_;
};

using json = nlohmann::ordered_json;

}  // namespace

nlohmann::ordered_json mma_model_json(const std::vector<ProbedOperand>& operands,
                                      const std::string& name, const std::string& device) {
  const OwnMmaModel model = model_of(operands, name, device);
  json described = json::object(), unexplained = json::object();
  for (const ProbedOperand& operand : operands) {
    const std::string key(name_of(operand.operand));
    if (!operand.explained())
      unexplained[key] = operand.unexplained;
    else if (operand.ieee && !model.model.ieee)
      unexplained[key] = "a chain of fused multiply-adds, unlike the other operands";
    else if (!operand.ieee)
      described[key] = {{"products", operand.block.products},
                        {"extra_bits", operand.block.extra_bits},
                        {"fraction_bits", operand.block.fraction_bits},
                        {"terms", name_of(operand.rules.terms)},
                        {"sum", name_of(operand.rules.sum)},
                        {"subnormals", name_of(operand.rules.subnormals)},
                        {"confirmed", operand.outputs}};
  }
  json file{{"schema", kMmaFileSchema},
            {"name", name},
            {"device", device},
            {"ieee", model.model.ieee},
            {"fp8_by_f16", model.model.fp8_by_f16},
            {"operands", described}};
  if (!unexplained.empty()) file["unexplained"] = unexplained;
  return file;
}

OwnMmaModel read_mma_model(const std::string& file) {
  return MmaFileReader(*read_json_file(file)).read();
}

}  // namespace wm
