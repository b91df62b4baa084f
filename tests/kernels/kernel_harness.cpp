#include "kernels/kernel_harness.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "core/text.hpp"
#include "kernels/conv_harness.hpp"
#include "reference/reference.hpp"
#include "runner/execution.hpp"
#include "verify/judge.hpp"

namespace wm::test {
namespace {

Device& device(const KernelCase& kernel_case) {
  static std::map<std::string, std::unique_ptr<Device>> made;
  auto& found = made[kernel_case.mma_model];
  if (!found) {
    DeviceProps props;
    props.mma_model = kernel_case.mma_model;
    found = make_emu_device(props, 2);
  }
  return *found;
}

/// Gaps after each run of the smallest stride, and a base one element past an aligned address.
void pad(Problem& problem) {
  for (TensorDesc& desc : problem.tensors) {
    const std::int64_t smallest = *std::min_element(desc.strides.begin(), desc.strides.end());
    for (std::int64_t& stride : desc.strides) {
      if (stride != smallest) stride = stride * 3;
    }
    desc.offset = 1;
  }
}

/// Everything needed to run a case.
struct Prepared {
  Problem problem;
  const Variant* variant = nullptr;
  std::string refusal;
  Config config;
  std::vector<HostTensor> inputs;
};

Prepared prepare(const KernelCase& kernel_case) {
  Prepared out;
  KeyValues values;
  for (const std::string& item : split(kernel_case.keys, ' ')) {
    const std::size_t equals = item.find('=');
    values.emplace_back(item.substr(0, equals), item.substr(equals + 1));
  }
  out.problem = find_op(kernel_case.op)->resolve(values);
  const RecipeAnswer recipe = out.problem.op->has_recipe(out.problem, kernel_case.recipe);
  if (!recipe.ok) throw UsageError(kernel_case.text() + ": " + recipe.reason);
  if (kernel_case.padded) pad(out.problem);
  out.variant = emulator_catalog().find(out.problem, kernel_case.algorithm);
  if (!out.variant) {
    const auto names = all_algorithms(kernel_case.op);
    if (std::find(names.begin(), names.end(), kernel_case.algorithm) == names.end())
      throw UsageError("no such algorithm: " + kernel_case.text());
    out.refusal = "not compiled for this type";
    return out;
  }
  out.refusal = out.variant->supports(out.problem, device(kernel_case).props()).reason;
  if (!out.refusal.empty()) return out;
  out.config = kernel_case.config.empty()
                   ? out.variant->configure(out.problem, device(kernel_case).props())
                   : Config::parse(kernel_case.config);
  out.variant->check_config(out.problem, out.config);
  for (const TensorDesc& desc : out.problem.tensors) {
    if (desc.role != Role::input) continue;
    HostTensor input{desc, std::vector<double>(static_cast<std::size_t>(desc.elements()))};
    out.problem.op->fill(out.problem, {kernel_case.recipe, 3}, desc, input.values);
    if (kernel_case.edit) kernel_case.edit(input);
    out.inputs.push_back(std::move(input));
  }
  return out;
}

std::string verdict(const KernelCase& kernel_case, const Prepared& prepared,
                    const RunOutputs& outputs) {
  const Problem& problem = prepared.problem;
  const Claims claims =
      claims_on(*prepared.variant, problem, prepared.config, device(kernel_case).props());
  const std::vector<Expected> expected = run_reference(problem, prepared.inputs, claims);
  std::size_t next = 0;
  for (const TensorDesc& desc : problem.tensors) {
    if (desc.role != Role::output) continue;
    const bool bitwise = kernel_case.recipe == "exact" && problem.op->exact_is_bitwise(problem);
    const TensorAccuracy accuracy =
        judge({desc, outputs.outputs[next].data(), expected[next].value, expected[next].magnitude,
               problem.op->bound_rule(problem, desc, claims), problem.op->depth(problem),
               bitwise ? Gate::indexing : Gate::precision});
    ++next;
    if (accuracy.ok()) continue;
    std::ostringstream text;
    const WorstElement& worst = accuracy.worst.front();
    text << accuracy.mismatches << " of " << accuracy.compared << " wrong in " << desc.name << " "
         << accuracy.pattern << "; at";
    for (const std::int64_t i : worst.index) text << " " << i;
    text << ": got " << worst.got << ", want " << worst.want << ", bound " << worst.bound;
    return text.str();
  }
  return {};
}

}  // namespace

std::string KernelCase::text() const {
  return op + "/" + algorithm + " " + keys + " config=" + config + " " + recipe +
         " guard=" + std::to_string(static_cast<int>(guard)) + " " + schedule.to_string() + " " +
         mma_model + (padded ? " padded" : "");
}

std::vector<std::string> all_algorithms(std::string_view op) {
  std::set<std::string> names;
  for (const Variant& variant : emulator_catalog().variants()) {
    if (variant.id.op == op) names.insert(variant.id.algorithm);
  }
  return {names.begin(), names.end()};
}

std::string check_kernel(const KernelCase& kernel_case, bool* ran) {
  const Prepared prepared = prepare(kernel_case);
  if (ran) *ran = prepared.refusal.empty();
  if (!prepared.refusal.empty()) return {};
  Execution execution(device(kernel_case), *prepared.variant, prepared.problem, prepared.config,
                      prepared.inputs, kernel_case.guard);
  const RunOutputs first = execution.run({kernel_case.schedule, Poison::nan, Poison::nan});
  const RunOutputs second = execution.run({kernel_case.schedule, Poison::finite, Poison::finite});
  for (const RunOutputs* run : {&first, &second}) {
    if (!run->violation.empty()) return run->violation;
    const std::string wrong = verdict(kernel_case, prepared, *run);
    if (!wrong.empty()) return wrong;
  }
  if (!kernel_case.padded && first.outputs != second.outputs) return "bits depend on the poison";
  return {};
}

KernelRun run_kernel(const KernelCase& kernel_case) {
  const Prepared prepared = prepare(kernel_case);
  if (!prepared.refusal.empty()) throw UsageError(kernel_case.text() + ": " + prepared.refusal);
  Execution execution(device(kernel_case), *prepared.variant, prepared.problem, prepared.config,
                      prepared.inputs, kernel_case.guard);
  const RunOutputs run = execution.run({kernel_case.schedule, Poison::nan, Poison::nan});
  if (!run.violation.empty()) throw KernelError(run.violation);
  return {
      run.outputs.front(),
      claims_on(*prepared.variant, prepared.problem, prepared.config, device(kernel_case).props()),
      run.elapsed_ns * 1e-9, prepared.problem.op->flops(prepared.problem)};
}

void expect_all_pass(KernelCase kernel_case) {
  bool any = false;
  for (const std::string& algorithm : all_algorithms(kernel_case.op)) {
    kernel_case.algorithm = algorithm;
    bool ran = false;
    EXPECT_EQ(check_kernel(kernel_case, &ran), "") << kernel_case.text();
    any = any || ran;
  }
  EXPECT_TRUE(any) << kernel_case.text() << ": no algorithm ran";
}

}  // namespace wm::test
