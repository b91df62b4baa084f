#include "report/markdown_parts.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "report/escape.hpp"
#include "report/text.hpp"

namespace wm::report {
namespace {

using json = nlohmann::ordered_json;

// Longest texts of users in the prose of a report; records.jsonl has them whole.
constexpr std::size_t kLongestLabel = 200, kLongestReason = 1000, kLongestRepro = 8192;

std::string short_label(const std::string& text) {
  return md_escape(cut_text(text, kLongestLabel));
}

std::string repro_block(const std::string& repro) {
  if (repro.size() <= kLongestRepro) return md_code_block(repro);
  return "The repro has " + std::to_string(repro.size()) + " bytes: see records.jsonl.\n";
}

void add_leaves(const json& value, const std::string& name,
                std::vector<std::pair<std::string, std::string>>& leaves) {
  if (value.is_object()) {
    for (const auto& [key, child] : value.items()) {
      add_leaves(child, name.empty() ? key : name + "." + key, leaves);
    }
    return;
  }
  leaves.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
}

/// The elements of a list in the summary.
json listed(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : json::array();
}

}  // namespace

std::string md_row(const std::vector<std::string>& cells) {
  return "| " + join(cells, " | ") + " |\n";
}

std::string md_heading(const std::vector<std::string>& cells) {
  return md_row(cells) + md_row(std::vector<std::string>(cells.size(), "---"));
}

std::string md_title(const Rollup& rollup) {
  const std::string name = text_of(rollup.header(), "name");
  std::string text = "# warpmark report" + (name.empty() ? "" : ": " + short_label(name)) + "\n\n";
  const json& device = object_of(object_of(rollup.header(), "environment"), "device");
  if (flag_of(device, "emulated", false)) {
    text += "Device `emu`: kernels ran on the SIMT emulator (as " +
            short_label(text_of(device, "name")) +
            "). Results and determinism are real; times are **emulated** and no GPU's.\n\n";
  }
  return text;
}

std::string md_summary(const Rollup& rollup) {
  std::string text = "## Summary\n\n" + md_heading({"status", "records"});
  for (const auto& [status, count] : rollup.by_status()) {
    text += md_row({short_label(status), std::to_string(count)});
  }
  text += md_row({"**all**", std::to_string(rollup.records())}) + "\n";
  const json& summary = rollup.summary();
  if (!rollup.has_summary()) {
    return text + "**The report has no summary line: the run was cut short.**\n\n";
  }
  if (flag_of(summary, "interrupted", false)) {
    text += "**The run was interrupted; the records above are those that finished.**\n\n";
  }
  return text + "Wall time " + duration(number_of(summary, "wall_s") * 1e9) + ".\n\n";
}

std::vector<std::string> md_coverage(const Rollup& rollup) {
  std::vector<std::string> items;
  if (!rollup.has_summary()) return items;
  const json& summary = rollup.summary();
  const json& coverage = object_of(summary, "coverage");
  items.push_back("Variants with at least one passing record: " +
                  short_number(number_of(coverage, "variants_passed")) + " of " +
                  short_number(number_of(coverage, "variants")) + ".\n\n");
  for (const json& item : listed(coverage, "below_min")) {
    items.push_back("- below the required passes: " + short_label(text_of(item, "variant")) + " (" +
                    short_number(number_of(item, "passed")) + ")\n");
  }
  for (const json& item : listed(object_of(summary, "mistrusted"), "listed")) {
    items.push_back("- mistrusted, no gate could have seen a lost term: " +
                    short_label(text_of(item, "variant")) + "\n\n" +
                    repro_block(text_of(item, "repro")));
  }
  for (const json& item : listed(summary, "nondeterminism_not_observed")) {
    if (!item.is_string()) continue;
    items.push_back("- claims to be nondeterministic, never observed to differ: " +
                    short_label(item.get<std::string>()) + "\n");
  }
  return items;
}

std::vector<std::string> md_findings(const Rollup& rollup) {
  std::vector<std::string> items;
  for (const RedLine& line : rollup.red_lines()) {
    items.push_back("- **" + md_escape(line.status) + "** " + short_label(line.variant) +
                    (line.label.empty() ? "" : " (" + short_label(line.label) + ")") + ": " +
                    short_label(line.problem) + "; " +
                    md_escape(cut_text(line.reason, kLongestReason)) + "\n\n" +
                    repro_block(line.repro) + "\n");
  }
  return items;
}

std::int64_t count_of(const AlgorithmRow& algorithm, const std::string& status) {
  const auto found = algorithm.by_status.find(status);
  return found == algorithm.by_status.end() ? 0 : found->second;
}

std::string claimed_text(const AlgorithmRow& algorithm) {
  if (algorithm.probed == 0) return "-";
  if (algorithm.claimed == algorithm.probed) return "deterministic";
  return algorithm.claimed == 0
             ? "may differ"
             : "may differ in " + std::to_string(algorithm.probed - algorithm.claimed) + " of " +
                   std::to_string(algorithm.probed);
}

std::string observed_text(const AlgorithmRow& algorithm) {
  if (algorithm.probed == 0) return "-";
  if (algorithm.differed == 0) return "same in all " + std::to_string(algorithm.probed);
  return "differs in " + std::to_string(algorithm.differed) + " of " +
         std::to_string(algorithm.probed);
}

std::string probe_text(const AlgorithmRow& algorithm, const std::string& probe) {
  const auto found = algorithm.probes.find(probe);
  if (found == algorithm.probes.end()) return "-";
  const ProbeRow& row = found->second;
  const std::int64_t ran = row.same + row.differs;
  if (ran == 0) return "not run";
  const std::string text =
      row.differs == 0 ? "same " + std::to_string(row.same)
                       : "differs " + std::to_string(row.differs) + " of " + std::to_string(ran);
  return row.not_run == 0 ? text : text + ", not run " + std::to_string(row.not_run);
}

std::vector<std::string> md_algorithms(const Rollup& rollup) {
  const std::string label = rollup.emulated() ? " (emulated)" : "";
  std::vector<std::string> items{md_heading(
      {"op", "algorithm", "records", "passed", "failed", "unsupported", "skipped", "other",
       "worst error / bound", "claimed", "observed", "best GFLOP/s" + label, "best GB/s" + label})};
  for (const auto& key : rollup.algorithm_order()) {
    const AlgorithmRow& each = rollup.algorithm(key);
    const std::int64_t passed = count_of(each, "passed"), failed = count_of(each, "failed");
    const std::int64_t unsupported = count_of(each, "unsupported");
    const std::int64_t skipped = count_of(each, "skipped");
    const bool timed = each.best_gflops > 0 || each.best_gbytes_s > 0;
    items.push_back(md_row(
        {short_label(key.first), short_label(key.second), std::to_string(each.records),
         std::to_string(passed), std::to_string(failed), std::to_string(unsupported),
         std::to_string(skipped),
         std::to_string(each.records - passed - failed - unsupported - skipped),
         each.worst_utilisation < 0 ? "-" : short_number(each.worst_utilisation),
         claimed_text(each), observed_text(each), timed ? short_number(each.best_gflops) : "-",
         timed ? short_number(each.best_gbytes_s) : "-"}));
  }
  return items;
}

std::vector<std::string> md_determinism(const Rollup& rollup) {
  if (rollup.probe_names().empty()) return {};
  std::vector<std::string> head{"op", "algorithm", "claimed"};
  for (const std::string& probe : rollup.probe_names()) head.push_back(short_label(probe));
  std::vector<std::string> items{md_heading(head)};
  for (const auto& key : rollup.algorithm_order()) {
    const AlgorithmRow& each = rollup.algorithm(key);
    if (each.probed == 0) continue;
    std::vector<std::string> cells{short_label(key.first), short_label(key.second),
                                   claimed_text(each)};
    for (const std::string& probe : rollup.probe_names()) cells.push_back(probe_text(each, probe));
    items.push_back(md_row(cells));
  }
  return items;
}

std::vector<std::string> md_counters(const Rollup& rollup) {
  if (rollup.counter_rows().empty()) return {};
  std::vector<std::string> items{
      "Sums over a case's launches of a kernel; what they mean: docs/counters.md.\n\n" +
      md_heading({"variant", "problem", "kernel", "sectors", "used %", "wavefronts", "conflicts",
                  "lanes a request", "barriers", "atomics", "mma"})};
  for (const CounterRow& each : rollup.counter_rows()) {
    const auto count = [&](const char* name) { return format_real(number_of(each.kernel, name)); };
    items.push_back(
        md_row({short_label(each.variant), short_label(each.problem),
                short_label(text_of(each.kernel, "kernel")), count("global_sectors_requested"),
                short_number(used_percent(each.kernel)), count("shared_wavefronts"),
                count("shared_conflicts"), short_number(lanes_a_request(each.kernel)),
                count("barriers"), count("atomics"), count("mma")}));
  }
  const auto listed = static_cast<std::int64_t>(rollup.counter_rows().size());
  if (rollup.counted_kernels() > listed)
    items.push_back("\nand " + std::to_string(rollup.counted_kernels() - listed) +
                    " more in records.jsonl\n");
  return items;
}

std::vector<std::string> md_networks(const Rollup& rollup) {
  const std::vector<NetworkTotal> totals = rollup.network_totals();
  if (totals.empty()) return {};
  std::vector<std::string> items{
      "Each layer's median time multiplied by how often it occurs" +
      std::string(rollup.emulated() ? "; times are emulated and say nothing about a GPU" : "") +
      ".\n\n" + md_heading({"op", "algorithm", "layers", "calls", "total"})};
  for (const NetworkTotal& total : totals) {
    items.push_back(
        md_row({short_label(total.network),
                total.algorithm.empty() ? "*best of each layer*" : short_label(total.algorithm),
                std::to_string(total.layers) + " of " + std::to_string(total.of_layers),
                std::to_string(total.calls),
                total.whole() ? duration(total.total_ns) : "- (layers missing)"}));
  }
  return items;
}

std::string command_text(const Rollup& rollup) {
  const auto command = rollup.header().find("command");
  if (command == rollup.header().end()) return "";
  std::vector<std::string> words;
  for (const json& word : *command) {
    words.push_back(shell_word(word.is_string() ? word.get<std::string>() : word.dump()));
  }
  return join(words, " ");
}

std::vector<std::pair<std::string, std::string>> environment_leaves(const Rollup& rollup) {
  std::vector<std::pair<std::string, std::string>> leaves;
  const std::string hash = text_of(rollup.header(), "plan_hash");
  if (!hash.empty()) leaves.emplace_back("plan hash", hash);
  add_leaves(object_of(rollup.header(), "environment"), "", leaves);
  return leaves;
}

std::vector<std::string> md_environment(const Rollup& rollup) {
  std::vector<std::string> items;
  for (const auto& [name, value] : environment_leaves(rollup)) {
    items.push_back("- " + md_escape(name) + ": " + md_escape(value) + "\n");
  }
  const std::string command = command_text(rollup);
  if (!command.empty()) items.push_back("\n" + md_code_block(command));
  return items;
}

}  // namespace wm::report
