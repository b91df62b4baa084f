#include "cli/shard.hpp"

#include <cstdlib>
#include <limits>

#include "core/error.hpp"
#include "core/text.hpp"

namespace wm {
namespace {

constexpr std::int64_t kMostShards = 1'000'000;

/// Variables with which an engine tells a task its number. `first`: the number of the first task.
struct Engine {
  const char* index;
  const char* count;  ///< null: the engine does not say; WARPMARK_SHARD_COUNT must
  int first;
};
// A test runner's come before a job's: it may run inside one.
constexpr Engine kEngines[] = {
    {"GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS", 0},
    {"TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", 0},
    {"JOB_COMPLETION_INDEX", nullptr, 0},
    {"AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE", 0},
    {"CI_NODE_INDEX", "CI_NODE_TOTAL", 1},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", 0},
    {"PMIX_RANK", nullptr, 0},
    {"SLURM_PROCID", "SLURM_NTASKS", 0},
};
constexpr const char* kCountOverride = "WARPMARK_SHARD_COUNT";

std::int64_t number(const std::string& name, const std::string& text) {
  const auto value = parse_int(text);
  if (!value || *value < 0)
    throw UsageError("--shard auto: " + name + "=" + text + ": expected a number of at least 0");
  return *value;
}

Shard checked(const std::string& what, std::int64_t index, std::int64_t count) {
  if (count < 1 || count > kMostShards)
    throw UsageError("--shard " + what + ": " + std::to_string(count) + " shards (allowed: 1 to " +
                     std::to_string(kMostShards) + ")");
  if (index < 1 || index > count)
    throw UsageError("--shard " + what + ": shard " + std::to_string(index) + " of " +
                     std::to_string(count) + " (allowed: 1 to " + std::to_string(count) + ")");
  return {static_cast<int>(index), static_cast<int>(count), false};
}

/// A Slurm job array runs the numbers MIN, MIN + STEP, ..., MAX.
std::optional<Shard> slurm_array(const Variables& variables) {
  const auto id = variables("SLURM_ARRAY_TASK_ID");
  if (!id) return std::nullopt;
  const auto value = [&](const char* name, const char* otherwise) {
    return number(name, variables(name).value_or(otherwise));
  };
  const std::int64_t least = value("SLURM_ARRAY_TASK_MIN", "0");
  const std::int64_t step = std::max<std::int64_t>(1, value("SLURM_ARRAY_TASK_STEP", "1"));
  if (!variables("SLURM_ARRAY_TASK_MAX"))
    throw UsageError("--shard auto: SLURM_ARRAY_TASK_ID is set, SLURM_ARRAY_TASK_MAX is not");
  const std::int64_t most = value("SLURM_ARRAY_TASK_MAX", "0");
  const std::int64_t task = number("SLURM_ARRAY_TASK_ID", *id);
  return checked("auto (SLURM_ARRAY_TASK_ID=" + *id + ")", (task - least) / step + 1,
                 (most - least) / step + 1);
}

std::optional<Shard> from_engine(const Engine& engine, const Variables& variables) {
  const auto index = variables(engine.index);
  if (!index) return std::nullopt;
  auto count = variables(kCountOverride);
  std::string count_name = kCountOverride;
  if (!count && engine.count != nullptr) {
    count_name = engine.count;
    count = variables(engine.count);
  }
  if (!count)
    throw UsageError(std::string("--shard auto: ") + engine.index + "=" + *index +
                     " says which shard this is, but not of how many: set " + kCountOverride);
  return checked("auto (" + std::string(engine.index) + "=" + *index + ")",
                 number(engine.index, *index) - engine.first + 1, number(count_name, *count));
}

Shard automatic(const Variables& variables) {
  for (const Engine& engine : kEngines) {
    // Between the test runners and the other engines: a job array.
    if (engine.index == std::string("JOB_COMPLETION_INDEX"))
      if (const auto found = slurm_array(variables)) return *found;
    if (const auto found = from_engine(engine, variables)) return *found;
  }
  std::string names = "SLURM_ARRAY_TASK_ID";
  for (const Engine& engine : kEngines) names += std::string(", ") + engine.index;
  throw UsageError("--shard auto: none of these variables is set: " + names);
}

}  // namespace

std::optional<std::string> environment_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

Shard parse_shard(const std::string& text, const Variables& variables) {
  if (text == "auto") return automatic(variables);
  const auto parts = split(text, '/');
  const auto index = parts.size() == 2 ? parse_int(parts[0]) : std::nullopt;
  const auto count = parts.size() == 2 ? parse_int(parts[1]) : std::nullopt;
  if (!index || !count)
    throw UsageError("--shard " + text + ": expected I/N with I from 1 to N, or auto");
  return checked(text, *index, *count);
}

double parse_duration(const std::string& option, const std::string& text) {
  double unit = 1;
  std::string digits = text;
  if (!digits.empty() && std::string("smh").find(digits.back()) != std::string::npos) {
    unit = digits.back() == 's' ? 1 : digits.back() == 'm' ? 60 : 3600;
    digits.pop_back();
  }
  const auto value = parse_real(digits);
  constexpr double kMost = 1e9;
  if (!value || !(*value >= 0) || *value * unit > kMost)
    throw UsageError(option + " " + text + ": expected a time such as 90s, 10m or 2h");
  return *value * unit;
}

}  // namespace wm
