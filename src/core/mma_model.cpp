#include "core/mma_model.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"

namespace wm {

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
  throw UsageError(unknown_message("tensor-core model", name, mma_model_names()));
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
