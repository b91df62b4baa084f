#pragma once
// What one worker does at a time: a case and those of its records that are still to be made. Its
// algorithms share inputs and reference, so they stay together.
#include <cstdint>
#include <string>
#include <vector>

#include "config/case.hpp"
#include "registry/variant.hpp"
#include "runner/case_run.hpp"

namespace wm {

struct PlannedRecord {
  std::int64_t index = 0;  ///< position in the whole plan
  VariantId id;
  std::string reason;  ///< why there is no such variant; empty: there is one
};

struct Assignment {
  Case item;  ///< with its device and architecture chosen
  CaseSettings settings;
  std::vector<PlannedRecord> records;
};

/// The case of one of the records: it names the algorithm.
Case case_of(const Assignment& assignment, const PlannedRecord& record);

/// One line of text and back, for another process. The reader knows the variants by their names.
std::string to_line(const Assignment& assignment);
struct ReceivedAssignment {
  Case item;
  CaseSettings settings;
  std::vector<std::pair<std::int64_t, std::string>> records;  ///< index, variant
};
ReceivedAssignment parse_assignment(const std::string& line);

}  // namespace wm
