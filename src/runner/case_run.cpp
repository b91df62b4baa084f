#include "runner/case_run.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "core/error.hpp"
#include "core/text.hpp"
#include "determinism/probe.hpp"
#include "runner/dump.hpp"
#include "runner/probes.hpp"

namespace wm {
namespace {

std::vector<const TensorDesc*> outputs_of(const Problem& problem) {
  std::vector<const TensorDesc*> outputs;
  for (const TensorDesc& desc : problem.tensors)
    if (desc.role == Role::output) outputs.push_back(&desc);
  return outputs;
}

void set_status(CaseResult& result, Status status, std::string reason) {
  result.status = status;
  result.reason = std::move(reason);
}

constexpr double kMemoryShare = 0.8;

std::string gib_text(double bytes) {
  return format_real(std::round(bytes / (1 << 30) * 10) / 10) + " GiB";
}

bool nothing_to_measure(const Case& item, const CaseSettings& settings) {
  const Stages& stages = settings.stages;
  return stages.throughput && !stages.verify && !stages.determinism && !settings.count &&
         item.recipe != "normal";
}

// Whether infinities or NaN go in, so that a documented deviation from NaN propagation may show.
bool has_nonfinite(const std::vector<HostTensor>& inputs) {
  for (const HostTensor& input : inputs)
    for (const double value : input.values)
      if (!std::isfinite(value)) return true;
  return false;
}

std::string index_text(const Dims& index) {
  std::vector<std::string> parts;
  for (const std::int64_t i : index) parts.push_back(std::to_string(i));
  return "[" + join(parts, ",") + "]";
}

std::string mismatch_text(const std::string& tensor, const TensorAccuracy& accuracy,
                          const std::string& which) {
  std::string text = "'" + tensor + "' " + which + std::to_string(accuracy.mismatches) + " of " +
                     std::to_string(accuracy.compared) + " elements outside ";
  text += accuracy.gate == Gate::indexing ? "exact equality" : "their bound";
  if (!accuracy.pattern.empty()) text += "; " + accuracy.pattern;
  if (!accuracy.worst.empty()) {
    const WorstElement& worst = accuracy.worst.front();
    text += "; worst at " + index_text(worst.index) + ": got " + format_real(worst.got) +
            ", want " + format_real(worst.want);
    if (accuracy.gate == Gate::precision) text += " +- " + format_real(worst.bound);
  }
  return text;
}

}  // namespace

// Storage on the device and twice on the host, values in double, reference value and magnitude.
double host_bytes_needed(const Problem& problem) {
  double bytes = 0;
  for (const TensorDesc& desc : problem.tensors) {
    const double elements = static_cast<double>(desc.elements());
    if (elements == 0) continue;
    const double stored = static_cast<double>(desc.offset + desc.span()) * info(desc.dtype).bytes;
    bytes += 3 * stored + elements * sizeof(double) * (desc.role == Role::output ? 3 : 1);
  }
  return bytes;
}

double available_host_bytes() {
  std::ifstream in("/proc/meminfo");
  std::string key, unit;
  double kib = 0;
  while (in >> key >> kib && std::getline(in, unit))
    if (key == "MemAvailable:") return kib * 1024;
  return std::numeric_limits<double>::infinity();
}

std::string_view name_of(Status status) {
  switch (status) {
    case Status::passed:
      return "passed";
    case Status::failed:
      return "failed";
    case Status::nondeterministic:
      return "nondeterministic";
    case Status::mistrusted:
      return "mistrusted";
    case Status::unsupported:
      return "unsupported";
    case Status::skipped:
      return "skipped";
    case Status::error:
      return "error";
  }
  return "";
}

bool uses_gate_i(const Case& item) {
  return item.recipe == "exact" && item.inputs.empty() &&
         item.problem.op->exact_is_bitwise(item.problem);
}

bool CaseResult::observed_deterministic() const {
  for (const ProbeResult& probe : probes)
    if (tests_determinism(probe.name) && probe.differs()) return false;
  return true;
}

bool ProbeResult::ran() const {
  for (const auto& [tensor, verdict] : tensors)
    if (verdict.kind == ProbeVerdict::Kind::not_run) return false;
  return true;
}

bool ProbeResult::differs() const {
  for (const auto& [tensor, verdict] : tensors)
    if (verdict.kind == ProbeVerdict::Kind::differs) return true;
  return false;
}

Timing summarise(std::vector<double> samples_ns) {
  Timing timing;
  if (samples_ns.empty()) return timing;
  const auto median_of = [](std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
  };
  timing.samples_ns = samples_ns;
  std::sort(samples_ns.begin(), samples_ns.end());
  timing.median_ns = median_of(samples_ns);
  const auto n = static_cast<double>(samples_ns.size());
  // Binomial order statistics: ranks n/2 -+ 0.98 sqrt(n) cover the median at 95 %.
  const auto reach = static_cast<std::size_t>(std::ceil(0.98 * std::sqrt(n)));
  const std::size_t half = samples_ns.size() / 2;
  timing.low_ns = samples_ns[half > reach ? half - reach : 0];
  timing.high_ns = samples_ns[std::min(half + reach, samples_ns.size() - 1)];
  std::vector<double> deviations;
  for (const double sample : samples_ns) deviations.push_back(std::abs(sample - timing.median_ns));
  timing.mad_ns = median_of(deviations);
  return timing;
}

CaseResult CaseRunner::run(const Case& item, const Variant& variant, const CaseSettings& settings) {
  CaseResult result;
  try {
    if (!refuse(item, variant, settings, result)) execute(item, variant, settings, result);
  } catch (const KernelError& error) {
    set_status(result, Status::error, error.what());
  } catch (const UsageError& error) {
    set_status(result, Status::error, error.what());
  } catch (const std::bad_alloc&) {
    set_status(result, Status::error, "out of memory on the host");
  }
  return result;
}

// Fills config and claims; true when the case does not run at all.
bool CaseRunner::refuse(const Case& item, const Variant& variant, const CaseSettings& settings,
                        CaseResult& result) {
  const Support support = variant.supports(item.problem, device_.props());
  if (!support.ok()) {
    set_status(result, Status::unsupported, support.reason);
    return true;
  }
  const RecipeAnswer recipe = item.problem.op->has_recipe(item.problem, item.recipe);
  if (!recipe.ok) {
    set_status(result, Status::skipped, recipe.reason);
    return true;
  }
  const double needed = host_bytes_needed(item.problem);
  const double available = available_host_bytes();
  if (needed > kMemoryShare * available) {
    set_status(result, Status::skipped,
               "resource: needs about " + gib_text(needed) + " of host memory for tensors and " +
                   "reference, " + gib_text(available) + " available");
    return true;
  }
  if (nothing_to_measure(item, settings)) {
    set_status(result, Status::skipped, "throughput is measured with recipe normal only");
    return true;
  }
  return false;
}

void CaseRunner::execute(const Case& item, const Variant& variant, const CaseSettings& settings,
                         CaseResult& result) {
  Config config;
  if (item.config.empty()) {
    config = variant.configure(item.problem, device_.props());
  } else {
    config = Config::parse(item.config);
    variant.check_config(item.problem, config);
  }
  result.config = config.to_string();
  result.claims = claims_on(variant, item.problem, config, device_.props());
  prepared_.use(item);
  Execution execution(device_, variant, item.problem, config, prepared_.inputs(), settings.guard);
  result.workspace_bytes = execution.workspace_bytes();
  ExecutionSettings base_settings;
  base_settings.schedule = item.schedule;
  const RunOutputs base = execution.run(base_settings);
  result.ran = true;
  if (!base.violation.empty()) return set_status(result, Status::error, base.violation);
  const auto descs = outputs_of(item.problem);
  for (std::size_t t = 0; t < descs.size(); ++t) {
    result.digests.emplace_back(descs[t]->name, tensor_digest(*descs[t], base.outputs[t]));
    result.canonical_digests.emplace_back(descs[t]->name,
                                          canonical_digest(*descs[t], base.outputs[t]));
  }
  if (!settings.dump.empty()) dump(item, variant, settings.dump, base, result);
  std::vector<double>& samples = result.timing.samples_ns;
  samples.push_back(base.elapsed_ns);
  if (settings.stages.verify) verify(item, base, "", result);
  if (result.status == Status::passed && settings.stages.determinism) {
    const FirstRun first{item, variant, config, prepared_.inputs(), execution, base};
    Prober(
        device_, first, settings, tools_,
        [&](const RunOutputs& outputs, const std::string& which) {
          verify(item, outputs, which, result);
        },
        result)
        .run();
    // Independent of the inputs: once, beside those that round.
    if (settings.audit && item.recipe == "normal" && result.status == Status::passed)
      result.tree = audit_tree(device_, variant, item);
  }
  // Integers and other special data run faster or slower than real ones: only `normal` is timed.
  const bool timed = settings.stages.throughput && item.recipe == "normal";
  while (timed && result.status == Status::passed &&
         static_cast<int>(samples.size()) < settings.samples)
    samples.push_back(execution.run(base_settings).elapsed_ns);
  result.timing = timed ? summarise(samples) : Timing{};
  if (settings.count) result.counters = count_run(device_, execution, base_settings);
  conclude(item, result);
}

void CaseRunner::verify(const Case& item, const RunOutputs& outputs, const std::string& which,
                        CaseResult& result) {
  const std::vector<Expected>& expected = prepared_.expected(result.claims);
  const auto descs = outputs_of(item.problem);
  const bool first = which.empty();
  const bool nan_may_spread =
      result.claims.nan_policy != "propagate" && has_nonfinite(prepared_.inputs());
  for (std::size_t t = 0; t < descs.size(); ++t) {
    const JudgeInput input{*descs[t],
                           outputs.outputs[t].data(),
                           expected[t].value,
                           expected[t].magnitude,
                           item.problem.op->bound_rule(item.problem, *descs[t], result.claims),
                           item.problem.op->depth(item.problem),
                           uses_gate_i(item) ? Gate::indexing : Gate::precision,
                           nan_may_spread};
    TensorAccuracy accuracy = judge(input);
    if (!accuracy.ok() && result.status == Status::passed)
      set_status(result, Status::failed, mismatch_text(descs[t]->name, accuracy, which));
    if (first) result.accuracy.emplace_back(descs[t]->name, std::move(accuracy));
  }
  if (first) check_expect(item, outputs, result);
}

void CaseRunner::check_expect(const Case& item, const RunOutputs& outputs, CaseResult& result) {
  const auto descs = outputs_of(item.problem);
  for (const auto& [name, source] : item.expect) {
    for (std::size_t t = 0; t < descs.size(); ++t) {
      if (descs[t]->name != name) continue;
      const std::vector<double> want = source_values(source, "expect." + name, *descs[t]);
      std::vector<double> got(want.size());
      load_all(*descs[t], outputs.outputs[t].data(), got);
      for (std::size_t i = 0; i < want.size(); ++i) {
        const bool equal = got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i])) ||
                           std::abs(got[i] - want[i]) <= item.atol.value_or(0);
        if (equal) continue;
        return set_status(result, Status::failed,
                          "'" + name + "' differs from expect." + name + " at " +
                              index_text(unravel(static_cast<std::int64_t>(i), descs[t]->dims)) +
                              ": got " + format_real(got[i]) + ", expected " +
                              format_real(want[i]) + " +- " + format_real(item.atol.value_or(0)));
      }
    }
  }
}

