#pragma once
// Sections of the Markdown report, in items that may be left out one by one where space is limited.
#include <string>
#include <vector>

#include "report/rollup.hpp"

namespace wm::report {

/// "| a | b |\n".
std::string md_row(const std::vector<std::string>& cells);
std::string md_heading(const std::vector<std::string>& cells);

/// Title, and what emulated results mean.
std::string md_title(const Rollup& rollup);
std::string md_summary(const Rollup& rollup);
/// Findings about variants that no single record shows.
std::vector<std::string> md_coverage(const Rollup& rollup);
/// A finding an item, the gravest first. A repro longer than 8 kB is named, not shown.
std::vector<std::string> md_findings(const Rollup& rollup);
/// Heading lines of the table of algorithms, then a row an algorithm.
std::vector<std::string> md_algorithms(const Rollup& rollup);
/// What each probe saw of each algorithm; empty where none ran.
std::vector<std::string> md_determinism(const Rollup& rollup);
/// A row a kernel of the records that were counted; empty where none was.
std::vector<std::string> md_counters(const Rollup& rollup);
/// Sum over the layers of count x median time; empty where the records are of no network.
std::vector<std::string> md_networks(const Rollup& rollup);
std::vector<std::string> md_environment(const Rollup& rollup);

/// "deterministic", "may differ", "may differ in 4 of 26", "-".
std::string claimed_text(const AlgorithmRow& algorithm);
/// "same in all 26", "differs in 1 of 26", "-".
std::string observed_text(const AlgorithmRow& algorithm);
/// "same 26", "differs 1 of 20, not run 6", "not run".
std::string probe_text(const AlgorithmRow& algorithm, const std::string& probe);
/// Records of the algorithm with a status.
std::int64_t count_of(const AlgorithmRow& algorithm, const std::string& status);
/// The command line of the run; empty where the header has none.
std::string command_text(const Rollup& rollup);
/// Leaves of the environment as ("host.cpu", "...").
std::vector<std::pair<std::string, std::string>> environment_leaves(const Rollup& rollup);

}  // namespace wm::report
