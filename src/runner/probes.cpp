#include "runner/probes.hpp"

#include <algorithm>
#include <numeric>

#include "core/error.hpp"
#include "core/text.hpp"

namespace wm {
namespace {

constexpr double kEmbeddedShare = 0.5;
constexpr std::size_t kMostConfigs = 6;

/// The same order of dimensions in memory, with one element of gap after each run of a dimension.
Dims padded_strides(const TensorDesc& desc) {
  std::vector<std::size_t> order(desc.dims.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return desc.strides[a] != desc.strides[b] ? desc.strides[a] < desc.strides[b] : a > b;
  });
  Dims strides(desc.dims.size(), 1);
  std::int64_t next = 1;
  for (const std::size_t d : order) {
    strides[d] = next;
    next = next * std::max<std::int64_t>(desc.dims[d], 1) + 1;
  }
  return strides;
}

/// Logical indices (row-major) of a box of a tensor of `dims`.
TensorDesc logical_box(const Dims& dims, const Dims& from, const Dims& extent) {
  TensorDesc box;
  box.dims = extent;
  box.strides = packed_strides(dims);
  for (std::size_t d = 0; d < from.size(); ++d) box.offset += from[d] * box.strides[d];
  return box;
}

void copy_part(const SharedPart& part, const HostTensor& from, HostTensor& to) {
  const TensorDesc source = logical_box(from.desc.dims, part.from, part.dims);
  const TensorDesc target = logical_box(to.desc.dims, part.to, part.dims);
  std::vector<double> values;
  for_each_element(source, [&](std::int64_t, std::int64_t at) {
    values.push_back(from.values[static_cast<std::size_t>(source.offset + at)]);
  });
  for_each_element(target, [&](std::int64_t logical, std::int64_t at) {
    to.values[static_cast<std::size_t>(target.offset + at)] =
        values[static_cast<std::size_t>(logical)];
  });
}

/// The problem; each size of it 1, or larger by a factor; all of them larger.
std::vector<Problem> problems_of_other_sizes(const Problem& problem) {
  constexpr std::int64_t kFactor = 64;
  std::vector<KeyValues> changes;
  KeyValues all;
  for (const Key& key : problem.op->keys) {
    const std::string* text = find_value(problem.keys, key.name);
    if (key.kind != Key::Kind::integer || text == nullptr) continue;
    const std::string larger = std::to_string(parse_int(*text).value_or(0) * kFactor);
    changes.push_back({{key.name, "1"}});
    changes.push_back({{key.name, larger}});
    all.emplace_back(key.name, larger);
  }
  changes.push_back(all);
  std::vector<Problem> problems{problem};
  for (const KeyValues& change : changes) {
    try {
      problems.push_back(with_keys(problem, change));
    } catch (const UsageError&) {  // no problem has these sizes
    }
  }
  return problems;
}

}  // namespace

Prober::Prober(Device& device, const FirstRun& first, const CaseSettings& settings,
               const ProbeTools& tools, Judge judge, CaseResult& result)
    : device_(device),
      first_(first),
      settings_(settings),
      tools_(tools),
      judge_(std::move(judge)),
      result_(result),
      emulated_(device.kind() == DeviceKind::emu || device.kind() == DeviceKind::emu_race) {
  for (const TensorDesc& desc : first.item.problem.tensors)
    if (desc.role == Role::output) outputs_.push_back(&desc);
}

void Prober::run() {
  struct Entry {
    const char* name;
    Probe probe;
    bool audit_only;
  };
  static constexpr Entry kProbes[] = {{"rerun", &Prober::rerun, false},
                                      {"process", &Prober::process, true},
                                      {"schedule", &Prober::schedule, false},
                                      {"streams", &Prober::not_here, true},
                                      {"output_poison", &Prober::output_poison, false},
                                      {"workspace_poison", &Prober::workspace_poison, false},
                                      {"order", &Prober::order, true},
                                      {"alignment", &Prober::alignment, true},
                                      {"strided", &Prober::strided, true},
                                      {"batch", &Prober::batch, true},
                                      {"padding", &Prober::padding, true},
                                      {"algorithms", &Prober::algorithms, true},
                                      {"config", &Prober::config, true},
                                      {"graph", &Prober::not_here, true},
                                      {"twin", &Prober::not_here, true},
                                      {"device", &Prober::not_here, true}};
  for (const Entry& entry : kProbes) {
    if (entry.audit_only && !settings_.audit) continue;
    result_.probes.push_back({entry.name, {}});
    for (const TensorDesc* desc : outputs_)
      probe().tensors.emplace_back(desc->name, ProbeVerdict{});
    try {
      (this->*entry.probe)();
    } catch (const KernelError& error) {
      fail(error.what());
    }
    if (result_.status == Status::error) return;
  }
}

void Prober::skip(const std::string& why) {
  for (auto& [tensor, verdict] : probe().tensors)
    if (verdict.kind == ProbeVerdict::Kind::not_run) verdict.reason = why;
}

void Prober::fail(const std::string& why) {
  result_.status = Status::error;
  result_.reason = probe().name + " run: " + why;
}