void CaseRunner::dump(const Case& item, const Variant& variant, const std::string& folder,
                      const RunOutputs& outputs, const CaseResult& result) {
  CaseDump dump(folder, item, variant.id, result.config);
  for (const HostTensor& input : prepared_.inputs()) dump.tensor(input.desc, input.values);
  const auto descs = outputs_of(item.problem);
  const std::vector<Expected>& expected = prepared_.expected(result.claims);
  for (std::size_t t = 0; t < descs.size(); ++t) {
    std::vector<double> got(static_cast<std::size_t>(descs[t]->elements()));
    load_all(*descs[t], outputs.outputs[t].data(), got);
    dump.tensor(*descs[t], got);
    dump.reference(*descs[t], expected[t],
                   item.problem.op->bound_rule(item.problem, *descs[t], result.claims),
                   uses_gate_i(item));
  }
  dump.finish();
}

/// What the claims say against a probe that differs; empty where they allow it.
std::string CaseRunner::broken_claim(const Case& item, const ProbeResult& probe,
                                     const Claims& claims) const {
  if (probe.name == "batch")
    return claims.batch_invariant && claims.deterministic() ? "batch invariant" : "";
  if (!tests_determinism(probe.name)) return "";
  if (claims.deterministic()) return "deterministic";
  // A claim of nondeterminism is about the order of sums: integers whose sums are exact may not
  // differ even then, and on the emulator only the schedule changes the order.
  const bool order_may_matter =
      !uses_gate_i(item) && (probe.name == "schedule" || device_.kind() == DeviceKind::cuda);
  return order_may_matter ? "" : "to differ in summation order only";
}

