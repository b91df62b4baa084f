#include "core/error.hpp"
#include "runner/case_run.hpp"
#include "runner/record.hpp"
#include "runner/runner.hpp"
#include "runner/select.hpp"

namespace wm {
namespace {

using json = nlohmann::ordered_json;

json tensor_json(const TensorDesc& desc) {
  return {{"name", desc.name},
          {"role", desc.role == Role::input ? "input" : "output"},
          {"dtype", name_of(desc.dtype)},
          {"shape", desc.dims},
          {"strides", desc.strides},
          {"offset", desc.offset},
          {"bytes", desc.bytes()}};
}

json bounds_json(const Problem& problem, const Claims& claims) {
  json bounds = json::object();
  for (const TensorDesc& desc : problem.tensors)
    if (desc.role == Role::output)
      bounds[desc.name] = problem.op->bound_rule(problem, desc, claims).text;
  return bounds;
}

json variant_json(const Case& item, const Selected& one, const DeviceProps& props) {
  json out{{"variant", one.id.to_string()}, {"algorithm", one.id.algorithm}};
  const Support support =
      one.variant ? one.variant->supports(item.problem, props) : Support::no(one.reason);
  out["supported"] = support.ok();
  if (one.variant) out["summary"] = one.variant->summary;
  if (!support.ok()) {
    out["reason"] = support.reason;
    return out;
  }
  Config config;
  if (item.config.empty()) {
    config = one.variant->configure(item.problem, props);
  } else {
    config = Config::parse(item.config);
    one.variant->check_config(item.problem, config);
  }
  const Claims claims = claims_on(*one.variant, item.problem, config, props);
  out["config"] = config.to_string();
  out["workspace_bytes"] = one.variant->workspace_bytes(item.problem, config);
  out["claims"] = claims_json(claims);
  out["bound"] = uses_gate_i(item) ? json("bit for bit equal to the rounded reference")
                                   : bounds_json(item.problem, claims);
  Case single = item;
  single.algorithm = one.id.algorithm;
  out["repro"] = repro_command(single);
  return out;
}

/// Counters of one run on the device, or why there are none.
json counted_json(const Case& item, const Selected& one, Device& device, Prepared& prepared) {
  CaseSettings settings;
  settings.stages = {.verify = false, .determinism = false, .throughput = false};
  settings.guard = item.guard;
  settings.count = true;
  const CaseResult result = CaseRunner(device, prepared, {}).run(item, *one.variant, settings);
  if (result.counters) return counters_json(*result.counters);
  return {{"reason", result.reason}};
}

}  // namespace

json explain_case(const Case& item, const RunOptions& options, const CatalogSet& catalogs) {
  check_algorithm_name(item, algorithm_names(catalogs, item.problem.op->name));
  Devices devices(catalogs, options, false);
  Device& device = devices.get(item.device, item.emu_arch);
  const Problem& problem = item.problem;
  json tensors = json::array();
  for (const TensorDesc& desc : problem.tensors) tensors.push_back(tensor_json(desc));
  if (options.count) check_counting(device);
  Prepared prepared;
  json algorithms = json::array();
  for (const Selected& one :
       select_variants(item, catalog_of(catalogs, device.id()), options.filter)) {
    algorithms.push_back(variant_json(item, one, device.props()));
    json& answer = algorithms.back();
    if (options.count && answer["supported"])
      answer["counters"] = counted_json(item, one, device, prepared);
  }
  const RecipeAnswer recipe = problem.op->has_recipe(problem, item.recipe);
  return {{"case", to_case_string(item)},
          {"case_id", case_id(item)},
          {"op", problem.op->name},
          {"summary", problem.op->summary},
          {"device", device.id()},
          {"problem", problem_json(problem)},
          {"tensors", tensors},
          {"flops", problem.op->flops(problem)},
          {"bytes", problem.op->bytes(problem)},
          {"depth", problem.op->depth(problem)},
          {"recipe", {{"name", item.recipe}, {"exists", recipe.ok}, {"reason", recipe.reason}}},
          {"algorithms", algorithms}};
}

}  // namespace wm
