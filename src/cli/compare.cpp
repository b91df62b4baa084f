// warpmark compare: verdicts between two stored reports.
#include "cli/compare.hpp"

#include <filesystem>
#include <iostream>

#include "cli/exit_code.hpp"
#include "cli/verb.hpp"
#include "compare/render.hpp"
#include "core/error.hpp"
#include "runner/environment.hpp"

namespace wm {
namespace {

struct CompareVerb {
  std::string base, fresh, format = "text", reason, out;
  GateFiles files;
  bool accept = false;

  void add_to(CLI::App& verb);
  int run() const;

 private:
  void check() const;
  void write_accepted(compare::Comparison& comparison, compare::Accepted target,
                      const std::string& file) const;
};

void CompareVerb::add_to(CLI::App& verb) {
  verb.add_option("BASE", base, "The older report: records.jsonl of a run, or its folder")
      ->type_name("")
      ->required();
  verb.add_option("NEW", fresh, "The report that is judged")->type_name("")->required();
  verb.add_option("--format", format, "text, json or md (Markdown)")->capture_default_str();
  files.add_to(verb);
  verb.add_flag("--accept", accept,
                "Add every change but a worse status to the file of intended changes");
  verb.add_option("--reason", reason, "Why the changes are intended; needed by --accept");
  verb.add_option("-o,--output", out,
                  "File that --accept writes, merged with what is there (default: that of "
                  "--accepted, else accepted.json)")
      ->type_name("FILE");
  verb.footer(
      "Exit code: 0 no change that counts; 1 worse status, or unaccepted change of a digest, tree\n"
      "or claim, or a quarantined case that passes; 2 usage, or a file that is no report;\n"
      "3 regression of coverage, error, counter or workspace; 4 nothing but cross-environment;\n"
      "6 nothing matched. Precedence 2 > 1 > 4 > 3 > 6 > 0.");
}

void CompareVerb::check() const {
  check_word("--format", format, {"text", "json", "md"});
  const bool blank = reason.find_first_not_of(" \t\r\n") == std::string::npos;
  if (accept && blank)
    throw UsageError("--accept needs --reason TEXT: why is the change intended?");
  if (!accept && !reason.empty()) throw UsageError("--reason is for --accept");
  if (!accept && !out.empty()) throw UsageError("-o is for --accept; redirect standard output");
}

void CompareVerb::write_accepted(compare::Comparison& comparison, compare::Accepted target,
                                 const std::string& file) const {
  const std::size_t count =
      compare::accept_changes(comparison, target, reason, "warpmark " + tool_version());
  target.write(file);
  std::cerr << "accepted " << count << " changes: " << file << "\n";
}

int CompareVerb::run() const {
  check();
  compare::Options options = files.read();
  const std::string target = !out.empty()              ? out
                             : !files.accepted.empty() ? files.accepted
                                                       : "accepted.json";
  compare::Accepted merged;
  if (accept && std::filesystem::exists(target)) merged = compare::Accepted::read(target);
  compare::Comparison comparison = compare::compare_reports(base, fresh, std::move(options));
  if (accept) write_accepted(comparison, std::move(merged), target);
  const int code = exit_code_of(comparison.outcome());
  if (format == "text") compare::write_text(std::cout, comparison);
  if (format == "md") compare::write_markdown(std::cout, comparison);
  if (format == "json") compare::write_json(std::cout, comparison, code);
  return code;
}

}  // namespace

void GateFiles::add_to(CLI::App& verb) {
  verb.add_option("--thresholds", thresholds,
                  "How far numbers may move (configs/schema/thresholds.schema.json)")
      ->type_name("FILE");
  verb.add_option("--quarantine", quarantine,
                  "Cases known to be bad for a while (configs/schema/quarantine.schema.json)")
      ->type_name("FILE");
  verb.add_option("--accepted", accepted,
                  "Intended changes that were reviewed (configs/schema/accepted.schema.json)")
      ->type_name("FILE");
}

compare::Options GateFiles::read() const {
  compare::Options options;
  if (!thresholds.empty()) options.thresholds = compare::Thresholds::read(thresholds);
  if (!quarantine.empty()) {
    options.quarantine = compare::Quarantine::read(quarantine, compare::today_utc());
  }
  if (!accepted.empty()) options.accepted = compare::Accepted::read(accepted);
  return options;
}

int compare_with_baseline(const std::string& base, const std::string& fresh,
                          compare::Options options, std::ostream& out) {
  const compare::Comparison comparison = compare::compare_reports(base, fresh, std::move(options));
  compare::write_text(out, comparison);
  return exit_code_of(comparison.outcome());
}

void add_compare(CLI::App& app, Context& context) {
  auto options = std::make_shared<CompareVerb>();
  CLI::App* verb = app.add_subcommand("compare", "Verdicts between two stored reports");
  options->add_to(*verb);
  verb->callback([options, &context] { context.action = [options] { return options->run(); }; });
}

}  // namespace wm
