#pragma once
// What the verbs share: each adds its subcommand and leaves a function that runs it.
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "config/plan.hpp"
#include "registry/catalog_set.hpp"
#include "runner/runner.hpp"

namespace wm {

struct Context {
  const CatalogSet& catalogs;
  std::vector<std::string> command;  ///< argv
  std::function<int()> action;       ///< set by the verb that was chosen; returns the exit code
};

void add_list(CLI::App& app, Context& context);
void add_expand(CLI::App& app, Context& context);
/// run, verify, bench, audit.
void add_run(CLI::App& app, Context& context);
void add_explain(CLI::App& app, Context& context);
void add_tree(CLI::App& app, Context& context);
void add_probe(CLI::App& app, Context& context);
void add_report(CLI::App& app, Context& context);
void add_merge(CLI::App& app, Context& context);
void add_compare(CLI::App& app, Context& context);
void add_import(CLI::App& app, Context& context);
void add_selfcheck(CLI::App& app, Context& context);

/// Where a verb's cases come from: CONFIG..., --case, --library, --set.
struct PlanOptions {
  std::vector<std::string> configs;
  std::vector<std::string> cases;
  std::vector<std::string> sets;
  std::string library;  ///< covering or all: of everything compiled

  void add_to(CLI::App& verb);
  /// Reads the plan and checks its algorithm names. Throws UsageError when there is neither config
  /// nor case, or both.
  Plan read(const CatalogSet& catalogs) const;
};

/// --device and --emu-arch of the verbs that look at one case.
void add_device_options(CLI::App& verb, std::string& device, std::string& emu_arch);
/// "key=value" as a pair; throws UsageError.
std::pair<std::string, std::string> split_assignment(const std::string& text);
/// Throws UsageError naming the allowed words.
void check_word(const std::string& what, const std::string& word,
                const std::vector<std::string>& allowed);
/// Comma-separated words, each checked.
std::vector<std::string> split_words(const std::string& what, const std::string& text,
                                     const std::vector<std::string>& allowed);
/// Throws UsageError naming those that exist.
void check_emu_arch(const std::string& name);

}  // namespace wm
