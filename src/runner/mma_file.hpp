#pragma once
// Tensor-core models in files (configs/schema/mma_model.schema.json).
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/mma_rules.hpp"
#include "probe/mma_probe.hpp"

namespace wm {

/// What was found, as a file has it.
nlohmann::ordered_json mma_model_json(const std::vector<ProbedOperand>& operands,
                                      const std::string& name, const std::string& device);

/// Throws ConfigError with the place of a key that is missing, unknown, of another type or out of
/// its range, UsageError where the file cannot be read.
OwnMmaModel read_mma_model(const std::string& file);

}  // namespace wm
