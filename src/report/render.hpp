#pragma once
// Renderers of finished records. Every format is made from the records alone.
#include <functional>
#include <istream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/rollup.hpp"

namespace wm::report {

/// The whole report as Markdown: summary, findings with their repro commands, algorithms, network
/// totals, environment.
std::string markdown(const Rollup& rollup);

/// Console table: a heading, a line a record, closing lines.
std::string table_heading();
std::string table_row(const nlohmann::ordered_json& record);
/// An algorithm a line: records, worst error, determinism.
std::string table_algorithms(const Rollup& rollup);
/// Counts by status, coverage, findings with their repro, wall time.
std::string table_end(const Rollup& rollup);

/// A record a line; texts that a spreadsheet would take for formulas are made literal.
std::string csv_heading();
std::string csv_row(const nlohmann::ordered_json& record);

/// The summary of a GitHub job as Markdown of at most `max_bytes`: where the report is longer,
/// findings are kept by severity, and what was left out is said. Empty where not even the counts
/// fit.
std::string github_summary(const Rollup& rollup, std::size_t max_bytes);

/// Calls `line` for the header, each record and the summary of a stored report in order. Throws
/// UsageError "name:line: ..." for text that is no report. A last line cut short (an interrupted
/// writer) is left out; the missing summary tells.
void read_report(std::istream& stream, const std::string& name,
                 const std::function<void(const nlohmann::ordered_json&)>& header,
                 const std::function<void(const nlohmann::ordered_json&)>& record,
                 const std::function<void(const nlohmann::ordered_json&)>& summary);

}  // namespace wm::report
