// warpmark list ops|algorithms|devices|archs|recipes.
#include <algorithm>
#include <iostream>

#include "cli/archs.hpp"
#include "cli/verb.hpp"
#include "core/mma_model.hpp"
#include "core/text.hpp"

namespace wm {
namespace {

using json = nlohmann::ordered_json;

const char* kind_name(Key::Kind kind) {
  switch (kind) {
    case Key::Kind::integer:
      return "integer";
    case Key::Kind::real:
      return "real";
    case Key::Kind::flag:
      return "flag";
    case Key::Kind::word:
      return "word";
    case Key::Kind::list:
      return "list";
  }
  return "";
}

json key_json(const Key& key) {
  json out{{"name", key.name},
           {"kind", kind_name(key.kind)},
           {"default", key.default_text ? json(*key.default_text) : json(nullptr)},
           {"required", !key.default_text && !key.alias && !key.optional},
           {"alias", key.alias},
           {"doc", key.doc}};
  if (key.kind == Key::Kind::integer || key.kind == Key::Kind::list) {
    out["min"] = key.min;
    out["max"] = key.max;
  }
  if (!key.words.empty()) out["words"] = key.words;
  return out;
}

/// Smallest problem of the op: required keys at 1 or their first word.
KeyValues least_values(const Op& op) {
  KeyValues values;
  for (const Key& key : op.keys) {
    if (key.default_text || key.alias || key.optional) continue;
    values.emplace_back(key.name, key.words.empty() ? "1" : key.words.front());
  }
  return values;
}

void add_tensors(const Op& op, const KeyValues& values, const std::string& when, json& tensors) {
  try {
    for (const TensorDesc& desc : op.resolve(values).tensors) {
      const bool known = std::any_of(tensors.begin(), tensors.end(),
                                     [&](const json& each) { return each["name"] == desc.name; });
      if (known) continue;
      tensors.push_back({{"name", desc.name},
                         {"role", desc.role == Role::input ? "input" : "output"},
                         {"when", when}});
    }
  } catch (const UsageError&) {
    return;  // a variation that makes no problem has no tensors
  }
}

/// Tensors of the op: those of its smallest problem, then those that one changed key adds.
json tensors_json(const Op& op) {
  json tensors = json::array();
  const KeyValues least = least_values(op);
  add_tensors(op, least, "", tensors);
  for (const Key& key : op.keys) {
    if (key.alias || find_value(least, key.name)) continue;
    std::vector<std::string> texts = key.words;
    if (key.kind == Key::Kind::flag || key.kind == Key::Kind::real) texts.emplace_back("1");
    for (const std::string& text : texts) {
      KeyValues values = least;
      values.emplace_back(key.name, text);
      const bool number = key.kind == Key::Kind::real;
      add_tensors(op, values, key.name + (number ? " other than 0" : "=" + text), tensors);
    }
  }
  return tensors;
}

json ops_json() {
  json ops = json::array();
  for (const Op* op : all_ops()) {
    json keys = json::array();
    for (const Key& key : op->keys) keys.push_back(key_json(key));
    ops.push_back({{"name", op->name},
                   {"family", op->family},
                   {"summary", op->summary},
                   {"keys", keys},
                   {"case_keys", case_keys(*op)},
                   {"dtype_fields", op->has_weights ? 3 : 2},
                   {"layouts", op->has_layout ? json{"nchw", "nhwc"} : json::array()},
                   {"tensors", tensors_json(*op)}});
  }
  return ops;
}

void print_key(const json& key) {
  std::string line = "    " + key["name"].get<std::string>();
  if (key["required"]) {
    line += " (required)";
  } else if (key["default"].is_string()) {
    line += " (" + key["default"].get<std::string>() + ")";
  }
  line += "  " + key["doc"].get<std::string>();
  if (key.contains("words"))
    line += ": " + join(key["words"].get<std::vector<std::string>>(), ", ");
  std::cout << line << "\n";
}

void print_ops(const json& ops) {
  for (const json& op : ops) {
    std::cout << op["name"].get<std::string>() << "  " << op["summary"].get<std::string>() << "\n";
    std::vector<std::string> tensors;
    for (const json& tensor : op["tensors"]) {
      const std::string when = tensor["when"];
      tensors.push_back(tensor["name"].get<std::string>() + " (" +
                        tensor["role"].get<std::string>() + (when.empty() ? "" : ", with " + when) +
                        ")");
    }
    std::cout << "  tensors: " << join(tensors, ", ") << "\n  keys (default):\n";
    for (const json& key : op["keys"]) print_key(key);
    if (!op["layouts"].empty()) std::cout << "    layout (nchw)  nchw, nhwc\n";
  }
  std::cout << "every op: dtype(f32) acc math(ieee) algo(*) recipe(normal) seed(1) device "
               "schedule(in_order) emu_arch guard config\n";
}

void add_word(json& list, const std::string& word) {
  if (std::find(list.begin(), list.end(), word) == list.end()) list.push_back(word);
}

/// Algorithms with the types and layouts they are compiled for.
json algorithms_json(const CatalogSet& catalogs, const std::string& filter) {
  std::vector<json> found;
  const std::pair<const char*, const Catalog*> flavours[] = {
      {"emu", &catalogs.emu}, {"emu-race", &catalogs.emu_race}, {"cuda", &catalogs.cuda}};
  for (const auto& [device, catalog] : flavours) {
    for (const Variant& variant : catalog->variants()) {
      const VariantId& id = variant.id;
      if (!filter.empty() && !glob_match(filter, id.to_string())) continue;
      const auto same = [&](const json& each) {
        return each["op"] == id.op && each["algorithm"] == id.algorithm &&
               each["provider"] == id.provider;
      };
      auto at = std::find_if(found.begin(), found.end(), same);
      if (at == found.end()) {
        found.push_back({{"op", id.op},
                         {"algorithm", id.algorithm},
                         {"provider", id.provider},
                         {"summary", variant.summary},
                         {"dtypes", json::array()},
                         {"devices", json::array()},
                         {"variants", json::array()},
                         {"hardware", "unverified on hardware"}});
        at = found.end() - 1;
      }
      add_word((*at)["dtypes"], std::string(name_of(id.dtypes.in)));
      add_word((*at)["devices"], device);
      if (catalog != &catalogs.emu_race) add_word((*at)["variants"], id.to_string());
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const json& a, const json& b) {
    return std::tie(a["op"].get_ref<const std::string&>(),
                    a["algorithm"].get_ref<const std::string&>()) <
           std::tie(b["op"].get_ref<const std::string&>(),
                    b["algorithm"].get_ref<const std::string&>());
  });
  return found;
}

void print_algorithms(const json& algorithms) {
  for (const json& each : algorithms) {
    const std::string provider = each["provider"];
    std::cout << (provider == "warpmark" ? "" : provider + ":") << each["op"].get<std::string>()
              << "/" << each["algorithm"].get<std::string>() << "  "
              << join(each["dtypes"].get<std::vector<std::string>>(), " ") << "  "
              << each["summary"].get<std::string>() << " [" << each["hardware"].get<std::string>()
              << "]\n";
  }
}

json devices_json(const CatalogSet& catalogs) {
  json devices = json::array();
  devices.push_back({{"id", "emu"},
                     {"name", "SIMT emulator"},
                     {"available", true},
                     {"reason", ""},
                     {"emu_archs", emu_arch_names()},
                     {"mma_models", mma_model_names()}});
  const bool race = catalogs.has_race_build();
  devices.push_back({{"id", "emu-race"},
                     {"name", "SIMT emulator with race detector"},
                     {"available", race},
                     {"reason", race ? "" : "this build has no race flavour (-DWARPMARK_RACE=ON)"},
                     {"emu_archs", emu_arch_names()},
                     {"mma_models", mma_model_names()}});
  if (!catalogs.has_cuda_build()) {
    devices.push_back({{"id", "cuda"},
                       {"name", "CUDA devices"},
                       {"available", false},
                       {"reason", "this build has no CUDA flavour (needs nvcc 12.0 or newer)"}});
    return devices;
  }
  const auto found = catalogs.make_cuda_devices();
  for (const auto& device : found) {
    devices.push_back({{"id", device->id()},
                       {"name", device->props().name},
                       {"available", true},
                       {"reason", ""}});
  }
  if (found.empty()) {
    devices.push_back({{"id", "cuda"},
                       {"name", "CUDA devices"},
                       {"available", false},
                       {"reason", "no CUDA device works here"}});
  }
  return devices;
}

void print_devices(const json& devices) {
  for (const json& device : devices) {
    std::cout << device["id"].get<std::string>() << "  " << device["name"].get<std::string>();
    if (device.contains("emu_archs")) {
      std::cout << "; poses as " << join(device["emu_archs"].get<std::vector<std::string>>(), ", ")
                << "; tensor-core models "
                << join(device["mma_models"].get<std::vector<std::string>>(), ", ");
    }
    if (!device["available"])
      std::cout << "  not available: " << device["reason"].get<std::string>();
    std::cout << "\n";
  }
}

json recipes_json() {
  const std::vector<std::pair<std::string, std::string>> texts{
      {"exact",
       "integers chosen so that every sum is exact: all algorithms must give the same bits"},
      {"normal", "normal distribution, mean 0, deviation 1"},
      {"uniform", "uniform in [-1, 1)"},
      {"offset:X", "X plus a normal distribution, such as offset:1e4"}};
  json recipes = json::array();
  for (const std::string& name : recipe_names()) {
    const auto text = std::find_if(texts.begin(), texts.end(),
                                   [&](const auto& each) { return each.first == name; });
    recipes.push_back({{"name", name}, {"doc", text == texts.end() ? "" : text->second}});
  }
  return recipes;
}

void print_recipes(const json& recipes) {
  for (const json& recipe : recipes) {
    std::cout << recipe["name"].get<std::string>() << "  " << recipe["doc"].get<std::string>()
              << "\n";
  }
}

struct ListVerb {
  std::string what, format = "text", filter;

