#pragma once
// The reviewed file of intended changes (configs/schema/accepted.schema.json).
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "compare/finding.hpp"

namespace wm::compare {

struct AcceptedChange {
  std::string old_value, new_value;  ///< JSON text
  std::string reason, tool;
  bool used = false;  ///< matched a finding of this comparison
};

class Accepted {
 public:
  /// Throws ConfigError with file, line and JSON pointer; UsageError when the file cannot be read.
  static Accepted read(const std::string& file);
  static Accepted parse(const std::string& name, const std::string& text);

  /// The entry of the finding whose old AND new value are those of the finding, marked as used;
  /// nullptr where there is none.
  const AcceptedChange* match(const Finding& finding);
  /// Adds the finding, or replaces the entry of the same place.
  void add(const Finding& finding, const std::string& reason, const std::string& tool);

  std::size_t size() const { return changes_.size(); }
  /// A line for each entry that no finding matched.
  std::vector<std::string> stale_notes() const;

  /// The file's text, sorted by case id, variant, aspect, tensor.
  std::string to_text() const;
  /// Writes to a temporary file beside `file` and renames it. Throws EnvironmentError.
  void write(const std::string& file) const;

 private:
  using Place = std::tuple<std::string, std::string, std::string, std::string>;
  static Place place_of(const Finding& finding);
  std::map<Place, AcceptedChange> changes_;
};

/// Whether --accept may take the finding: everything that counts but a worse status (which the
/// quarantine is for).
bool is_acceptable(const Finding& finding);

}  // namespace wm::compare