void Prober::fold_whole(std::size_t output, const std::vector<std::byte>& other,
                        const std::string& change, ZeroSigns zeros) {
  const TensorDesc& desc = *outputs_[output];
  const Dims origin(desc.dims.size(), 0);
  fold_part(probe().tensors[output].second, {desc, first_.outputs.outputs[output], origin},
            {desc, other, origin}, desc.dims, change, zeros);
}

// ---- the same problem in the same buffers

void Prober::rerun() {
  Rerun same;
  same.settings.schedule = first_.item.schedule;
  const int others = std::max(settings_.reruns - 1, 1);
  run_again(std::vector<Rerun>(static_cast<std::size_t>(others), same), true, false);
}

void Prober::schedule() {
  if (!emulated_) return skip("the device chooses its own schedule");
  std::vector<Rerun> runs;
  for (int i = 1; i < std::max(settings_.schedules, 2); ++i) {
    Rerun other;
    Schedule& schedule = other.settings.schedule;
    schedule.kind = i == 1 && first_.item.schedule.kind != Schedule::Kind::reverse
                        ? Schedule::Kind::reverse
                        : Schedule::Kind::random;
    schedule.seed = static_cast<std::uint64_t>(i);
    other.change = "schedule " + schedule.to_string();
    runs.push_back(other);
  }
  run_again(runs, false, true);
}

void Prober::output_poison() {
  Rerun other;
  other.settings.schedule = first_.item.schedule;
  other.settings.output_poison = Poison::finite;
  run_again({other}, true, false);
}

void Prober::workspace_poison() {
  if (first_.execution.workspace_bytes() == 0) return skip("no workspace");
  Rerun other;
  other.settings.schedule = first_.item.schedule;
  other.settings.workspace_poison = Poison::finite;
  run_again({other}, false, false);
}

void Prober::run_again(const std::vector<Rerun>& runs, bool timed, bool judged) {
  for (const Rerun& rerun : runs) {
    const RunOutputs other = first_.execution.run(rerun.settings);
    if (!other.violation.empty()) return fail(other.violation);
    if (timed) result_.timing.samples_ns.push_back(other.elapsed_ns);
    bool differs = false;
    for (std::size_t t = 0; t < outputs_.size(); ++t) {
      fold_whole(t, other.outputs[t], rerun.change);
      differs = differs || probe().tensors[t].second.kind == ProbeVerdict::Kind::differs;
    }
    // Other bits must be within the bound too.
    if (differs && judged && !result_.accuracy.empty())
      judge_(other, "under " + rerun.change + ": ");
  }
}

// ---- fresh processes

FreshRequest Prober::fresh_request() const {
  FreshRequest request{first_.item, first_.variant.id.to_string(), settings_.guard, {}, {}};
  for (const auto& [tensor, digest] : result_.digests) request.digests.push_back(digest);
  return request;
}

void Prober::process() { run_fresh(fresh_request(), ""); }

void Prober::order() {
  FreshRequest request = fresh_request();
  request.others = FreshRequest::Others::in_order;
  run_fresh(request, "after the other ops");
  request.others = FreshRequest::Others::reverse;
  run_fresh(request, "after the other ops in reverse order");
}

void Prober::algorithms() {
  if (!uses_gate_i(first_.item)) return skip("equal bits are due under recipe exact only");
  skip("no other algorithm supports the problem");
  for (const Variant* other : tools_.catalog->matching(first_.item.problem)) {
    if (other == &first_.variant || !other->supports(first_.item.problem, device_.props()).ok())
      continue;
    FreshRequest request = fresh_request();
    request.variant = other->id.to_string();
    request.item.config.clear();
    run_fresh(request, other->id.algorithm, ZeroSigns::ignored);
  }
}

void Prober::run_fresh(const FreshRequest& request, const std::string& change, ZeroSigns zeros) {
  if (tools_.fresh == nullptr) return skip("no worker processes in this run");
  const FreshRun run = tools_.fresh->run(request);
  if (!run.failure.empty()) {
    // Another algorithm's failure is a finding about that one.
    return request.variant == first_.variant.id.to_string() ? fail(run.failure)
                                                            : skip(change + ": " + run.failure);
  }
  if (request.others != FreshRequest::Others::none && run.others == 0)
    return skip("no other op runs on this device");
  for (std::size_t t = 0; t < outputs_.size(); ++t) {
    const auto& different = run.different[t];
    fold_whole(t, different ? *different : first_.outputs.outputs[t], change, zeros);
  }
}

// ---- the same data elsewhere

Embedding Prober::same_problem(std::string change) const {
  Embedding same{first_.item.problem, std::move(change), {}, {}};
  for (const TensorDesc& desc : same.problem.tensors) {
    const Dims origin(desc.dims.size(), 0);
    same.parts.push_back({desc.name, origin, origin, desc.dims});
  }
  return same;
}

