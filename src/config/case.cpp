#include "config/case.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "core/hash.hpp"
#include "core/text.hpp"

namespace wm {
namespace {

const std::vector<std::string>& run_keys() {
  static const std::vector<std::string> keys{"algo",     "recipe",   "seed",  "device",
                                             "schedule", "emu_arch", "guard", "config",
                                             "atol",     "label",    "count"};
  return keys;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_problem_key(const Op& op, std::string_view key) { return contains(op.key_names(), key); }

enum class TensorKey { none, strides, offset, input, expect };

/// Kind of a key about one tensor; `tensor` receives the tensor's name.
TensorKey tensor_key(std::string_view key, std::string& tensor) {
  const std::size_t dot = key.find('.');
  if (dot == std::string_view::npos) return TensorKey::none;
  const std::string_view before = key.substr(0, dot), after = key.substr(dot + 1);
  if (before == "in" || before == "expect") {
    tensor = after;
    return before == "in" ? TensorKey::input : TensorKey::expect;
  }
  tensor = before;
  if (after == "strides") return TensorKey::strides;
  if (after == "offset") return TensorKey::offset;
  return TensorKey::none;
}

[[noreturn]] void bad_value(std::string_view key, std::string_view value,
                            const std::string& wanted) {
  throw UsageError(std::string(key) + "=" + std::string(value) + ": expected " + wanted);
}

std::uint64_t parse_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc{} || end != text.data() + text.size()) {
    bad_value("seed", text, "an integer from 0 to 18446744073709551615");
  }
  return seed;
}

void set_algorithm(Case& item, const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon != std::string::npos) item.provider = text.substr(0, colon);
  item.algorithm = colon == std::string::npos ? text : text.substr(colon + 1);
  if (item.algorithm.empty() || item.provider.empty()) {
    bad_value("algo", text, "an algorithm, `*` for all of them, or provider:algorithm");
  }
}

/// Sets a common key; returns false where `key` is none.
bool set_run_key(Case& item, const std::string& key, const std::string& value) {
  if (!contains(run_keys(), key)) return false;
  if (key == "algo") set_algorithm(item, value);
  if (key == "recipe") {
    // offset:1e4 and offset:10000 are one recipe.
    const std::string versioned = versioned_recipe(value);
    item.recipe = versioned.substr(0, versioned.rfind('/'));
  }
  if (key == "seed") item.seed = parse_seed(value);
  if (key == "device") {
    check_device_name(value);
    item.device = value;
  }
  if (key == "schedule") item.schedule = Schedule::parse(value);
  if (key == "emu_arch") item.emu_arch = value;
  if (key == "guard") item.guard = parse_guard(value);
  if (key == "config") item.config = value;
  if (key == "label") item.label = value;
  if (key == "atol") {
    item.atol = parse_real(value);
    if (!item.atol || *item.atol < 0) bad_value(key, value, "a finite number of at least 0");
  }
  if (key == "count") {
    item.count = parse_int(value).value_or(0);
    if (item.count < 1) bad_value(key, value, "an integer of at least 1");
  }
  return true;
}

Dims parse_strides(std::string_view key, std::string_view value) {
  Dims strides;
  const char separator = value.find('x') != std::string_view::npos ? 'x' : ',';
  for (const std::string& part : split(value, separator)) {
    const std::optional<std::int64_t> stride = parse_int(part);
    if (!stride || *stride < 0) {
      bad_value(key, value, "non-negative integers such as 96,32,8,1 (one a dimension)");
    }
    strides.push_back(*stride);
  }
  return strides;
}

TensorPlacement& placement_of(Case& item, const std::string& tensor) {
  for (TensorPlacement& placement : item.placements) {
    if (placement.tensor == tensor) return placement;
  }
  item.placements.push_back({tensor, std::nullopt, 0});
  return item.placements.back();
}

