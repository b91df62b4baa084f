#include "report/html_parts.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "report/escape.hpp"
#include "report/markdown_parts.hpp"
#include "report/page_assets.hpp"
#include "report/policy.hpp"
#include "report/text.hpp"

namespace wm::report {
namespace {

using json = nlohmann::ordered_json;

/// Text of a user: literal, and unable to reverse the text around it.
std::string bdi(std::string_view text) { return "<bdi>" + html_escape(text) + "</bdi>"; }

std::string badge(const std::string& status) {
  return "<span class=\"badge\" data-status=\"" + html_escape(status) + "\">" +
         html_escape(status) + "</span>";
}

std::string repro_html(const std::string& repro) {
  return "<div class=\"repro\"><code>" + html_escape(repro) +
         "</code><button type=\"button\" class=\"copy\" hidden>Copy</button></div>\n";
}

/// First cell of a row about an algorithm.
std::string algorithm_cell(const Rollup::AlgorithmKey& key) {
  return bdi(key.first) + " / " + bdi(key.second);
}

struct HtmlColumn {
  std::string title;
  bool number = false;
};

std::string html_table(const std::string& label, const std::vector<HtmlColumn>& columns,
                       const std::vector<std::vector<std::string>>& rows) {
  std::string text = "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" +
                     html_escape(label) + "\">\n<table class=\"plain\">\n<thead><tr>";
  for (const HtmlColumn& column : columns) {
    text += std::string("<th scope=\"col\"") + (column.number ? " class=\"num\"" : "") + ">" +
            html_escape(column.title) + "</th>";
  }
  text += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += i == 0 ? "<th scope=\"row\">" + row[i] + "</th>"
                     : std::string("<td") + (columns[i].number ? " class=\"num\"" : "") + ">" +
                           row[i] + "</td>";
    }
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table>\n</div>\n";
}

std::string tile(const std::string& name, const std::string& value,
                 const std::string& status = "") {
  const std::string inside = "<b>" + value + "</b><span>" + html_escape(name) + "</span>";
  if (status.empty()) return "<div class=\"tile\">" + inside + "</div>\n";
  return "<a class=\"tile\" href=\"#records\" data-status=\"" + html_escape(status) + "\">" +
         inside + "</a>\n";
}

std::string tiles(const Rollup& rollup) {
  std::string text = "<div class=\"tiles\">\n" + tile("records", std::to_string(rollup.records()));
  for (const auto& [status, count] : rollup.by_status()) {
    text += tile(status, std::to_string(count), status);
  }
  double worst = -1;
  std::int64_t probed = 0, differed = 0;
  for (const auto& key : rollup.algorithm_order()) {
    const AlgorithmRow& each = rollup.algorithm(key);
    worst = std::max(worst, each.worst_utilisation);
    probed += each.probed;
    differed += each.differed;
  }
  text += tile("algorithms", std::to_string(rollup.algorithm_order().size()));
  if (worst >= 0) text += tile("largest error / bound", short_number(worst));
  if (probed > 0) {
    text += tile("records seen to differ, of " + std::to_string(probed), std::to_string(differed));
  }
  if (rollup.has_summary()) {
    text += tile("wall time", duration(number_of(rollup.summary(), "wall_s") * 1e9));
  }
  return text + "</div>\n";
}

std::string page_links(const Rollup& rollup) {
  std::string text = "<nav aria-label=\"Sections\">";
  const auto link = [&](const std::string& id, const std::string& name, bool exists) {
    if (exists) text += "<a href=\"#" + id + "\">" + name + "</a>\n";
  };
  link("findings", "Findings", true);
  link("algorithms", "Algorithms", true);
  link("determinism", "Determinism", !rollup.probe_names().empty());
  link("networks", "Network totals", !rollup.network_totals().empty());
  link("records", "Records", true);
  link("environment", "Environment", true);
  return text + "</nav>\n";
}

std::string measure(double value) { return value < 0 ? "-" : short_number(value); }

/// Statuses of the records in the order of their gravity, as columns of the table of algorithms.
std::vector<std::string> status_columns(const Rollup& rollup) {
  std::vector<std::string> columns{"passed"};
  for (const auto& [status, count] : rollup.by_status()) {
    if (status != "passed") columns.push_back(status);
  }
  return columns;
}

std::string algorithm_table(const Rollup& rollup) {
  const std::string label = rollup.emulated() ? ", emulated" : "";
  const std::vector<std::string> statuses = status_columns(rollup);
  std::vector<HtmlColumn> columns{{"op / algorithm"}, {"records", true}};
  for (const std::string& status : statuses) columns.push_back({status, true});
  for (const HtmlColumn& column :
       {HtmlColumn{"max abs error", true}, HtmlColumn{"max ulp", true},
        HtmlColumn{"error / bound", true}, HtmlColumn{"claimed"}, HtmlColumn{"observed"},
        HtmlColumn{"best GFLOP/s" + label, true}, HtmlColumn{"best GB/s" + label, true}}) {
    columns.push_back(column);
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& key : rollup.algorithm_order()) {
    const AlgorithmRow& each = rollup.algorithm(key);
    const bool timed = each.best_gflops > 0 || each.best_gbytes_s > 0;
    std::vector<std::string>& row = rows.emplace_back();
    row = {algorithm_cell(key), std::to_string(each.records)};
    for (const std::string& status : statuses)
      row.push_back(std::to_string(count_of(each, status)));
    row.insert(row.end(), {measure(each.max_abs), measure(each.max_ulp),
                           measure(each.worst_utilisation), claimed_text(each), observed_text(each),
                           timed ? short_number(each.best_gflops) : "-",
                           timed ? short_number(each.best_gbytes_s) : "-"});
  }
  return html_table("Algorithms", columns, rows);
}

/// Colour of a cell of the determinism matrix.
std::string probe_cell(const AlgorithmRow& algorithm, const std::string& probe) {
  const std::string text = probe_text(algorithm, probe);
  const std::string kind = text.starts_with("differs") ? "differs"
                           : text.starts_with("same")  ? "same"
                                                       : "none";
  return "<span class=\"probe\" data-verdict=\"" + kind + "\">" + text + "</span>";
}

/// The elements of a list in the summary.
json summary_list(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : json::array();
}

std::string variant_findings(const Rollup& rollup) {
  if (!rollup.has_summary()) return "";
  std::string items;
  for (const json& item : summary_list(object_of(rollup.summary(), "coverage"), "below_min")) {
    items += "<li>below the required passes: " + bdi(text_of(item, "variant")) + " (" +
             short_number(number_of(item, "passed")) + ")</li>\n";
  }
  for (const json& item : summary_list(object_of(rollup.summary(), "mistrusted"), "listed")) {
    items +=
        "<li>mistrusted, no gate could have seen a lost term: " + bdi(text_of(item, "variant")) +
        repro_html(text_of(item, "repro")) + "</li>\n";
  }
  for (const json& item : summary_list(rollup.summary(), "nondeterminism_not_observed")) {
    if (!item.is_string()) continue;
    items += "<li>claims to be nondeterministic, never observed to differ: " +
             bdi(item.get<std::string>()) + "</li>\n";
  }
  return items.empty() ? "" : "<h3>Variants</h3>\n<ul class=\"variants\">\n" + items + "</ul>\n";
}

}  // namespace

