// Console table and CSV.
#include <algorithm>

#include "core/text.hpp"
#include "report/render.hpp"
#include "report/text.hpp"

namespace wm::report {
namespace {

using json = nlohmann::ordered_json;

std::string padded(const std::string& text, std::size_t width) {
  return text.size() >= width ? text : text + std::string(width - text.size(), ' ');
}

std::string table_line(const std::vector<std::string>& cells) {
  // status, error / bound, determinism, time, recipe; the variant and the problem close the line.
  constexpr std::size_t kWidths[] = {16, 8, 9, 9, 9};
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool fixed = i < std::size(kWidths);
    line += (fixed ? padded(cells[i], kWidths[i]) : cells[i]) + (i + 1 < cells.size() ? " " : "");
  }
  return line + "\n";
}

std::string observed_word(const json& record) {
  const json& determinism = object_of(record, "determinism");
  if (!determinism.contains("observed")) return "-";
  return determinism.value("observed", true) ? "same" : "differs";
}

std::string emulated_mark(const json& record) {
  return object_of(record, "throughput").value("emulated", false) ? "~" : "";
}

struct Column {
  const char* name;
  std::string (*text)(const json& record);
};

std::string number_text(const json& record, std::string_view group, std::string_view key) {
  const json& object = object_of(record, group);
  return object.contains(key) ? format_real(number_of(object, key)) : std::string();
}

const std::vector<Column>& csv_columns() {
  static const std::vector<Column> columns{
      {"case_id", [](const json& r) { return text_of(r, "case_id"); }},
      {"status", [](const json& r) { return text_of(r, "status"); }},
      {"op", [](const json& r) { return text_of(r, "op"); }},
      {"provider", [](const json& r) { return text_of(r, "provider"); }},
      {"algorithm", [](const json& r) { return text_of(r, "algorithm"); }},
      {"variant", [](const json& r) { return text_of(r, "variant"); }},
      {"config", [](const json& r) { return text_of(r, "config"); }},
      {"device", [](const json& r) { return text_of(r, "device"); }},
      {"label", [](const json& r) { return text_of(r, "label"); }},
      {"recipe", [](const json& r) { return text_of(r, "recipe"); }},
      {"bound_utilisation",
       [](const json& r) {
         const double worst = worst_utilisation(r);
         return worst < 0 ? std::string() : format_real(worst);
       }},
      {"determinism", observed_word},
      {"median_ns", [](const json& r) { return number_text(r, "timing", "median_ns"); }},
      {"gflops", [](const json& r) { return number_text(r, "throughput", "gflops"); }},
      {"gbytes_s", [](const json& r) { return number_text(r, "throughput", "gbytes_s"); }},
      {"timing_method", [](const json& r) { return text_of(object_of(r, "timing"), "method"); }},
      {"reason", [](const json& r) { return text_of(r, "reason"); }},
      {"case", [](const json& r) { return text_of(r, "case"); }},
  };
  return columns;
}

}  // namespace

std::string table_heading() {
  return table_line({"status", "err/bnd", "determ.", "time", "recipe", "variant: problem"});
}

std::string table_row(const json& record) {
  const double worst = worst_utilisation(record);
  const json& timing = object_of(record, "timing");
  const std::string time = timing.contains("median_ns")
                               ? emulated_mark(record) + duration(number_of(timing, "median_ns"))
                               : "-";
  const std::string label = text_of(record, "label");
  const std::string reason = text_of(record, "reason");
  return table_line({text_of(record, "status"), worst < 0 ? "-" : short_number(worst),
                     observed_word(record), time, text_of(record, "recipe"),
                     text_of(record, "variant") + ": " + short_problem(record) +
                         (label.empty() ? "" : " (" + label + ")") +
                         (reason.empty() ? "" : "; " + reason)});
}

std::string table_end(const Rollup& rollup) {
  std::string text = "\n";
  if (rollup.emulated()) text += "times marked ~ are emulated: they say nothing about a GPU\n";
  for (const RedLine& line : rollup.red_lines()) {
    text += line.status + ": " + line.variant + ": " + line.reason + "\n  " + line.repro + "\n";
  }
  std::vector<std::string> parts;
  for (const auto& [status, count] : rollup.by_status()) {
    parts.push_back(std::to_string(count) + " " + status);
  }
  text += std::to_string(rollup.records()) +
          " records: " + (parts.empty() ? "nothing ran" : join(parts, ", "));
  if (rollup.has_summary()) {
    text += " in " + duration(number_of(rollup.summary(), "wall_s") * 1e9);
    if (rollup.summary().value("interrupted", false)) text += " (interrupted)";
  } else {
    text += " (no summary: the run was cut short)";
  }
  return text + "\n";
}

std::string csv_heading() {
  std::vector<std::string> names;
  for (const Column& column : csv_columns()) names.emplace_back(column.name);
  return join(names, ",") + "\n";
}

std::string csv_row(const json& record) {
  std::vector<std::string> cells;
  for (const Column& column : csv_columns()) cells.push_back(csv_field(column.text(record)));
  return join(cells, ",") + "\n";
}

}  // namespace wm::report
