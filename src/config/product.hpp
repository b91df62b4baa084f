#pragma once
// The cartesian product of one case of a sweep for one op.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/case.hpp"
#include "config/sweep.hpp"

namespace wm {

/// Most combinations a product or a plan may have.
inline constexpr std::int64_t kMaxCases = 1'000'000'000'000;

class Product {
 public:
  /// The case's own keys, then its `run`, then `defaults` and `run` of the files outwards: the
  /// first that gives a key wins. Axes vary in the order of the op's keys, the last one fastest, so
  /// the order of keys in the file does not matter. Throws ConfigError for a value of the wrong
  /// type.
  Product(const SweepCase& item, const Op& op, const KeyValues& set);
  /// A case string.
  Product(const CaseText& text, const KeyValues& set);

  const Op& op() const { return *op_; }
  std::int64_t count() const;
  void for_each(const std::function<bool(const Case&)>& visit, bool& go_on) const;

  /// Throws ConfigError or UsageError, naming the nearest, for an `algo` that is not in `known`.
  void check_algorithms(const std::vector<std::string>& known) const;
  /// Likewise for the `algo` of an `exclude`, which must match something of `known`.
  void check_excluded_algorithms(const std::vector<std::string>& known) const;

 private:
  struct Condition {
    std::size_t axis, column;
    std::vector<std::string> values;
  };
  /// An `exclude` clause for this op: holds where all conditions do. With `algorithms` it drops
  /// only those, which for a wildcard is left to the expansion.
  struct Clause {
    std::vector<Condition> conditions;
    std::vector<std::string> algorithms;
    std::string algorithms_where;
  };
  using Index = std::vector<std::size_t>;

  void add_axis(const Axis& axis, bool yielding);
  void add_settings(const RunSettings& run);
  void override_key(const std::string& key, const std::string& text);
  void sort_axes();
  void check_size() const;
  void compile_excludes(const Scope* scope);
  bool add_condition(const ExcludeClause::Condition& condition, Clause& clause) const;
  bool has_key(const std::string& key) const;
  std::string algorithm_at(const Index& index) const;
  bool excluded(const Index& index, std::vector<std::string>* algorithms) const;
  std::vector<bool> axes_of_excludes() const;
  bool advance(Index& index, const std::vector<bool>* only) const;
  Case make(const Index& index) const;
  [[noreturn]] void fail(const Index& index, const std::string& message) const;
  std::string where() const;

  const Op* op_;
  const JsonNode* node_ = nullptr;      ///< null: a case string
  std::shared_ptr<const Scope> scope_;  ///< keeps the documents alive
  std::vector<Axis> axes_;
  std::vector<Clause> clauses_;
  std::vector<std::string> stages_;
  std::optional<int> repeats_;
};

}  // namespace wm
