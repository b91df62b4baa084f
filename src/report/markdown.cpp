#include <algorithm>
#include <set>

#include "core/text.hpp"
#include "report/render.hpp"
#include "report/text.hpp"

namespace wm::report {
namespace {

using json = nlohmann::ordered_json;

std::string row(const std::vector<std::string>& cells) {
  return "| " + join(cells, " | ") + " |\n";
}

std::string heading(const std::vector<std::string>& cells) {
  return row(cells) + row(std::vector<std::string>(cells.size(), "---"));
}

/// The word as a POSIX shell reads it back.
std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string command_text(const Rollup& rollup) {
  const auto command = rollup.header().find("command");
  if (command == rollup.header().end()) return "";
  std::vector<std::string> words;
  for (const json& word : *command)
    words.push_back(shell_word(word.is_string() ? word.get<std::string>() : word.dump()));
  return join(words, " ");
}

std::string summary_section(const Rollup& rollup) {
  std::string text = "## Summary\n\n" + heading({"status", "records"});
  for (const auto& [status, count] : rollup.by_status()) {
    text += row({md_escape(status), std::to_string(count)});
  }
  text += row({"**all**", std::to_string(rollup.records())}) + "\n";
  const json& summary = rollup.summary();
  if (!rollup.has_summary()) {
    return text + "**The report has no summary line: the run was cut short.**\n\n";
  }
  if (summary.value("interrupted", false)) {
    text += "**The run was interrupted; the records above are those that finished.**\n\n";
  }
  text += "Wall time " + duration(number_of(summary, "wall_s") * 1e9) + ".\n\n";
  return text;
}

/// Findings about variants that no single record shows.
std::string coverage_section(const Rollup& rollup) {
  if (!rollup.has_summary()) return "";
  const json& summary = rollup.summary();
  const json& coverage = object_of(summary, "coverage");
  std::string text = "Variants with at least one passing record: " +
                     short_number(number_of(coverage, "variants_passed")) + " of " +
                     short_number(number_of(coverage, "variants")) + ".\n\n";
  for (const json& item : coverage.value("below_min", json::array())) {
    text += "- below the required passes: " + md_escape(text_of(item, "variant")) + " (" +
            short_number(number_of(item, "passed")) + ")\n";
  }
  const json& mistrusted = object_of(summary, "mistrusted");
  for (const json& item : mistrusted.value("listed", json::array())) {
    text += "- mistrusted, no gate could have seen a lost term: " +
            md_escape(text_of(item, "variant")) + "\n\n" + md_code_block(text_of(item, "repro"));
  }
  for (const json& item : summary.value("nondeterminism_not_observed", json::array())) {
    text += "- claims to be nondeterministic, never observed to differ: " +
            md_escape(item.get<std::string>()) + "\n";
  }
  return text + "\n";
}

std::string red_section(const Rollup& rollup) {
  if (rollup.red_count() == 0) return "";
  std::string text = "## Findings\n\n";
  for (const RedLine& line : rollup.red_lines()) {
    text += "- **" + md_escape(line.status) + "** " + md_escape(line.variant) +
            (line.label.empty() ? "" : " (" + md_escape(line.label) + ")") + ": " +
            md_escape(line.problem) + "; " + md_escape(line.reason) + "\n\n" +
            md_code_block(line.repro) + "\n";
  }
  const auto listed = static_cast<std::int64_t>(rollup.red_lines().size());
  if (rollup.red_count() > listed) {
    text += "and " + std::to_string(rollup.red_count() - listed) + " more in records.jsonl\n\n";
  }
  return text;
}

std::int64_t count_of(const AlgorithmRow& algorithm, const char* status) {
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

std::string algorithm_section(const Rollup& rollup) {
  const std::string label = rollup.emulated() ? " (emulated)" : "";
  std::string text = "## Algorithms\n\n" +
                     heading({"op", "algorithm", "records", "passed", "failed", "unsupported",
                              "skipped", "other", "worst error / bound", "claimed", "observed",
                              "best GFLOP/s" + label, "best GB/s" + label});
  for (const auto& key : rollup.algorithm_order()) {
    const AlgorithmRow& each = rollup.algorithm(key);
    const std::int64_t passed = count_of(each, "passed"), failed = count_of(each, "failed");
    const std::int64_t unsupported = count_of(each, "unsupported");
    const std::int64_t skipped = count_of(each, "skipped");
    const bool timed = each.best_gflops > 0 || each.best_gbytes_s > 0;
    text +=
        row({md_escape(key.first), md_escape(key.second), std::to_string(each.records),
             std::to_string(passed), std::to_string(failed), std::to_string(unsupported),
             std::to_string(skipped),
             std::to_string(each.records - passed - failed - unsupported - skipped),
             each.worst_utilisation < 0 ? "-" : short_number(each.worst_utilisation),
             claimed_text(each), observed_text(each), timed ? short_number(each.best_gflops) : "-",
             timed ? short_number(each.best_gbytes_s) : "-"});
  }
  return text + "\n";
}

/// Fastest time of each layer over the algorithms.
std::map<std::string, LayerTime> best_of(const Rollup::Layers& layers) {
  std::map<std::string, LayerTime> best;
  for (const auto& [algorithm, times] : layers) {
    for (const auto& [label, time] : times) {
      const auto [at, fresh] = best.emplace(label, time);
      if (!fresh && time.median_ns < at->second.median_ns) at->second = time;
    }
  }
  return best;
}

std::string total_row(const std::string& network, const std::string& algorithm,
                      const std::map<std::string, LayerTime>& times, std::size_t layers) {
  double total = 0;
  std::int64_t calls = 0;
  for (const auto& [label, time] : times) {
    total += time.median_ns * static_cast<double>(time.count);
    calls += time.count;
  }
  const bool whole = times.size() == layers;
  return row({md_escape(network), algorithm,
              std::to_string(times.size()) + " of " + std::to_string(layers), std::to_string(calls),
              whole ? duration(total) : "- (layers missing)"});
}

/// Sum over the layers of count x median time, where the records are of a network.
std::string network_section(const Rollup& rollup) {
  if (!rollup.is_network() || rollup.networks().empty()) return "";
  std::string text =
      "## Network totals\n\nEach layer's median time multiplied by how often it occurs" +
      std::string(rollup.emulated() ? "; times are emulated and say nothing about a GPU" : "") +
      ".\n\n" + heading({"op", "algorithm", "layers", "calls", "total"});
  for (const auto& [network, layers] : rollup.networks()) {
    const auto best = best_of(layers);
    for (const auto& [algorithm, times] : layers) {
      text += total_row(network, md_escape(algorithm), times, best.size());
    }
    text += total_row(network, "*best of each layer*", best, best.size());
  }
  return text + "\n";
}

/// Leaves of an object as "a.b: value" lines.
void add_leaves(const json& value, const std::string& name, std::string& text) {
  if (value.is_object()) {
    for (const auto& [key, child] : value.items()) {
      add_leaves(child, name.empty() ? key : name + "." + key, text);
    }
    return;
  }
  text += "- " + md_escape(name) + ": " +
          md_escape(value.is_string() ? value.get<std::string>() : value.dump()) + "\n";
}

std::string environment_section(const Rollup& rollup) {
  std::string text = "## Environment\n\n";
  const std::string hash = text_of(rollup.header(), "plan_hash");
  if (!hash.empty()) text += "- plan hash: " + md_escape(hash) + "\n";
  add_leaves(object_of(rollup.header(), "environment"), "", text);
  const std::string command = command_text(rollup);
  if (!command.empty()) text += "\n" + md_code_block(command);
  return text;
}

}  // namespace

std::string markdown(const Rollup& rollup) {
  const std::string name = text_of(rollup.header(), "name");
  std::string text = "# warpmark report" + (name.empty() ? "" : ": " + md_escape(name)) + "\n\n";
  const json& device = object_of(object_of(rollup.header(), "environment"), "device");
  if (device.value("emulated", false)) {
    text += "Device `emu`: kernels ran on the SIMT emulator (as " +
            md_escape(text_of(device, "name")) +
            "). Results and determinism are real; times are **emulated** and no GPU's.\n\n";
  }
  return text + summary_section(rollup) + coverage_section(rollup) + red_section(rollup) +
         algorithm_section(rollup) + network_section(rollup) + environment_section(rollup);
}

}  // namespace wm::report