// Status from the probes and from what the reference could tell.
void CaseRunner::conclude(const Case& item, CaseResult& result) {
  if (result.status != Status::passed) return;
  for (const ProbeResult& probe : result.probes) {
    const std::string claim = broken_claim(item, probe, result.claims);
    for (const auto& [tensor, verdict] : probe.tensors) {
      if (verdict.kind != ProbeVerdict::Kind::differs || claim.empty()) continue;
      const std::string change = verdict.change.empty() ? "" : " (" + verdict.change + ")";
      return set_status(result, Status::nondeterministic,
                        "probe " + probe.name + change + ": '" + tensor + "' differs in " +
                            std::to_string(verdict.count) + " elements, first at " +
                            index_text(verdict.first_index) + ", up to " +
                            format_real(verdict.max_ulp) + " ulp, though claimed " + claim);
    }
  }
  if (result.tree && result.tree->taller_than_claimed())
    return set_status(result, Status::failed, result.tree->height_text());
  if (item.problem.empty_output()) {
    result.reason = "zero-size";
    return;
  }
  if (item.problem.op->depth(item.problem) == 0) {
    result.reason = "empty sums";  // zeros over poisoned outputs are the right answer
    return;
  }
  bool trusted = result.accuracy.empty();
  for (const auto& [tensor, accuracy] : result.accuracy) trusted = trusted || !accuracy.degenerate;
  if (!trusted)
    set_status(result, Status::mistrusted,
               "every reference value is within its bound of zero: an all-zero output would pass");
}

}  // namespace wm
