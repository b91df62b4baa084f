#pragma once
// A report format as something that takes the lines of a report one after the other.
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace wm::report {

class Renderer {
 public:
  virtual ~Renderer() = default;
  virtual void header(const nlohmann::ordered_json& header) = 0;
  virtual void record(const nlohmann::ordered_json& record) = 0;
  virtual void summary(const nlohmann::ordered_json& summary) = 0;
  /// After the last line, also of a report without a summary.
  virtual void end() = 0;
};

/// html, md, csv, table, junit, github, gbench.
const std::vector<std::string>& format_names();

/// Writes one report to `target` in memory bounded by what the format shows, not by the length of
/// the report. github writes the annotations (workflow commands); its job summary is
/// github_summary(). Throws UsageError for an unknown format; EnvironmentError where a temporary
/// file cannot be written.
std::unique_ptr<Renderer> make_renderer(const std::string& format, std::ostream& target);

}  // namespace wm::report
