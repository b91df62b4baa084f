#pragma once
// A sweep file as it is written: axes of values with their places in the file, not yet expanded.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/json_tree.hpp"
#include "ops/op.hpp"

namespace wm {

/// One value of one key. `node` is null for a value from --set, whose type is not checked.
struct AxisValue {
  std::string text;
  JsonNode::Kind kind = JsonNode::Kind::string;
  const JsonNode* node = nullptr;
};

/// Keys that vary together (one key, or those of a `zip`): each row gives every key a value.
struct Axis {
  const JsonDocument* document = nullptr;  ///< null: from --set
  std::vector<std::string> keys;
  std::vector<std::vector<AxisValue>> rows;
};

/// `exclude`: combinations where every condition holds are dropped.
struct ExcludeClause {
  struct Condition {
    std::string key;
    std::vector<std::string> values;  ///< any of them
    std::string where;                ///< "file:line:column: /pointer"
  };
  std::vector<Condition> conditions;
};

/// `run` of a file or of a case.
struct RunSettings {
  std::vector<std::string> stages;  ///< empty: not given
  std::optional<int> repeats;
  std::vector<Axis> axes;  ///< recipe and seed
};

/// What surrounds a case: `defaults`, `run` and `exclude` of its file, then of the files that
/// include it.
struct Scope {
  std::shared_ptr<const Scope> parent;
  std::shared_ptr<const JsonDocument> document;  ///< what the nodes of axes point into
  std::vector<Axis> defaults;
  RunSettings run;
  std::vector<ExcludeClause> excludes;
};

struct SweepCase {
  const JsonNode* node = nullptr;
  std::shared_ptr<const Scope> scope;
  std::vector<const Op*> ops;
  std::vector<Axis> axes;
  RunSettings run;
};

/// `require`: what the whole run must reach.
struct Requirements {
  std::int64_t min_passed_per_variant = 0;
  std::string device;  ///< "cuda": exit 5 where there is none
};

struct Sweep {
  std::string name;  ///< `name`, else the stem of the file
  RunSettings run;
  Requirements require;
  std::vector<SweepCase> cases;
  std::vector<std::shared_ptr<const JsonDocument>> documents;  ///< the file and those it includes
};

/// Stages of `run`: verify, determinism, throughput.
const std::vector<std::string>& stage_names();
/// Throws UsageError for an unknown or repeated stage.
void check_stages(const std::vector<std::string>& stages);

/// Reads a sweep and the files it includes. Throws ConfigError naming file, line, JSON pointer,
/// key, value and the allowed values or the nearest name.
Sweep read_sweep(const std::string& file);

}  // namespace wm
