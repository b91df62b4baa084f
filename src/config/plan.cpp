#include "config/plan.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "config/schema_check.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

namespace wm {
namespace {

/// A --set key must mean something to at least one op of the plan.
void check_overrides(const std::vector<Product>& products, const KeyValues& set) {
  for (const auto& [key, value] : set) {
    std::set<std::string> known;
    bool accepted = products.empty();
    for (const Product& product : products) {
      accepted = accepted || accepts_key(product.op(), key);
      for (const std::string& name : case_keys(product.op())) known.insert(name);
    }
    if (!accepted) {
      throw UsageError("--set " + key + "=" + value + ": " +
                       unknown_message("key", key, {known.begin(), known.end()}));
    }
  }
}

}  // namespace

Plan Plan::from_files(const std::vector<std::string>& files, const KeyValues& set) {
  Plan plan;
  for (const std::string& file : files) {
    const Sweep sweep = read_sweep(file);
    plan.name_ += (plan.name_.empty() ? "" : "+") + sweep.name;
    if (plan.run_.stages.empty()) plan.run_.stages = sweep.run.stages;
    if (!plan.run_.repeats) plan.run_.repeats = sweep.run.repeats;
    plan.requirements_.min_passed_per_variant =
        std::max(plan.requirements_.min_passed_per_variant, sweep.require.min_passed_per_variant);
    if (plan.requirements_.device.empty()) plan.requirements_.device = sweep.require.device;
    for (const SweepCase& item : sweep.cases) {
      for (const Op* op : item.ops) plan.products_.emplace_back(item, *op, set);
    }
    plan.check_schema(sweep);
  }
  check_overrides(plan.products_, set);
  return plan;
}

/// A value that the schema forbids is mostly one that its case is refused for, with a better
/// reason.
void Plan::check_schema(const Sweep& sweep) const {
  constexpr std::int64_t kTried = 100'000;
  try {
    for (const auto& document : sweep.documents) check_sweep_schema(*document);
  } catch (const ConfigError&) {
    std::int64_t tried = 0;
    for_each([&](const Case&) { return ++tried < kTried; });
    throw;
  }
}

Plan Plan::from_case_strings(const std::vector<std::string>& texts, const KeyValues& set,
                             std::string name, Requirements requirements) {
  Plan plan;
  plan.name_ = std::move(name);
  plan.requirements_ = std::move(requirements);
  for (const std::string& text : texts) plan.products_.emplace_back(split_case_string(text), set);
  check_overrides(plan.products_, set);
  return plan;
}

void Plan::for_each(const std::function<bool(const Case&)>& visit) const {
  bool go_on = true;
  for (const Product& product : products_) {
    if (go_on) product.for_each(visit, go_on);
  }
}

std::int64_t Plan::count() const {
  std::int64_t total = 0;
  for (const Product& product : products_) total += product.count();
  return total;
}

std::string Plan::hash() const {
  Sha256 hash;
  for_each([&](const Case& item) {
    std::string line = to_case_string(item);
    if (!item.excluded_algorithms.empty()) {
      line += " without=" + join(item.excluded_algorithms, ",");
    }
    line += '\n';
    hash.update(line.data(), line.size());
    return true;
  });
  return hash.hex();
}

void Plan::check_algorithms(
    const std::function<std::vector<std::string>(const std::string& op)>& known) const {
  std::map<std::string, std::vector<std::string>> names;
  std::set<std::string> all;
  for (const Product& product : products_) {
    const std::string& op = product.op().name;
    if (names.contains(op)) continue;
    names[op] = known(op);
    all.insert(names[op].begin(), names[op].end());
  }
  for (const Product& product : products_) {
    product.check_algorithms(names[product.op().name]);
    product.check_excluded_algorithms({all.begin(), all.end()});
  }
}

}  // namespace wm