  int run(const Context& context) const {
    check_word("list", what, {"ops", "algorithms", "devices", "archs", "recipes"});
    check_word("--format", format, {"text", "json"});
    json content;
    if (what == "ops") content = ops_json();
    if (what == "algorithms") content = algorithms_json(context.catalogs, filter);
    if (what == "devices") content = devices_json(context.catalogs);
    if (what == "archs") content = archs_json();
    if (what == "recipes") content = recipes_json();
    if (format == "json") {
      std::cout << content.dump(2) << "\n";
    } else {
      if (what == "ops") print_ops(content);
      if (what == "algorithms") print_algorithms(content);
      if (what == "devices") print_devices(content);
      if (what == "archs") print_archs(content);
      if (what == "recipes") print_recipes(content);
    }
    return content.empty() ? 6 : 0;
  }
};

}  // namespace

void add_list(CLI::App& app, Context& context) {
  auto options = std::make_shared<ListVerb>();
  CLI::App* verb =
      app.add_subcommand("list", "What exists: ops, algorithms, devices, archs, recipes");
  verb->add_option("WHAT", options->what, "ops, algorithms, devices, archs or recipes")
      ->required()
      ->type_name("");
  verb->add_option("--format", options->format, "text or json")->capture_default_str();
  verb->add_option("--filter", options->filter,
                   "Of algorithms: glob over variant ids, such as 'conv_*/*/f16*'");
  verb->callback([options, &context] {
    context.action = [options, &context] { return options->run(context); };
  });
}

}  // namespace wm
