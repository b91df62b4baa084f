#pragma once
// Finished results as JSON (configs/schema/record.schema.json).
#include <string>

#include <nlohmann/json.hpp>

#include "config/case.hpp"
#include "registry/variant.hpp"
#include "runner/case_run.hpp"

namespace wm {

/// A number, or "NaN", "Infinity", "-Infinity".
nlohmann::ordered_json json_number(double value);

nlohmann::ordered_json claims_json(const Claims& claims);
nlohmann::ordered_json problem_json(const Problem& problem);

/// The record of one case, whose device is chosen, with one variant. `index`: its position in the
/// plan.
nlohmann::ordered_json make_record(const Case& item, const VariantId& id, std::int64_t index,
                                   const CaseSettings& settings, const CaseResult& result);

}  // namespace wm