std::string html_head(const Rollup& rollup) {
  const std::string name = text_of(rollup.header(), "name");
  return "<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri "
         "'none'; form-action 'none'; script-src " +
         policy_hash(kPageScript) + "; style-src " + policy_hash(kPageStyle) +
         "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
         html_escape("warpmark report" + (name.empty() ? "" : ": " + name)) + "</title>\n<style>" +
         std::string(kPageStyle) + "</style>\n</head>\n";
}

std::string html_top(const Rollup& rollup) {
  const json& device = object_of(object_of(rollup.header(), "environment"), "device");
  const std::string name = text_of(rollup.header(), "name");
  std::string text = "<header>\n<h1>warpmark report" +
                     (name.empty() ? std::string() : ": " + bdi(name)) + "</h1>\n";
  if (flag_of(device, "emulated", false)) {
    text += "<p>Device " + bdi(text_of(device, "id")) +
            ": kernels ran on the SIMT emulator, posing as " + bdi(text_of(device, "name")) +
            ". Results and determinism are real; times are <strong>emulated</strong> and no "
            "GPU's.</p>\n";
  } else if (device.contains("name")) {
    text +=
        "<p>Device " + bdi(text_of(device, "id")) + ": " + bdi(text_of(device, "name")) + "</p>\n";
  }
  if (!rollup.has_summary()) {
    text += "<p class=\"warning\">The report has no summary line: the run was cut short.</p>\n";
  } else if (flag_of(rollup.summary(), "interrupted", false)) {
    text +=
        "<p class=\"warning\">The run was interrupted; these are the records that finished."
        "</p>\n";
  }
  return text + tiles(rollup) + page_links(rollup) + "</header>\n";
}

