#pragma once
// Values of a key as a sweep writes them: a scalar, an array, {"range"}, {"pow2"}, {"values"}.
#include "config/sweep.hpp"

namespace wm {

/// Most values one key may have.
inline constexpr std::int64_t kMaxAxisValues = 1'000'000;

[[noreturn]] void fail_at(const JsonDocument& document, const JsonNode& node,
                          const std::string& message);
/// Throws unless `node` is of the kind; `what` names the expected type ("an array").
void expect_kind(const JsonDocument& document, const JsonNode& node, JsonNode::Kind kind,
                 const std::string& what);
/// Throws for a member whose key is not among `allowed`.
void check_members(const JsonDocument& document, const JsonNode& object, const std::string& what,
                   const std::vector<std::string>& allowed);
/// An integer in [lo, hi].
std::int64_t read_integer(const JsonDocument& document, const JsonNode& node, std::int64_t lo,
                          std::int64_t hi);

/// The axis of one key. Throws for an empty array, a repeated value, or a bad generator.
Axis read_axis(const JsonDocument& document, const std::string& key, const JsonNode& node);
/// `zip`: keys with arrays of one length.
Axis read_zip(const JsonDocument& document, const JsonNode& node);
/// `inputs` / `expect` of a case as axes of one value each (`in.x`, `expect.y`, `atol`). Files are
/// relative to the config.
std::vector<Axis> read_tensors(const JsonDocument& document, const JsonNode& node,
                               const std::string& prefix);

}  // namespace wm