/// Sets a key about one tensor; returns false where `key` is none.
bool set_tensor_key(Case& item, const std::string& key, const std::string& value) {
  std::string tensor;
  switch (tensor_key(key, tensor)) {
    case TensorKey::none:
      return false;
    case TensorKey::strides:
      placement_of(item, tensor).strides = parse_strides(key, value);
      break;
    case TensorKey::offset: {
      const std::optional<std::int64_t> offset = parse_int(value);
      if (!offset || *offset < 0 || *offset > (std::int64_t{1} << 40)) {
        bad_value(key, value, "an integer from 0 to 2^40 (elements)");
      }
      placement_of(item, tensor).offset = *offset;
      break;
    }
    case TensorKey::input:
      item.inputs.emplace_back(tensor, TensorSource::parse(key, value));
      break;
    case TensorKey::expect:
      item.expect.emplace_back(tensor, TensorSource::parse(key, value));
      break;
  }
  return true;
}

std::string dims_text(const Dims& dims) {
  std::vector<std::string> parts;
  for (std::int64_t dim : dims) parts.push_back(std::to_string(dim));
  return join(parts, ",");
}

std::vector<std::string> tensor_names(const Problem& problem, Role role) {
  std::vector<std::string> names;
  for (const TensorDesc& desc : problem.tensors) {
    if (desc.role == role) names.push_back(desc.name);
  }
  return names;
}

std::vector<std::string> tensor_names(const Problem& problem) {
  std::vector<std::string> names;
  for (const TensorDesc& desc : problem.tensors) names.push_back(desc.name);
  return names;
}

void apply_placements(Case& item) {
  for (const TensorPlacement& placement : item.placements) {
    if (!item.problem.find_tensor(placement.tensor)) {
      throw UsageError(unknown_message("tensor of " + item.problem.op->name, placement.tensor,
                                       tensor_names(item.problem)));
    }
    override_tensor(item.problem, placement.tensor, placement.strides, placement.offset);
  }
}

void check_sources(const Case& item, const TensorSources& sources, Role role) {
  const char* prefix = role == Role::input ? "in." : "expect.";
  for (const auto& [name, source] : sources) {
    const TensorDesc* desc = item.problem.find_tensor(name);
    if (!desc || desc->role != role) {
      throw UsageError(std::string(prefix) + name + ": " +
                       unknown_message(role == Role::input ? "input" : "output", name,
                                       tensor_names(item.problem, role)));
    }
    const auto given = static_cast<std::int64_t>(source.values.size());
    if (source.kind == TensorSource::Kind::values && given != desc->elements()) {
      throw UsageError(prefix + name + ": " + std::to_string(given) + " values given, '" + name +
                       "' has " + std::to_string(desc->elements()) + " elements (" +
                       dims_text(desc->dims) + ")");
    }
  }
}

/// Puts everything about tensors into the order of the op's tensors and drops what says nothing.
void make_canonical(Case& item) {
  const std::vector<std::string> order = tensor_names(item.problem);
  const auto rank = [&](const std::string& name) {
    return std::find(order.begin(), order.end(), name) - order.begin();
  };
  const auto by_rank = [&](const auto& a, const auto& b) { return rank(a.first) < rank(b.first); };
  std::sort(item.inputs.begin(), item.inputs.end(), by_rank);
  std::sort(item.expect.begin(), item.expect.end(), by_rank);
  std::sort(item.placements.begin(), item.placements.end(),
            [&](const TensorPlacement& a, const TensorPlacement& b) {
              return rank(a.tensor) < rank(b.tensor);
            });
  std::erase_if(item.placements,
                [](const TensorPlacement& each) { return !each.strides && each.offset == 0; });
}

