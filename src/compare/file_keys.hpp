#pragma once
// Members of the small JSON files a comparison reads, with messages that name file, line and
// pointer.
#include <string>
#include <vector>

#include "config/json_tree.hpp"

namespace wm::compare {

/// Throws unless the root is an object with `"schema": <schema>` and no key but `allowed`.
void check_root(const JsonDocument& document, const std::string& schema,
                const std::vector<std::string>& allowed);
/// The array under `key`; nullptr where it is absent and not `required`.
const JsonNode* array_of(const JsonDocument& document, const JsonNode& object,
                         const std::string& key, bool required);
/// A text of at least one character under `key`. Throws where absent, empty or not a string.
std::string required_text(const JsonDocument& document, const JsonNode& object,
                          const std::string& key);

}  // namespace wm::compare
