#include "config/sweep.hpp"

#include <algorithm>
#include <filesystem>

#include "config/axis.hpp"
#include "config/case.hpp"
#include "core/text.hpp"

namespace wm {
namespace {

using Kind = JsonNode::Kind;
using DocumentPtr = std::shared_ptr<const JsonDocument>;

const std::vector<std::string> kTopKeys{"$schema",  "name",  "description", "include", "run",
                                        "defaults", "cases", "exclude",     "require"};
const std::vector<std::string> kRunKeys{"stages", "recipes", "seed", "repeats"};
const std::vector<std::string> kCaseKeys{"op", "zip", "run", "inputs", "expect"};

/// Runs `check`, giving its UsageError the place of `node`.
template <class Check>
void check_at(const JsonDocument& document, const JsonNode& node, Check&& check) {
  try {
    check();
  } catch (const ConfigError&) {
    throw;
  } catch (const UsageError& error) {
    fail_at(document, node, error.what());
  }
}

/// One string, or an array of them.
std::vector<const JsonNode*> string_nodes(const JsonDocument& document, const JsonNode& node,
                                          const std::string& what) {
  std::vector<const JsonNode*> nodes;
  if (node.kind == Kind::array) {
    for (const JsonNode& item : node.items) nodes.push_back(&item);
    if (nodes.empty()) fail_at(document, node, "expected at least one " + what);
  } else {
    nodes.push_back(&node);
  }
  for (const JsonNode* each : nodes) expect_kind(document, *each, Kind::string, what);
  return nodes;
}

RunSettings read_run(const JsonDocument& document, const JsonNode& node) {
  expect_kind(document, node, Kind::object, "an object");
  check_members(document, node, "'run'", kRunKeys);
  RunSettings run;
  if (const JsonNode* stages = node.find("stages")) {
    for (const JsonNode* stage : string_nodes(document, *stages, "stage name")) {
      run.stages.push_back(stage->text);
      check_at(document, *stage, [&] { check_stages(run.stages); });
    }
  }
  if (const JsonNode* repeats = node.find("repeats")) {
    run.repeats = static_cast<int>(read_integer(document, *repeats, 1, 1'000'000));
  }
  if (const JsonNode* recipes = node.find("recipes")) {
    for (const JsonNode* each : string_nodes(document, *recipes, "recipe")) {
      check_at(document, *each, [&] { check_recipe(each->text); });
    }
    run.axes.push_back(read_axis(document, "recipe", *recipes));
  }
  if (const JsonNode* seed = node.find("seed")) {
    run.axes.push_back(read_axis(document, "seed", *seed));
  }
  return run;
}

Requirements read_require(const JsonDocument& document, const JsonNode& node) {
  expect_kind(document, node, Kind::object, "an object");
  check_members(document, node, "'require'", {"min_passed_per_variant", "device"});
  Requirements require;
  if (const JsonNode* least = node.find("min_passed_per_variant")) {
    require.min_passed_per_variant = read_integer(document, *least, 0, 1'000'000'000);
  }
  if (const JsonNode* device = node.find("device")) {
    expect_kind(document, *device, Kind::string, "a device name");
    check_at(document, *device, [&] { check_device_name(device->text); });
    require.device = device->text;
  }
  return require;
}

/// Keys that any op knows, to tell a misspelt one.
void check_known_key(const JsonDocument& document, const JsonMember& member,
                     const std::string& place) {
  std::vector<std::string> known;
  for (const Op* op : all_ops()) {
    if (accepts_key(*op, member.key)) return;
    for (const std::string& key : case_keys(*op)) known.push_back(key);
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  throw ConfigError(document.where(member), unknown_message("key of " + place, member.key, known));
}

std::vector<Axis> read_defaults(const JsonDocument& document, const JsonNode& node) {
  expect_kind(document, node, Kind::object, "an object");
  std::vector<Axis> axes;
  for (const JsonMember& member : node.members) {
    check_known_key(document, member, "'defaults'");
    axes.push_back(read_axis(document, member.key, member.value));
  }
  return axes;
}

std::vector<ExcludeClause> read_excludes(const JsonDocument& document, const JsonNode& node) {
  expect_kind(document, node, Kind::array, "an array of objects");
  std::vector<ExcludeClause> clauses;
  for (const JsonNode& item : node.items) {
    expect_kind(document, item, Kind::object, "an object of conditions");
    if (item.members.empty()) fail_at(document, item, "an empty clause would exclude everything");
    ExcludeClause clause;
    for (const JsonMember& member : item.members) {
      if (member.key != "op") check_known_key(document, member, "'exclude'");
      ExcludeClause::Condition condition{member.key, {}, document.where(member.value)};
      for (const auto& row : read_axis(document, member.key, member.value).rows) {
        condition.values.push_back(row.front().text);
        if (member.key == "op" && !find_op(row.front().text)) {
          fail_at(document, *row.front().node, unknown_message("op", row.front().text, op_names()));
        }
      }
      clause.conditions.push_back(std::move(condition));
    }
    clauses.push_back(std::move(clause));
  }
  return clauses;
}

std::vector<const Op*> read_ops(const JsonDocument& document, const JsonNode& node) {
  const JsonNode* ops = node.find("op");
  if (!ops) fail_at(document, node, "a case needs the key 'op'");
  std::vector<const Op*> found;
  for (const JsonNode* each : string_nodes(document, *ops, "name of an op")) {
    const Op* op = find_op(each->text);
    if (!op) fail_at(document, *each, unknown_message("op", each->text, op_names()));
    if (std::find(found.begin(), found.end(), op) != found.end()) {
      fail_at(document, *each, "op '" + each->text + "' is given twice");
    }
    found.push_back(op);
  }
  return found;
}

/// A key inside a case must be known to every op of the case.
void check_case_key(const JsonDocument& document, const JsonMember& member,
                    const std::vector<const Op*>& ops) {
  for (const char* prefix : {"in.", "expect."}) {
    if (member.key.rfind(prefix, 0) == 0) {
      const std::string group = prefix[0] == 'i' ? "inputs" : "expect";
      throw ConfigError(document.where(member),
                        "'" + member.key + "': in a sweep write \"" + group + "\": {\"" +
                            member.key.substr(std::string(prefix).size()) + "\": ...}");
    }
  }
  for (const Op* op : ops) {
    if (accepts_key(*op, member.key)) continue;
    std::vector<std::string> known = case_keys(*op);
    known.insert(known.end(), kCaseKeys.begin(), kCaseKeys.end());
    throw ConfigError(document.where(member),
                      unknown_message("key of " + op->name, member.key, known));
  }
}

void add_zip(const JsonDocument& document, const JsonNode& node, SweepCase& item) {
  for (const JsonMember& member : node.members) check_case_key(document, member, item.ops);
  item.axes.push_back(read_zip(document, node));
}

void add_case_member(const JsonDocument& document, const JsonMember& member, SweepCase& item) {
  const JsonNode& value = member.value;
  if (member.key == "op") return;
  if (member.key == "run") {
    item.run = read_run(document, value);
  } else if (member.key == "zip") {
    if (value.kind == Kind::array) {
      for (const JsonNode& each : value.items) add_zip(document, each, item);
    } else {
      add_zip(document, value, item);
    }
  } else if (member.key == "inputs" || member.key == "expect") {
    const std::string prefix = member.key == "inputs" ? "in" : "expect";
    for (Axis& axis : read_tensors(document, value, prefix)) item.axes.push_back(std::move(axis));
  } else {
    check_case_key(document, member, item.ops);
    if (member.key == "label") expect_kind(document, value, Kind::string, "a string");
    if (member.key == "count") read_integer(document, value, 1, 1'000'000'000);
    item.axes.push_back(read_axis(document, member.key, value));
  }
}

/// The same key twice (as a key and in a zip, or in two zips) has no meaning.
void check_unique_keys(const JsonDocument& document, const SweepCase& item) {
  std::vector<std::string> seen;
  for (const Axis& axis : item.axes) {
    for (const std::string& key : axis.keys) {
      if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
        fail_at(document, *item.node, "key '" + key + "' is given twice in this case (zip)");
      }
      seen.push_back(key);
    }
  }
}

SweepCase read_case(const DocumentPtr& document, const JsonNode& node,
                    const std::shared_ptr<const Scope>& scope) {
  expect_kind(*document, node, Kind::object, "an object (a case)");
  SweepCase item{&node, scope, read_ops(*document, node), {}, {}};
  for (const JsonMember& member : node.members) add_case_member(*document, member, item);
  check_unique_keys(*document, item);
  return item;
}

class SweepReader {
 public:
  explicit SweepReader(Sweep& sweep) : sweep_(sweep) {}

  void read(const DocumentPtr& document, const std::shared_ptr<const Scope>& parent) {
    const JsonNode& root = document->root;
    expect_kind(*document, root, Kind::object, "an object (a sweep)");
    check_members(*document, root, "the sweep", kTopKeys);
    for (const char* key : {"$schema", "name", "description"}) {
      if (const JsonNode* node = root.find(key)) {
        expect_kind(*document, *node, Kind::string, "a string");
      }
    }
    auto scope = std::make_shared<Scope>();
    scope->parent = parent;
    scope->document = document;
    if (const JsonNode* node = root.find("run")) scope->run = read_run(*document, *node);
    if (const JsonNode* node = root.find("defaults")) {
      scope->defaults = read_defaults(*document, *node);
    }
    if (const JsonNode* node = root.find("exclude")) {
      scope->excludes = read_excludes(*document, *node);
    }
    if (!parent) read_top(document, *scope);
    read_includes(document, scope);
    read_cases(document, scope);
    sweep_.documents.push_back(document);
  }

 private:
  void read_top(const DocumentPtr& document, const Scope& scope) {
    const JsonNode& root = document->root;
    const JsonNode* name = root.find("name");
    sweep_.name = name ? name->text : std::filesystem::path(document->file).stem().string();
    sweep_.run = scope.run;
    if (const JsonNode* node = root.find("require")) {
      sweep_.require = read_require(*document, *node);
    }
  }

  void read_includes(const DocumentPtr& document, const std::shared_ptr<const Scope>& scope) {
    const JsonNode* include = document->root.find("include");
    if (!include) return;
    const auto folder = std::filesystem::path(document->file).parent_path();
    open_.push_back(std::filesystem::weakly_canonical(document->file).string());
    for (const JsonNode* each : string_nodes(*document, *include, "file name")) {
      const std::string file = (folder / each->text).lexically_normal().string();
      const std::string target = std::filesystem::weakly_canonical(file).string();
      if (std::find(open_.begin(), open_.end(), target) != open_.end()) {
        fail_at(
            *document, *each,
            "include of '" + each->text + "' is a cycle: " + join(open_, " -> ") + " -> " + target);
      }
      DocumentPtr included;
      check_at(*document, *each, [&] { included = read_json_file(file); });
      read(included, scope);
    }
    open_.pop_back();
  }

  void read_cases(const DocumentPtr& document, const std::shared_ptr<const Scope>& scope) {
    const JsonNode& root = document->root;
    const JsonNode* cases = root.find("cases");
    if (!cases) {
      if (!root.find("include")) fail_at(*document, root, "a sweep needs the key 'cases'");
      return;
    }
    expect_kind(*document, *cases, Kind::array, "an array of cases");
    for (const JsonNode& node : cases->items) {
      sweep_.cases.push_back(read_case(document, node, scope));
    }
  }

  Sweep& sweep_;
  std::vector<std::string> open_;  // files being read, outermost first
};

}  // namespace

const std::vector<std::string>& stage_names() {
  static const std::vector<std::string> names{"verify", "determinism", "throughput"};
  return names;
}

void check_stages(const std::vector<std::string>& stages) {
  for (auto stage = stages.begin(); stage != stages.end(); ++stage) {
    const auto& names = stage_names();
    if (std::find(names.begin(), names.end(), *stage) == names.end()) {
      throw UsageError(unknown_message("stage", *stage, names));
    }
    if (std::find(stages.begin(), stage, *stage) != stage) {
      throw UsageError("stage '" + *stage + "' is given twice");
    }
  }
}

Sweep read_sweep(const std::string& file) {
  Sweep sweep;
  SweepReader(sweep).read(read_json_file(file), nullptr);
  return sweep;
}

}  // namespace wm