void Prober::alignment() {
  constexpr std::int64_t kWideAccess = 16;  // bytes
  for (const bool wide : {false, true}) {
    Embedding moved = same_problem(wide ? "bases moved by 16 bytes" : "bases moved by an element");
    for (TensorDesc& desc : moved.problem.tensors)
      desc.offset += wide ? kWideAccess / info(desc.dtype).bytes : 1;
    run_elsewhere(moved, first_.inputs);
  }
}

void Prober::strided() {
  Embedding padded = same_problem("padded strides");
  for (TensorDesc& desc : padded.problem.tensors) desc.strides = padded_strides(desc);
  run_elsewhere(padded, first_.inputs);
}

void Prober::batch() { run_embeddings(batch_embeddings(first_.item.problem)); }

void Prober::padding() { run_embeddings(padding_embeddings(first_.item.problem)); }

void Prober::run_embeddings(const Embeddings& embeddings) {
  if (!embeddings.why_not.empty()) return skip(embeddings.why_not);
  if (!first_.item.placements.empty()) return skip("the case places its tensors itself");
  for (const Embedding& other : embeddings.list) {
    if (host_bytes_needed(other.problem) > kEmbeddedShare * available_host_bytes())
      skip(other.change + ": not enough host memory");
    else
      run_elsewhere(other, embedded_inputs(other));
    if (result_.status == Status::error) return;
  }
}

std::vector<HostTensor> Prober::embedded_inputs(const Embedding& other) const {
  std::vector<HostTensor> inputs;
  for (std::size_t t = 0; t < other.problem.tensors.size(); ++t) {
    const TensorDesc& desc = other.problem.tensors[t];
    if (desc.role != Role::input) continue;
    HostTensor tensor{desc, std::vector<double>(static_cast<std::size_t>(desc.elements()))};
    if (other.surroundings)
      std::fill(tensor.values.begin(), tensor.values.end(), *other.surroundings);
    else if (desc.dims != other.parts[t].dims)
      other.problem.op->fill(other.problem, {"normal", first_.item.seed + 1}, desc, tensor.values);
    for (const HostTensor& own : first_.inputs)
      if (own.desc.name == desc.name) copy_part(other.parts[t], own, tensor);
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

void Prober::run_elsewhere(const Embedding& other, const std::vector<HostTensor>& inputs) {
  const Variant& variant = first_.variant;
  const Support support = variant.supports(other.problem, device_.props());
  if (!support.ok()) return skip(other.change + ": " + support.reason);
  Config config = first_.config;
  if (first_.item.config.empty()) {
    config = variant.configure(other.problem, device_.props());
  } else {
    try {
      variant.check_config(other.problem, config);
    } catch (const UsageError& error) {
      return skip(other.change + ": " + error.what());
    }
  }
  Execution execution(device_, variant, other.problem, config, inputs, settings_.guard);
  ExecutionSettings settings;
  settings.schedule = first_.item.schedule;
  const RunOutputs run = execution.run(settings);
  if (!run.violation.empty()) return fail(other.change + ": " + run.violation);
  std::size_t output = 0;
  for (std::size_t t = 0; t < other.problem.tensors.size(); ++t) {
    const TensorDesc& desc = other.problem.tensors[t];
    if (desc.role != Role::output) continue;
    const SharedPart& part = other.parts[t];
    fold_part(probe().tensors[output].second,
              {*outputs_[output], first_.outputs.outputs[output], part.from},
              {desc, run.outputs[output], part.to}, part.dims, other.change);
    ++output;
  }
}

// ---- other configurations

/// Those the heuristic chooses for this problem, and for smaller and larger ones, on any GPU.
std::vector<Config> Prober::other_configs() const {
  const Problem& problem = first_.item.problem;
  const std::vector<Problem> problems = problems_of_other_sizes(problem);
  std::vector<Config> configs;
  for (const DeviceProps& props : emu_arch_list()) {
    for (const Problem& other : problems) {
      Config config = first_.variant.configure(other, props);
      if (config == first_.config ||
          std::find(configs.begin(), configs.end(), config) != configs.end())
        continue;
      try {
        first_.variant.check_config(problem, config);
        configs.push_back(std::move(config));
      } catch (const UsageError&) {
      }
    }
  }
  if (configs.size() > kMostConfigs) configs.resize(kMostConfigs);
  return configs;
}

void Prober::config() {
  if (!first_.item.config.empty()) return skip("the case forces its config");
  skip(first_.config.items().empty() ? "the algorithm has no config"
                                     : "the heuristic chooses no other config");
  for (const Config& config : other_configs()) run_config(config);
}

void Prober::run_config(const Config& config) {
  Execution execution(device_, first_.variant, first_.item.problem, config, first_.inputs,
                      settings_.guard);
  ExecutionSettings settings;
  settings.schedule = first_.item.schedule;
  const std::string change = "config " + config.to_string();
  const RunOutputs run = execution.run(settings);
  if (!run.violation.empty()) return fail(change + ": " + run.violation);
  for (std::size_t t = 0; t < outputs_.size(); ++t) fold_whole(t, run.outputs[t], change);
}

void Prober::not_here() {
  skip(emulated_ ? "needs a CUDA device" : "this version has no such probe");
}

}  // namespace wm
