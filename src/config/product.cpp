#include "config/product.hpp"

#include <algorithm>

#include "config/axis.hpp"
#include "config/key_rules.hpp"
#include "core/text.hpp"

namespace wm {
namespace {

using Kind = JsonNode::Kind;

bool contains(const std::vector<std::string>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

Product::Product(const SweepCase& item, const Op& op, const KeyValues& set)
    : op_(&op), node_(item.node), scope_(item.scope) {
  for (const Axis& axis : item.axes) add_axis(axis, false);
  add_settings(item.run);
  for (const Scope* scope = scope_.get(); scope; scope = scope->parent.get()) {
    for (const Axis& axis : scope->defaults) add_axis(axis, true);
    for (const Axis& axis : scope->run.axes) add_axis(axis, true);
  }
  stages_ = item.run.stages;
  repeats_ = item.run.repeats;
  for (const auto& [key, text] : set) override_key(key, text);
  sort_axes();
  check_size();
  for (const Scope* scope = scope_.get(); scope; scope = scope->parent.get()) {
    compile_excludes(scope);
  }
}

Product::Product(const CaseText& text, const KeyValues& set) : op_(text.op) {
  for (const auto& [key, value] : text.values) {
    axes_.push_back({nullptr, {key}, {{AxisValue{value, Kind::string, nullptr}}}});
  }
  for (const auto& [key, value] : set) override_key(key, value);
  check_size();
}

void Product::add_settings(const RunSettings& run) {
  for (const Axis& axis : run.axes) add_axis(axis, true);
}

/// `yielding`: outer settings give way to keys that are already there, and to ops without them.
void Product::add_axis(const Axis& axis, bool yielding) {
  if (yielding && (has_key(axis.keys.front()) || !accepts_key(*op_, axis.keys.front()))) return;
  check_types(*op_, axis);
  axes_.push_back(axis);
}

bool Product::has_key(const std::string& key) const {
  return std::any_of(axes_.begin(), axes_.end(),
                     [&](const Axis& axis) { return contains(axis.keys, key); });
}

void Product::override_key(const std::string& key, const std::string& text) {
  if (!accepts_key(*op_, key)) return;
  for (Axis& axis : axes_) {
    const auto found = std::find(axis.keys.begin(), axis.keys.end(), key);
    if (found == axis.keys.end()) continue;
    const auto column = found - axis.keys.begin();
    axis.keys.erase(found);
    for (auto& row : axis.rows) row.erase(row.begin() + column);
  }
  std::erase_if(axes_, [](const Axis& axis) { return axis.keys.empty(); });
  Axis axis{nullptr, {key}, {}};
  const bool list = text.size() > 1 && text.front() == '[' && text.back() == ']';
  const bool tensor = key.starts_with("in.") || key.starts_with("expect.");
  if (list && !tensor) {
    for (const std::string& value : split(text.substr(1, text.size() - 2), ',')) {
      axis.rows.push_back({AxisValue{value, Kind::string, nullptr}});
    }
  } else {
    axis.rows.push_back({AxisValue{text, Kind::string, nullptr}});
  }
  axes_.push_back(std::move(axis));
}

void Product::sort_axes() {
  std::stable_sort(axes_.begin(), axes_.end(), [&](const Axis& a, const Axis& b) {
    const std::size_t rank_a = rank_of(*op_, a), rank_b = rank_of(*op_, b);
    return rank_a != rank_b ? rank_a < rank_b : a.keys.front() < b.keys.front();
  });
}

void Product::check_size() const {
  std::int64_t total = 1;
  for (const Axis& axis : axes_) {
    const auto rows = static_cast<std::int64_t>(axis.rows.size());
    if (total <= kMaxCases / std::max<std::int64_t>(rows, 1)) {
      total *= rows;
      continue;
    }
    std::vector<std::string> sizes;
    for (const Axis& each : axes_) {
      if (each.rows.size() > 1) {
        sizes.push_back(join(each.keys, "+") + ": " + std::to_string(each.rows.size()));
      }
    }
    throw ConfigError(where(), "expands to more than 10^12 combinations of " + op_->name + " (" +
                                   join(sizes, ", ") + " values)");
  }
}

void Product::compile_excludes(const Scope* scope) {
  for (const ExcludeClause& source : scope->excludes) {
    Clause clause;
    const bool possible =
        std::all_of(source.conditions.begin(), source.conditions.end(),
                    [&](const auto& condition) { return add_condition(condition, clause); });
    if (possible) clauses_.push_back(std::move(clause));
  }
}

/// Returns false where the condition can never hold for this op.
bool Product::add_condition(const ExcludeClause::Condition& condition, Clause& clause) const {
  if (condition.key == "op") return contains(condition.values, op_->name);
  if (!accepts_key(*op_, condition.key)) return false;
  if (condition.key == "algo") {
    clause.algorithms = condition.values;
    clause.algorithms_where = condition.where;
    return true;
  }
  std::vector<std::string> values;
  for (const std::string& value : condition.values) {
    values.push_back(normal_text(*op_, condition.key, value));
  }
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const auto& keys = axes_[axis].keys;
    const auto found = std::find(keys.begin(), keys.end(), condition.key);
    if (found == keys.end()) continue;
    clause.conditions.push_back(
        {axis, static_cast<std::size_t>(found - keys.begin()), std::move(values)});
    return true;
  }
  return contains(values, normal_text(*op_, condition.key, default_text(*op_, condition.key)));
}

std::string Product::algorithm_at(const Index& index) const {
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const auto& keys = axes_[axis].keys;
    const auto found = std::find(keys.begin(), keys.end(), "algo");
    if (found != keys.end()) {
      return axes_[axis].rows[index[axis]][static_cast<std::size_t>(found - keys.begin())].text;
    }
  }
  return "*";
}

/// Whether the combination is dropped; `algorithms` receives those dropped from a wildcard.
bool Product::excluded(const Index& index, std::vector<std::string>* algorithms) const {
  for (const Clause& clause : clauses_) {
    const bool holds =
        std::all_of(clause.conditions.begin(), clause.conditions.end(), [&](const Condition& each) {
          const Axis& axis = axes_[each.axis];
          const std::string& text = axis.rows[index[each.axis]][each.column].text;
          return contains(each.values, normal_text(*op_, axis.keys[each.column], text));
        });
    if (!holds) continue;
    if (clause.algorithms.empty()) return true;
    const std::string algorithm = algorithm_at(index);
    const bool wildcard = is_wildcard(algorithm);
    for (const std::string& pattern : clause.algorithms) {
      if (wildcard && algorithms) algorithms->push_back(pattern);
      if (pattern == "*" || (!wildcard && glob_match(pattern, algorithm))) return true;
    }
  }
  return false;
}

std::vector<bool> Product::axes_of_excludes() const {
  std::vector<bool> used(axes_.size(), false);
  for (const Clause& clause : clauses_) {
    for (const Condition& condition : clause.conditions) used[condition.axis] = true;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      if (!clause.algorithms.empty() && contains(axes_[axis].keys, "algo")) used[axis] = true;
    }
  }
  return used;
}

