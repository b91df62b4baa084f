// Console table.
#include <algorithm>

#include "core/text.hpp"
#include "report/escape.hpp"
#include "report/markdown_parts.hpp"
#include "report/render.hpp"
#include "report/text.hpp"

namespace wm::report {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t kLongestText = 400;  // of a label or a reason in a row

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
  return line;
}

std::string emulated_mark(const json& record) {
  return flag_of(object_of(record, "throughput"), "emulated", false) ? "~" : "";
}

}  // namespace

std::string table_heading() {
  return table_line({"status", "err/bnd", "determ.", "time", "recipe", "variant: problem"}) + "\n";
}

std::string table_row(const json& record) {
  const double worst = worst_utilisation(record);
  const json& timing = object_of(record, "timing");
  const std::string time = timing.contains("median_ns")
                               ? emulated_mark(record) + duration(number_of(timing, "median_ns"))
                               : "-";
  const std::string label = text_of(record, "label");
  const std::string reason = text_of(record, "reason");
  const json& counters = object_of(record, "counters");
  const std::string counted =
      counters.empty() ? "" : one_line("  counters: " + counters_text(counters)) + "\n";
  return one_line(
             table_line({text_of(record, "status"), worst < 0 ? "-" : short_number(worst),
                         observed_word(record), time, text_of(record, "recipe"),
                         text_of(record, "variant") + ": " + short_problem(record) +
                             (label.empty() ? "" : " (" + cut_text(label, kLongestText) + ")") +
                             (reason.empty() ? "" : "; " + cut_text(reason, kLongestText))})) +
         "\n" + counted;
}

std::string table_algorithms(const Rollup& rollup) {
  std::string text = "\nrecords passed   err/bnd  determinism        op/algorithm\n";
  for (const auto& key : rollup.algorithm_order()) {
    const AlgorithmRow& each = rollup.algorithm(key);
    text += one_line(
                padded(std::to_string(each.records), 7) + " " +
                padded(std::to_string(count_of(each, "passed")), 8) + " " +
                padded(each.worst_utilisation < 0 ? "-" : short_number(each.worst_utilisation), 8) +
                " " + padded(observed_text(each), 18) + " " + key.first + "/" + key.second) +
            "\n";
  }
  return text;
}

std::string table_end(const Rollup& rollup) {
  std::string text = "\n";
  if (rollup.emulated()) text += "times marked ~ are emulated: they say nothing about a GPU\n";
  for (const RedLine& line : rollup.red_lines()) {
    text += one_line(line.status + ": " + line.variant + ": " + line.reason) + "\n  " +
            one_line(line.repro) + "\n";
  }
  std::vector<std::string> parts;
  for (const auto& [status, count] : rollup.by_status()) {
    parts.push_back(std::to_string(count) + " " + one_line(status));
  }
  text += std::to_string(rollup.records()) +
          " records: " + (parts.empty() ? "nothing ran" : join(parts, ", "));
  if (rollup.has_summary()) {
    text += " in " + duration(number_of(rollup.summary(), "wall_s") * 1e9);
    if (flag_of(rollup.summary(), "interrupted", false)) text += " (interrupted)";
  } else {
    text += " (no summary: the run was cut short)";
  }
  return text + "\n";
}

}  // namespace wm::report
