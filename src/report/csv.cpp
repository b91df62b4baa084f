#include "core/text.hpp"
#include "report/escape.hpp"
#include "report/render.hpp"
#include "report/text.hpp"

namespace wm::report {
namespace {

using json = nlohmann::ordered_json;

/// `field` is quoted already: csv_text() for what users wrote, csv_field() for numbers.
struct CsvColumn {
  const char* name;
  std::string (*field)(const json& record);
};

std::string csv_number(const json& object, std::string_view key) {
  return object.contains(key) ? csv_field(format_real(number_of(object, key))) : std::string();
}

std::string csv_counter(const json& record, std::string_view key) {
  return csv_number(object_of(record, "counters"), key);
}

std::string csv_measure(double value) {
  return value < 0 ? std::string() : csv_field(format_real(value));
}

std::string csv_claimed(const json& record) {
  const json& determinism = object_of(record, "determinism");
  if (!determinism.contains("claimed")) return "";
  return flag_of(determinism, "claimed", false) ? "deterministic" : "may differ";
}

std::string csv_observed(const json& record) {
  const std::string word = observed_word(record);
  return word == "-" ? std::string() : word;
}

const std::vector<CsvColumn>& csv_columns() {
  static const std::vector<CsvColumn> columns{
      {"case_id", [](const json& r) { return csv_text(text_of(r, "case_id")); }},
      {"status", [](const json& r) { return csv_text(text_of(r, "status")); }},
      {"op", [](const json& r) { return csv_text(text_of(r, "op")); }},
      {"provider", [](const json& r) { return csv_text(text_of(r, "provider")); }},
      {"algorithm", [](const json& r) { return csv_text(text_of(r, "algorithm")); }},
      {"variant", [](const json& r) { return csv_text(text_of(r, "variant")); }},
      {"config", [](const json& r) { return csv_text(text_of(r, "config")); }},
      {"device", [](const json& r) { return csv_text(text_of(r, "device")); }},
      {"label", [](const json& r) { return csv_text(text_of(r, "label")); }},
      {"count", [](const json& r) { return csv_number(r, "count"); }},
      {"recipe", [](const json& r) { return csv_text(text_of(r, "recipe")); }},
      {"seed", [](const json& r) { return csv_number(r, "seed"); }},
      {"bound_utilisation", [](const json& r) { return csv_measure(worst_utilisation(r)); }},
      {"max_abs", [](const json& r) { return csv_measure(largest_accuracy(r, "max_abs")); }},
      {"max_rel", [](const json& r) { return csv_measure(largest_accuracy(r, "max_rel")); }},
      {"max_ulp", [](const json& r) { return csv_measure(largest_accuracy(r, "max_ulp")); }},
      {"detectability", [](const json& r) { return csv_measure(least_detectability(r)); }},
      {"claimed", csv_claimed},
      {"determinism", csv_observed},
      {"probes", [](const json& r) { return csv_text(probes_text(r)); }},
      {"median_ns", [](const json& r) { return csv_number(object_of(r, "timing"), "median_ns"); }},
      {"gflops", [](const json& r) { return csv_number(object_of(r, "throughput"), "gflops"); }},
      {"gbytes_s",
       [](const json& r) { return csv_number(object_of(r, "throughput"), "gbytes_s"); }},
      {"global_sectors_requested",
       [](const json& r) { return csv_counter(r, "global_sectors_requested"); }},
      {"global_sectors_used", [](const json& r) { return csv_counter(r, "global_sectors_used"); }},
      {"shared_wavefronts", [](const json& r) { return csv_counter(r, "shared_wavefronts"); }},
      {"shared_conflicts", [](const json& r) { return csv_counter(r, "shared_conflicts"); }},
      {"barriers", [](const json& r) { return csv_counter(r, "barriers"); }},
      {"atomics", [](const json& r) { return csv_counter(r, "atomics"); }},
      {"mma", [](const json& r) { return csv_counter(r, "mma"); }},
      {"timing_method",
       [](const json& r) { return csv_text(text_of(object_of(r, "timing"), "method")); }},
      {"workspace_bytes", [](const json& r) { return csv_number(r, "workspace_bytes"); }},
      {"reason", [](const json& r) { return csv_text(text_of(r, "reason")); }},
      {"case", [](const json& r) { return csv_text(text_of(r, "case")); }},
      {"repro", [](const json& r) { return csv_text(text_of(r, "repro")); }},
  };
  return columns;
}

}  // namespace

std::string csv_heading() {
  std::vector<std::string> names;
  for (const CsvColumn& column : csv_columns()) names.emplace_back(column.name);
  return join(names, ",") + "\n";
}

std::string csv_row(const json& record) {
  std::vector<std::string> cells;
  for (const CsvColumn& column : csv_columns()) cells.push_back(column.field(record));
  return join(cells, ",") + "\n";
}

}  // namespace wm::report
