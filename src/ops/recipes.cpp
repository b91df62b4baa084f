// Recipes: how inputs are filled. Version 1 of each; a change of any value they give is version 2.
#include <algorithm>
#include <cmath>

#include "core/rng.hpp"
#include "core/text.hpp"
#include "ops/op.hpp"
#include "ops/recipes.hpp"

namespace wm {
namespace {

constexpr std::string_view kOffset = "offset:";

/// X of offset:X; nothing for another recipe.
std::optional<double> offset_of(const std::string& recipe) {
  if (!recipe.starts_with(kOffset)) return std::nullopt;
  const std::string text = recipe.substr(kOffset.size());
  const std::optional<double> value = parse_real(text);
  if (!value) {
    throw UsageError("recipe '" + recipe + "': '" + text +
                     "' is not a finite number; expected offset:X such as offset:1e4");
  }
  return value;
}

}  // namespace

std::uint64_t stream_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const char character : name) {
    hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3U;
  }
  return hash;
}

std::vector<std::string> recipe_names() { return {"exact", "normal", "uniform", "offset:X"}; }

void check_recipe(const std::string& recipe) {
  if (recipe == "exact" || recipe == "normal" || recipe == "uniform" || offset_of(recipe)) return;
  throw UsageError(unknown_message("recipe", recipe, recipe_names()));
}

std::string versioned_recipe(const std::string& recipe) {
  check_recipe(recipe);
  const std::optional<double> offset = offset_of(recipe);
  return (offset ? std::string(kOffset) + format_real(*offset) : recipe) + "/1";
}

RecipeAnswer Op::has_recipe(const Problem& problem, const std::string& recipe) const {
  check_recipe(recipe);
  if (recipe == "exact") return {false, "no exact recipe: " + name + " defines none"};
  for (const TensorDesc& desc : problem.tensors) {
    const DTypeInfo& type = info(desc.dtype);
    if (desc.role != Role::input) continue;
    if (!type.floating) {
      return {false, "no " + recipe + " recipe: integer type " + std::string(type.name) + " of '" +
                         desc.name + "'"};
    }
    // 8 standard deviations: beyond what Box-Muller reaches from 53 random bits.
    const double offset = std::abs(offset_of(recipe).value_or(0)) + 9;
    if (offset > type.max_finite) {
      return {false, "no " + recipe + " recipe: '" + desc.name + "' is " + std::string(type.name) +
                         ", whose largest finite value is " + format_real(type.max_finite)};
    }
  }
  return {};
}

void Op::fill(const Problem&, const FillRequest& request, const TensorDesc& tensor,
              std::span<double> values) const {
  const Random random(request.seed, stream_of(tensor.name));
  const double offset = offset_of(request.recipe).value_or(0);
  const bool uniform = request.recipe == "uniform";
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double raw = uniform ? 2 * random.uniform(i) - 1 : offset + random.normal(i);
    values[i] = round_to(tensor.dtype, raw);
  }
}

}  // namespace wm