std::string quote_value(const std::string& value) {
  if (!value.empty() && value.find_first_of(" \t\n\"\\") == std::string::npos) return value;
  std::string quoted = "\"";
  for (char c : value) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

std::string Case::algo_text() const {
  return provider == "warpmark" ? algorithm : provider + ":" + algorithm;
}

bool Case::has_wildcard() const { return algorithm.find_first_of("*?[{") != std::string::npos; }

Guard parse_guard(std::string_view text) {
  if (text == "none") return Guard::none;
  if (text == "back") return Guard::back;
  if (text == "front") return Guard::front;
  throw UsageError(unknown_message("guard", text, {"none", "back", "front"}));
}

std::string_view name_of(Guard guard) {
  if (guard == Guard::back) return "back";
  return guard == Guard::front ? "front" : "none";
}

void check_device_name(std::string_view name) {
  for (std::string_view known : {"emu", "emu-race", "cpu", "cuda"}) {
    if (name == known) return;
  }
  if (name.substr(0, 5) == "cuda:") {
    const std::optional<std::int64_t> index = parse_int(name.substr(5));
    if (index && *index >= 0) return;
  }
  throw UsageError(unknown_message("device", name, {"emu", "emu-race", "cpu", "cuda", "cuda:0"}));
}

std::vector<std::string> case_keys(const Op& op) {
  std::vector<std::string> keys = op.key_names();
  keys.insert(keys.end(), run_keys().begin(), run_keys().end());
  return keys;
}

bool accepts_key(const Op& op, std::string_view key) {
  std::string tensor;
  return is_problem_key(op, key) || contains(run_keys(), key) ||
         tensor_key(key, tensor) != TensorKey::none;
}

Case make_case(const Op& op, const KeyValues& values) {
  Case item;
  KeyValues problem_keys;
  for (const auto& [key, value] : values) {
    if (is_problem_key(op, key)) {
      problem_keys.emplace_back(key, value);
    } else if (!set_run_key(item, key, value) && !set_tensor_key(item, key, value)) {
      throw UsageError(unknown_message("key of " + op.name, key, case_keys(op)));
    }
  }
  item.problem = op.resolve(problem_keys);
  apply_placements(item);
  check_sources(item, item.inputs, Role::input);
  check_sources(item, item.expect, Role::output);
  make_canonical(item);
  return item;
}

Case parse_case_string(std::string_view text) {
  const CaseText parts = split_case_string(text);
  return make_case(*parts.op, parts.values);
}

std::string to_case_string(const Case& item, bool with_device) {
  std::string text = item.problem.op->name;
  const auto add = [&](const std::string& key, const std::string& value) {
    text += " " + key + "=" + quote_value(value);
  };
  for (const auto& [key, value] : item.problem.keys) add(key, value);
  add("algo", item.algo_text());
  add("recipe", item.recipe);
  add("seed", std::to_string(item.seed));
  if (item.schedule != Schedule{}) add("schedule", item.schedule.to_string());
  if (!item.emu_arch.empty()) add("emu_arch", item.emu_arch);
  if (item.guard != Guard::none) add("guard", std::string(name_of(item.guard)));
  if (!item.config.empty()) add("config", item.config);
  for (const TensorPlacement& placement : item.placements) {
    if (placement.strides) add(placement.tensor + ".strides", dims_text(*placement.strides));
    if (placement.offset != 0) {
      add(placement.tensor + ".offset", std::to_string(placement.offset));
    }
  }
  for (const auto& [name, source] : item.inputs) add("in." + name, source.to_string());
  for (const auto& [name, source] : item.expect) add("expect." + name, source.to_string());
  if (item.atol) add("atol", format_real(*item.atol));
  if (with_device && !item.device.empty()) add("device", item.device);
  return text;
}

std::string case_id(const Case& item) {
  return sha256_hex(to_case_string(item, false)).substr(0, 16);
}

std::pair<std::string, std::string> case_text_and_id(const Case& item) {
  std::string text = to_case_string(item);
  // Without a device the text is what the id hashes.
  std::string id = item.device.empty() ? sha256_hex(text).substr(0, 16) : case_id(item);
  return {std::move(text), std::move(id)};
}

std::string repro_command(const Case& item) {
  return "warpmark run --case " + shell_quote(to_case_string(item));
}

void check_files_exist(const Case& item) {
  for (const TensorSources* sources : {&item.inputs, &item.expect}) {
    for (const auto& [name, source] : *sources) {
      if (source.kind != TensorSource::Kind::npy) continue;
      if (!std::filesystem::is_regular_file(source.path)) {
        throw UsageError((sources == &item.inputs ? "in." : "expect.") + name +
                         ": no such file: " + source.path);
      }
    }
  }
}

void check_algorithm_name(const Case& item, const std::vector<std::string>& known) {
  const std::string wanted = item.algo_text();
  if (item.has_wildcard() || contains(known, wanted)) return;
  throw UsageError(unknown_message("algorithm of " + item.problem.op->name, wanted, known));
}

}  // namespace wm
