#pragma once
// What core/mma_model.hpp takes for granted because every published model has it: how the terms of
// a group and its sum are rounded, and how subnormal operands are aligned. `probe mma` finds these
// on a device; models from its files stand beside the published ones.
#include <array>
#include <cstdint>
#include <string>

#include "core/mma_model.hpp"

namespace wm {

enum class MmaRounding : std::uint8_t {
  truncate,  ///< toward zero
  nearest,   ///< ties to even
};
enum class MmaSubnormals : std::uint8_t {
  minimum,     ///< aligned by the exponent of the smallest normal number
  normalised,  ///< aligned by their own exponent
  flush,       ///< zero
};
std::string_view name_of(MmaRounding rounding);
std::string_view name_of(MmaSubnormals subnormals);

struct MmaRules {
  MmaRounding terms = MmaRounding::truncate;  ///< in the alignment, to 23 + extra_bits
  MmaRounding sum = MmaRounding::truncate;    ///< of a group, to fraction_bits
  MmaSubnormals subnormals = MmaSubnormals::minimum;
  bool operator==(const MmaRules&) const = default;
};

/// A model that is not published. `model.name` and `model.device` are set when it is added.
struct OwnMmaModel {
  std::string name, device;
  MmaModel model{};
  std::array<MmaRules, kMmaOperands> rules{};
};

/// Makes the model known to mma_model() by its name, for the life of the process; one of the same
/// name is replaced for those who ask later. Throws UsageError for the name of a published model.
const MmaModel& add_mma_model(OwnMmaModel model);

/// The rules of an added model; those of all published ones for any other.
MmaRules mma_rules(const MmaModel& model, MmaOperand operand);

}  // namespace wm