std::string html_findings(const Rollup& rollup) {
  std::string text = "<section id=\"findings\" tabindex=\"-1\">\n<h2>Findings</h2>\n";
  const std::vector<RedLine> lines = rollup.red_lines();
  if (lines.empty()) text += "<p class=\"good\">No record failed.</p>\n";
  for (const RedLine& line : lines) {
    text += "<article class=\"finding\" data-status=\"" + html_escape(line.status) + "\">\n<h3>" +
            badge(line.status) + " " + bdi(line.variant) + "</h3>\n<p class=\"problem\">" +
            bdi(line.problem) +
            (line.label.empty() ? "" : " <span class=\"label\">" + bdi(line.label) + "</span>") +
            "</p>\n<p>" + bdi(line.reason) + "</p>\n" +
            (line.worst.empty() ? "" : "<p class=\"worst\">" + bdi(line.worst) + "</p>\n") +
            repro_html(line.repro) + "</article>\n";
  }
  const auto listed = static_cast<std::int64_t>(lines.size());
  if (rollup.red_count() > listed) {
    text += "<p class=\"note\">and " + std::to_string(rollup.red_count() - listed) +
            " more in records.jsonl</p>\n";
  }
  return text + variant_findings(rollup) + "</section>\n";
}

std::string html_algorithms(const Rollup& rollup) {
  return "<section id=\"algorithms\">\n<h2>Algorithms</h2>\n" + algorithm_table(rollup) +
         "</section>\n";
}

std::string html_determinism(const Rollup& rollup) {
  if (rollup.probe_names().empty()) return "";
  std::vector<HtmlColumn> columns{{"op / algorithm"}, {"claimed"}};
  for (const std::string& probe : rollup.probe_names()) columns.push_back({probe});
  std::vector<std::vector<std::string>> rows;
  for (const auto& key : rollup.algorithm_order()) {
    const AlgorithmRow& each = rollup.algorithm(key);
    if (each.probed == 0) continue;
    rows.push_back({algorithm_cell(key), claimed_text(each)});
    for (const std::string& probe : rollup.probe_names())
      rows.back().push_back(probe_cell(each, probe));
  }
  return "<section id=\"determinism\">\n<h2>Determinism</h2>\n<p>Records in which each probe saw "
         "the same bits, by algorithm. A claim is tested, never copied.</p>\n" +
         html_table("Determinism by probe", columns, rows) + "</section>\n";
}

std::string html_networks(const Rollup& rollup) {
  std::vector<std::vector<std::string>> rows;
  for (const NetworkTotal& total : rollup.network_totals()) {
    rows.push_back({bdi(total.network),
                    total.algorithm.empty() ? "<b>best of each layer</b>" : bdi(total.algorithm),
                    std::to_string(total.layers) + " of " + std::to_string(total.of_layers),
                    std::to_string(total.calls),
                    total.whole() ? duration(total.total_ns) : "- (layers missing)"});
  }
  if (rows.empty()) return "";
  return "<section id=\"networks\">\n<h2>Network totals</h2>\n<p>Each layer's median time "
         "multiplied by how often it occurs" +
         std::string(rollup.emulated() ? "; times are emulated and say nothing about a GPU" : "") +
         ".</p>\n" +
         html_table("Network totals",
                    {{"op"}, {"algorithm"}, {"layers", true}, {"calls", true}, {"total", true}},
                    rows) +
         "</section>\n";
}

std::string html_environment(const Rollup& rollup) {
  std::string text = "<section id=\"environment\">\n<h2>Environment</h2>\n<dl>\n";
  for (const auto& [name, value] : environment_leaves(rollup)) {
    text += "<dt>" + bdi(name) + "</dt><dd>" + bdi(value) + "</dd>\n";
  }
  text += "</dl>\n";
  const std::string command = command_text(rollup);
  if (!command.empty()) text += "<h3>Command</h3>\n" + repro_html(command);
  return text + "</section>\n";
}

std::string html_script() { return "<script>" + std::string(kPageScript) + "</script>\n"; }

std::string html_record(const json& record) {
  constexpr std::size_t kWorstShown = 3;
  json shown = record;
  for (const char* key : {"schema", "case", "attempts"}) shown.erase(key);
  shown["problem"] = short_problem(record);
  if (shown.contains("accuracy") && shown["accuracy"].is_object()) {
    for (json& tensor : shown["accuracy"]) {
      if (!tensor.is_object()) continue;
      tensor.erase("ulp_histogram");
      const auto worst = tensor.find("worst");
      if (worst != tensor.end() && worst->is_array() && worst->size() > kWorstShown)
        worst->erase(worst->begin() + kWorstShown, worst->end());
    }
  }
  return shown.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace wm::report