/// Next combination, the last axis fastest, moving only axes of `only`; false after the last.
bool Product::advance(Index& index, const std::vector<bool>* only) const {
  for (std::size_t axis = axes_.size(); axis-- > 0;) {
    if (only && !(*only)[axis]) continue;
    if (++index[axis] < axes_[axis].rows.size()) return true;
    index[axis] = 0;
  }
  return false;
}

std::int64_t Product::count() const {
  const std::vector<bool> used = axes_of_excludes();
  std::int64_t free = 1, kept = 0;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    if (!used[axis]) free *= static_cast<std::int64_t>(axes_[axis].rows.size());
  }
  Index index(axes_.size(), 0);
  do {
    if (!excluded(index, nullptr)) ++kept;
  } while (advance(index, &used));
  return kept * free;
}

void Product::for_each(const std::function<bool(const Case&)>& visit, bool& go_on) const {
  Index index(axes_.size(), 0);
  do {
    std::vector<std::string> algorithms;
    if (excluded(index, &algorithms)) continue;
    Case item = make(index);
    item.excluded_algorithms = std::move(algorithms);
    item.stages = stages_;
    item.repeats = repeats_;
    go_on = visit(item);
  } while (go_on && advance(index, nullptr));
}

void Product::check_algorithms(const std::vector<std::string>& known) const {
  for (const Axis& axis : axes_) {
    const auto column = std::find(axis.keys.begin(), axis.keys.end(), "algo") - axis.keys.begin();
    if (column == static_cast<std::ptrdiff_t>(axis.keys.size())) continue;
    for (const auto& row : axis.rows) {
      const AxisValue& value = row[static_cast<std::size_t>(column)];
      if (is_wildcard(value.text) || contains(known, value.text)) continue;
      const std::string message = unknown_message("algorithm of " + op_->name, value.text, known);
      if (!value.node) throw UsageError("algo=" + value.text + ": " + message);
      fail_at(*axis.document, *value.node, message);
    }
  }
}

void Product::check_excluded_algorithms(const std::vector<std::string>& known) const {
  for (const Clause& clause : clauses_) {
    for (const std::string& pattern : clause.algorithms) {
      const bool matches = std::any_of(known.begin(), known.end(), [&](const std::string& name) {
        return glob_match(pattern, name);
      });
      if (matches) continue;
      throw ConfigError(clause.algorithms_where, unknown_message("algorithm", pattern, known));
    }
  }
}

Case Product::make(const Index& index) const {
  KeyValues values;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const auto& row = axes_[axis].rows[index[axis]];
    for (std::size_t column = 0; column < row.size(); ++column) {
      values.emplace_back(axes_[axis].keys[column], row[column].text);
    }
  }
  try {
    Case item = make_case(*op_, values);
    check_files_exist(item);
    return item;
  } catch (const UsageError& error) {
    fail(index, error.what());
  }
}

/// Places the message at the key it names, else at the case, and appends the combination.
void Product::fail(const Index& index, const std::string& message) const {
  if (!node_) throw UsageError("case string: " + message);
  std::string place = where();
  std::string combination = op_->name;
  bool found = false;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const auto& row = axes_[axis].rows[index[axis]];
    for (std::size_t column = 0; column < row.size(); ++column) {
      const std::string& key = axes_[axis].keys[column];
      combination += " " + key + "=" + row[column].text;
      if (found || !row[column].node || !mentions(message, key)) continue;
      place = axes_[axis].document->where(*row[column].node);
      found = true;
    }
  }
  throw ConfigError(place, message + " (in the combination " + combination + ")");
}

std::string Product::where() const {
  return node_ ? scope_->document->where(*node_) : std::string("case string");
}

}  // namespace wm
