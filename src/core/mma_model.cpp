#include "core/mma_model.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>

#include "core/error.hpp"
#include "core/mma_rules.hpp"
#include "core/text.hpp"

namespace wm {
namespace {

/// Models of files. They are never removed: devices and claims keep references to them.
struct OwnModels {
  std::mutex mutex;
  std::vector<std::unique_ptr<const OwnMmaModel>> models;  ///< the latest last
};
OwnModels& own_models() {
  static OwnModels own;
  return own;
}

const MmaModel* find_own(std::string_view name) {
  OwnModels& own = own_models();
  const std::lock_guard lock(own.mutex);
  for (auto model = own.models.rbegin(); model != own.models.rend(); ++model)
    if ((*model)->name == name) return &(*model)->model;
  return nullptr;
}

bool published(const MmaModel& model) {
  return &model >= kMmaModels.data() && &model < kMmaModels.data() + kMmaModels.size();
}

}  // namespace

std::string_view name_of(MmaOperand operand) {
  constexpr std::array<std::string_view, kMmaOperands> kNames{"f16",  "bf16", "tf32",
                                                              "e4m3", "e5m2", "s8"};
  return kNames[static_cast<std::size_t>(operand)];
}

std::vector<std::string> mma_model_names() {
  std::vector<std::string> names;
  for (const MmaModel& model : kMmaModels) names.emplace_back(model.name);
  return names;
}

const MmaModel& mma_model(std::string_view name) {
  for (const MmaModel& model : kMmaModels)
    if (model.name == name) return model;
  if (const MmaModel* own = find_own(name)) return *own;
  throw UsageError(unknown_message("tensor-core model", name, mma_model_names()));
}

std::string_view name_of(MmaRounding rounding) {
  return rounding == MmaRounding::truncate ? "truncate" : "nearest";
}

std::string_view name_of(MmaSubnormals subnormals) {
  constexpr std::array<std::string_view, 3> kNames{"minimum", "normalised", "flush"};
  return kNames[static_cast<std::size_t>(subnormals)];
}

const MmaModel& add_mma_model(OwnMmaModel model) {
  for (const MmaModel& known : kMmaModels)
    if (known.name == model.name)
      throw UsageError("tensor-core model '" + model.name + "': a published model has this name");
  auto kept = std::make_unique<OwnMmaModel>(std::move(model));
  kept->model.name = kept->name;
  kept->model.device = kept->device;
  OwnModels& own = own_models();
  const std::lock_guard lock(own.mutex);
  own.models.push_back(std::move(kept));
  return own.models.back()->model;
}

MmaRules mma_rules(const MmaModel& model, MmaOperand operand) {
  if (published(model)) return {};
  OwnModels& own = own_models();
  const std::lock_guard lock(own.mutex);
  for (const auto& each : own.models)
    if (&each->model == &model) return each->rules[static_cast<std::size_t>(operand)];
  return {};
}

double mma_group_error(const MmaBlock& block) {
  const double aligned = std::ldexp(block.products + 1, -(23 + block.extra_bits));
  const double cut = std::ldexp(1.0, -block.fraction_bits);
  return aligned + cut + aligned * cut;
}

double mma_group_underflow(const MmaBlock& block, const MmaFormat& format) {
  const int partner = std::min(format.max_exponent, kSubnormalPartner);
  const double unit = std::ldexp(1.0, format.min_exponent + partner - (23 + block.extra_bits));
  const double tiny = std::ldexp(1.0, -126 - (23 + block.extra_bits));  // the accumulator's
  return (block.products + 1) * (unit + tiny) + std::ldexp(1.0, -149);
}

}  // namespace wm
