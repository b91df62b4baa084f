#include "registry/catalog.hpp"

#include <stdexcept>

#include "core/error.hpp"
#include "core/text.hpp"
#include "registry/register.hpp"

namespace wm {
namespace {

void fill_defaults(Variant& variant) {
  if (!variant.supports)
    variant.supports = [](const Problem&, const DeviceProps&) { return Support::yes(); };
  if (!variant.configure)
    variant.configure = [](const Problem&, const DeviceProps&) { return Config{}; };
  if (!variant.check_config)
    variant.check_config = [](const Problem&, const Config& config) {
      check_config_items(config, {});
    };
  if (!variant.workspace_bytes)
    variant.workspace_bytes = [](const Problem&, const Config&) { return std::size_t{0}; };
}

}  // namespace

void Catalog::add(Variant variant) {
  const Op* op = find_op(variant.id.op);
  if (!op) throw std::logic_error(unknown_message("op", variant.id.op, op_names()));
  variant.id.has_weights = op->has_weights;
  const std::string id = variant.id.to_string();
  if (!variant.launch || !variant.claims)
    throw std::logic_error("variant '" + id + "' has no launch or no claims function");
  if (op->has_layout != variant.id.layout.has_value())
    throw std::logic_error("variant '" + id + "': op " + op->name +
                           (op->has_layout ? " needs a layout" : " has no layout"));
  for (const Variant& other : variants_)
    if (other.id == variant.id) throw std::logic_error("variant '" + id + "' is registered twice");
  fill_defaults(variant);
  variants_.push_back(std::move(variant));
}

std::vector<const Variant*> Catalog::matching(const Problem& problem) const {
  std::vector<const Variant*> found;
  for (const Variant& variant : variants_) {
    const VariantId& id = variant.id;
    if (id.op == problem.op->name && id.dtypes == problem.dtypes && id.acc == problem.acc &&
        id.math == problem.math && id.layout == problem.layout)
      found.push_back(&variant);
  }
  return found;
}

const Variant* Catalog::find(const Problem& problem, std::string_view algorithm,
                             std::string_view provider) const {
  for (const Variant* variant : matching(problem))
    if (variant->id.algorithm == algorithm && variant->id.provider == provider) return variant;
  return nullptr;
}

void check_config_item(const Config& config, std::string_view item,
                       const std::vector<std::string>& allowed) {
  const std::string& value = config.text(item);
  for (const std::string& candidate : allowed)
    if (candidate == value) return;
  throw UsageError(
      unknown_message("value of config item '" + std::string(item) + "':", value, allowed));
}

void check_config_items(const Config& config, std::initializer_list<std::string_view> items) {
  std::vector<std::string> names(items.begin(), items.end());
  for (const auto& [key, value] : config.items()) {
    bool known = false;
    for (const std::string& name : names) known = known || name == key;
    if (known) continue;
    if (names.empty())
      throw UsageError("config '" + config.to_string() + "': this algorithm has no choices");
    throw UsageError(unknown_message("config item", key, names));
  }
  for (const std::string& name : names)
    if (!config.has(name))
      throw UsageError("config '" + config.to_string() + "' lacks item '" + name + "'");
}

}  // namespace wm
