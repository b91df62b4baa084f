#include "compare/snapshot.hpp"

#include "compare/json_text.hpp"
#include "core/error.hpp"
#include "report/text.hpp"

namespace wm::compare {
namespace {

using json = nlohmann::ordered_json;
using report::number_of;
using report::object_of;
using report::text_of;

std::string required(const json& record, const char* key) {
  const std::string text = text_of(record, key);
  if (text.empty()) {
    throw UsageError("key '" + std::string(key) + "' is missing, empty or not a string");
  }
  return text;
}

std::string scalar_text(const json& value, const std::string& name) {
  if (value.is_structured()) {
    throw UsageError("key '" + name + "' is " + value.type_name() + ", expected a single value");
  }
  return bounded_text(value);
}

Fields scalar_fields(const json& object, const std::string& prefix, Pool& pool) {
  Fields fields;
  for (const auto& [key, value] : object.items()) {
    fields.emplace_back(pool.keep(key), scalar_text(value, prefix + "." + key));
  }
  return fields;
}

void add_line(std::string& lines, const std::string& name, const std::string& value) {
  if ((name + value).find_first_of("\t\n") != std::string::npos) {
    throw UsageError("a tab or a line break in the name of a claim or probe");
  }
  lines += name + "\t" + value + "\n";
}

std::string probe_lines(const json& probes) {
  std::string lines;
  for (const auto& [probe, tensors] : probes.items()) {
    if (!tensors.is_object()) continue;
    for (const auto& [tensor, verdict] : tensors.items()) {
      if (!verdict.is_object()) continue;
      add_line(lines, std::string(probe).append(".").append(tensor), text_of(verdict, "verdict"));
    }
  }
  return lines;
}

Fields tree_fields(const json& trees, Pool& pool) {
  Fields fields;
  for (const auto& [tensor, tree] : trees.items()) {
    fields.emplace_back(pool.keep(tensor), bounded_text(tree));
  }
  return fields;
}

std::vector<TensorErrors> tensor_errors(const json& accuracy, Pool& pool) {
  std::vector<TensorErrors> errors;
  for (const auto& [tensor, values] : accuracy.items()) {
    if (!values.is_object()) continue;
    errors.push_back(
        {pool.keep(tensor), number_of(values, "max_ulp"), number_of(values, "bound_utilisation")});
  }
  return errors;
}

/// The numbers of `object` and of objects in it. Arrays, which explain a total kernel by kernel,
/// are left out. Texts say what the numbers depend on, or, `reason`, why there are none.
void add_counters(const json& object, const std::string& prefix, int depth, Snapshot& snapshot,
                  std::string& key, Pool& pool) {
  for (const auto& [name, value] : object.items()) {
    const std::string full = prefix + name;
    if (value.is_number()) snapshot.counters.emplace_back(pool.keep(full), value.get<double>());
    if (value.is_string() && name != "reason") key += full + "=" + bounded_text(value) + " ";
    if (value.is_object() && depth > 0) {
      add_counters(value, full + ".", depth - 1, snapshot, key, pool);
    }
  }
}

void read_results(const json& record, Snapshot& snapshot, Pool& pool) {
  const json& determinism = object_of(record, "determinism");
  snapshot.digests = scalar_fields(object_of(determinism, "digests"), "digests", pool);
  snapshot.probes = pool.keep(probe_lines(object_of(determinism, "probes")));
  snapshot.trees = tree_fields(object_of(record, "tree"), pool);
  snapshot.errors = tensor_errors(object_of(record, "accuracy"), pool);
  std::string key;
  add_counters(object_of(record, "counters"), "", 2, snapshot, key, pool);
  snapshot.counter_key = pool.keep(key);
}

void read_timing(const json& record, Snapshot& snapshot, Pool& pool) {
  const json& timing = object_of(record, "timing");
  snapshot.has_timing = !timing.empty();
  snapshot.timing_method = pool.keep(text_of(timing, "method"));
  snapshot.timing_cache = pool.keep(text_of(timing, "cache"));
  const json& throughput = object_of(record, "throughput");
  const auto emulated = throughput.find("emulated");
  snapshot.emulated_time =
      snapshot.timing_method == "emulated" || (emulated != throughput.end() && *emulated == true);
}

std::string claim_lines(const json& claims) {
  std::string lines;
  for (const auto& [name, value] : claims.items()) {
    add_line(lines, name, scalar_text(value, "claims." + name));
  }
  return lines;
}

}  // namespace

Fields fields_of(Lines lines) {
  Fields fields;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t tab = lines.find('\t', begin), end = lines.find('\n', begin);
    fields.emplace_back(lines.substr(begin, tab - begin),
                        std::string(lines.substr(tab + 1, end - tab - 1)));
    begin = end + 1;
  }
  return fields;
}

Snapshot snapshot_of(const json& record, Pool& pool) {
  Snapshot snapshot;
  snapshot.case_id = required(record, "case_id");
  snapshot.variant = pool.keep(required(record, "variant"));
  snapshot.status = pool.keep(required(record, "status"));
  const std::string provider = text_of(record, "provider");
  snapshot.algorithm =
      pool.keep((provider.empty() || provider == "warpmark" ? "" : provider + ":") +
                text_of(record, "op") + "/" + text_of(record, "algorithm"));
  snapshot.device = pool.keep(text_of(record, "device"));
  snapshot.config = pool.keep(text_of(record, "config"));
  snapshot.recipe = pool.keep(text_of(record, "recipe"));
  snapshot.math = pool.keep(text_of(object_of(record, "problem"), "math"));
  snapshot.reason = text_of(record, "reason");
  snapshot.repro = text_of(record, "repro");
  snapshot.workspace_bytes = number_of(record, "workspace_bytes");
  const json& claims = object_of(record, "claims");
  snapshot.ran = !claims.empty();
  snapshot.claims = pool.keep(claim_lines(claims));
  snapshot.deterministic = !claims.contains("deterministic") || claims["deterministic"] != false;
  snapshot.bit_twin = !claims.contains("bit_twin") || claims["bit_twin"] != false;
  read_results(record, snapshot, pool);
  read_timing(record, snapshot, pool);
  return snapshot;
}

const std::string* find(const Fields& fields, std::string_view name) {
  for (const auto& [key, value] : fields) {
    if (key == name) return &value;
  }
  return nullptr;
}

}  // namespace wm::compare
