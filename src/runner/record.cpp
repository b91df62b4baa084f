#include "runner/record.hpp"

#include <cmath>

#include "core/text.hpp"
#include "determinism/probe.hpp"
#include "ops/embedding.hpp"
#include "runner/dump.hpp"

namespace wm {
namespace {

using json = nlohmann::ordered_json;

json accuracy_json(const TensorAccuracy& accuracy) {
  json worst = json::array();
  for (const WorstElement& element : accuracy.worst)
    worst.push_back({{"index", element.index},
                     {"got", json_number(element.got)},
                     {"want", json_number(element.want)},
                     {"bound", json_number(element.bound)}});
  return {{"gate", accuracy.gate == Gate::indexing ? "I" : "P"},
          {"compared", accuracy.compared},
          {"mismatches", accuracy.mismatches},
          {"sign_of_zero", accuracy.sign_of_zero},
          {"max_abs", json_number(accuracy.max_abs)},
          {"max_rel", json_number(accuracy.max_rel)},
          {"max_ulp", json_number(accuracy.max_ulp)},
          {"rms", json_number(accuracy.rms)},
          {"bias", json_number(accuracy.bias)},
          {"bound_utilisation", json_number(accuracy.bound_utilisation)},
          {"detectability", json_number(accuracy.detectability)},
          {"ulp_histogram", accuracy.ulp_histogram},
          {"bound", accuracy.bound_text},
          {"worst", worst}};
}

json verdict_json(const std::string& probe, const ProbeVerdict& verdict, bool emulated) {
  json out{{"verdict", name_of(verdict.kind)}};
  switch (verdict.kind) {
    case ProbeVerdict::Kind::same:
      out["runs"] = verdict.runs;
      if (const auto proves = what_equal_runs_prove(probe, verdict.runs, emulated); !proves.empty())
        out["proves"] = proves;
      break;
    case ProbeVerdict::Kind::differs:
      out["runs"] = verdict.runs;
      out["count"] = verdict.count;
      out["first_index"] = verdict.first_index;
      out["max_ulp"] = json_number(verdict.max_ulp);
      if (!verdict.change.empty()) out["change"] = verdict.change;
      break;
    case ProbeVerdict::Kind::not_run:
      out["reason"] = verdict.reason;
      break;
  }
  return out;
}

json determinism_json(const Problem& problem, const CaseResult& result, bool emulated) {
  const auto by_tensor = [](const std::vector<std::pair<std::string, std::string>>& digests) {
    json out = json::object();
    for (const auto& [tensor, digest] : digests) out[tensor] = digest;
    return out;
  };
  json probes = json::object();
  for (const ProbeResult& probe : result.probes)
    for (const auto& [tensor, verdict] : probe.tensors)
      probes[probe.name][tensor] = verdict_json(probe.name, verdict, emulated);
  json out{{"claimed", result.claims.deterministic()},
           {"digests", by_tensor(result.digests)},
           {"canonical_digests", by_tensor(result.canonical_digests)},
           {"probes", probes}};
  if (!result.probes.empty()) out["observed"] = result.observed_deterministic();
  for (const ProbeResult& probe : result.probes) {
    if (probe.name != "batch" || !sample_keys(*problem.op).why_not.empty()) continue;
    out["batch_invariant"]["claimed"] = result.claims.batch_invariant;
    if (probe.ran()) out["batch_invariant"]["observed"] = !probe.differs();
  }
  return out;
}

json timing_json(const Timing& timing) {
  return {{"method", "emulated"},
          {"cache", "warm"},
          {"samples", timing.samples_ns.size()},
          {"median_ns", timing.median_ns},
          {"ci95_ns", {timing.low_ns, timing.high_ns}},
          {"mad_ns", timing.mad_ns},
          {"stopped", "fixed"}};
}

json throughput_json(const Problem& problem, const Timing& timing) {
  const double flops = problem.op->flops(problem);
  const double bytes = problem.op->bytes(problem);
  const double ns = timing.median_ns > 0 ? timing.median_ns : 1;
  return {{"flops", flops},         {"bytes", bytes},      {"gflops", flops / ns},
          {"gbytes_s", bytes / ns}, {"roofline", nullptr}, {"emulated", true}};
}

// A key's text as the JSON type a config would give it.
json key_json(const std::string& text) {
  if (const auto integer = parse_int(text)) return *integer;
  if (const auto real = parse_real(text)) return *real;
  return text;
}

}  // namespace

json json_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

json claims_json(const Claims& claims) {
  return {
      {"acc", name_of(claims.acc)},
      {"tree_height", claims.tree_height},
      {"error_formula", claims.error_formula.empty() ? json(nullptr) : json(claims.error_formula)},
      {"deterministic", claims.deterministic()},
      {"nondeterministic_reason", claims.nondeterministic},
      {"flushing_additions", claims.flushing_additions},
      {"batch_invariant", claims.batch_invariant},
      {"bit_twin", claims.bit_twin},
      {"nan_policy", claims.nan_policy},
      {"tensor_core", claims.tensor_core.empty() ? json(nullptr) : json(claims.tensor_core)}};
}

json problem_json(const Problem& problem) {
  json out = json::object();
  for (const auto& [key, text] : problem.keys) out[key] = key_json(text);
  return out;
}

json make_record(const Case& item, const VariantId& id, std::int64_t index,
                 const CaseSettings& settings, const CaseResult& result) {
  json record{
      {"schema", "warpmark.record/1"},
      {"index", index},
      {"case", to_case_string(item)},
      {"case_id", case_id(item)},
      {"label", item.label},
      {"count", item.count},
      {"op", id.op},
      {"algorithm", id.algorithm},
      {"provider", id.provider},
      {"variant", id.to_string()},
      {"config", result.config},
      {"device", item.device},
      {"problem", problem_json(item.problem)},
      {"recipe", versioned_recipe(item.recipe)},
      {"seed", item.seed},
      {"status", name_of(result.status)},
      {"reason", result.reason},
      {"workspace_bytes", result.workspace_bytes},
      {"attempts", 1},
      {"repro", repro_command(
                    settings.replay.empty() ? item : with_inputs_in_files(item, settings.replay))}};
  if (!result.ran) return record;
  record["claims"] = claims_json(result.claims);
  if (!result.accuracy.empty()) {
    json accuracy = json::object();
    for (const auto& [tensor, statistics] : result.accuracy)
      accuracy[tensor] = accuracy_json(statistics);
    record["accuracy"] = std::move(accuracy);
  }
  if (settings.stages.determinism)
    record["determinism"] = determinism_json(item.problem, result, item.device.starts_with("emu"));
  if (result.tree)
    record["tree"] = {
        {result.tree->tensor, {{"height", result.tree->height}, {"hash", result.tree->hash}}}};
  if (!result.timing.samples_ns.empty()) {
    record["timing"] = timing_json(result.timing);
    record["throughput"] = throughput_json(item.problem, result.timing);
  }
  if (result.counters) record["counters"] = counters_json(*result.counters);
  return record;
}

}  // namespace wm
