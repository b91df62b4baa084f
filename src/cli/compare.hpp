#pragma once
// The regression gate as the verbs use it: `compare BASE NEW`, and `run --baseline FILE` once its
// report is written.
#include <CLI/CLI.hpp>
#include <ostream>
#include <string>

#include "compare/compare.hpp"

namespace wm {

/// Files that decide what counts; empty: none.
struct GateFiles {
  std::string thresholds, quarantine, accepted;

  void add_to(CLI::App& verb);
  /// Throws UsageError or ConfigError for a file that is wrong, before anything is compared.
  compare::Options read() const;
};

/// Compares the finished report `fresh` with the stored `base` (each a records.jsonl or the folder
/// of a run), writes the verdicts as text and returns the exit code of the comparison alone;
/// combine it with that of the run by combined_exit_code. Throws UsageError for a file that is no
/// report.
int compare_with_baseline(const std::string& base, const std::string& fresh,
                          compare::Options options, std::ostream& out);

}  // namespace wm
