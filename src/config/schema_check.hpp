#pragma once
// The published JSON Schema of sweeps, applied by the valijson library. The reader's own checks
// come first and say more; this one makes sure that what the tool takes is what the schema
// describes, for editors and generators rely on it.
#include "config/json_tree.hpp"

namespace wm {

/// configs/schema/sweep.schema.json, which is part of the binary.
const char* sweep_schema_text();

/// Throws ConfigError with the place of the value that the schema does not allow, and the rule.
void check_sweep_schema(const JsonDocument& document);

}  // namespace wm
