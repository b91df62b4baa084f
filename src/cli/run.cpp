// warpmark run, verify, bench, audit.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <iostream>

#include "cli/compare.hpp"
#include "cli/exit_code.hpp"
#include "cli/golden.hpp"
#include "cli/output.hpp"
#include "cli/requirements.hpp"
#include "cli/shard.hpp"
#include "cli/verb.hpp"
#include "core/error.hpp"
#include "core/mma_model.hpp"
#include "core/text.hpp"
#include "report/text.hpp"

namespace wm {
namespace {

constexpr int kAuditRepeats = 10, kAuditSchedules = 8;

bool is_among(const std::vector<std::string>& words, const char* word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::atomic<bool> g_stop{false};

/// The first Ctrl-C closes the report, without the records being made; the second ends the process.
void on_signal(int signal) {
  g_stop = true;
  std::signal(signal, SIG_DFL);
}

/// What the end of a run says that no single record does; follows the records as they come, those
/// of an earlier part of the run too.
struct Tallies {
  compare::QuarantineTally quarantine;
  RequiredProperties required;
  GoldenDigests digests;

  void record(const nlohmann::ordered_json& record) {
    quarantine.record(report::text_of(record, "variant"), report::text_of(record, "case_id"),
                      report::text_of(record, "status"), report::text_of(record, "repro"));
    required.record(record);
    digests.add(record);
  }
};

class TallySink : public RecordSink {
 public:
  explicit TallySink(Tallies& tallies) : tallies_(tallies) {}
  void header(const nlohmann::ordered_json&) override {}
  void record(const nlohmann::ordered_json& record) override { tallies_.record(record); }
  void summary(const nlohmann::ordered_json&) override {}

 private:
  Tallies& tallies_;
};

/// From the first line of the report on, an interrupt closes it; before that there is nothing to
/// close, and it ends the process.
class SignalSink : public RecordSink {
 public:
  void header(const nlohmann::ordered_json&) override {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, on_signal);
  }
  void record(const nlohmann::ordered_json&) override {}
  void summary(const nlohmann::ordered_json&) override {}
};

struct RunVerb {
  PlanOptions plan;
  std::string stages, device = "auto", filter, emu_arch, guard, out, format, fail_on;
  std::string shard, distribute = "partition", timeout, budget, dump, baseline;
  GateFiles files;
  std::optional<int> repeats;
  unsigned jobs = 0;
  bool force = false, resume = false, no_progress = false, no_isolation = false, redact = false;
  bool count = false;
  bool audit = false, races = false;
  std::optional<int> schedules;
  std::string require, write_golden, check_golden;

  void add_audit_to(CLI::App& verb);
  void add_to(CLI::App& verb, const std::string& default_stages);
  RunOptions options(const Plan& plan) const;
  int run(const Context& context) const;

 private:
  void check() const;
  std::string shown_format() const;
  void add_sinks(FanOut& sinks, const ReportFiles& report, RunOptions& settings,
                 Tallies& tallies) const;
  int conclude(const nlohmann::ordered_json& summary, const ReportFiles& report,
               compare::Options gate, const Tallies& tallies,
               const std::vector<std::string>& failing) const;
  int check_digests(const GoldenDigests& made) const;
};

void RunVerb::add_to(CLI::App& verb, const std::string& default_stages) {
  plan.add_to(verb);
  verb.add_option(
      "--stages", stages,
      "Comma list of " + join(stage_names(), ", ") + " (default: " + default_stages + ")");
  verb.add_option("--device", device,
                  "emu (SIMT emulator), emu-race (with race detector), cuda, cuda:1, or auto: a "
                  "CUDA device if one works, else emu")
      ->capture_default_str();
  verb.add_option("--filter", filter, "Glob over variant ids, such as 'conv_*/implicit_gemm/f16*'");
  verb.add_option(
      "--emu-arch", emu_arch,
      "GPU the emulator poses as (" + join(emu_arch_names(), ", ") +
          "; default h200), or FILE.json that describes one: decides launch "
          "configs and tensor-core arithmetic; h200+MODEL: with another tensor-core model (" +
          join(mma_model_names(), ", ") + ")");
  verb.add_option("--guard", guard,
                  "back or front: put that end of every buffer against an inaccessible page");
  verb.add_option("--repeats", repeats,
                  "Runs compared by the probe `rerun` (default 2; of audit 10)");
  verb.add_option("--jobs", jobs,
                  "Worker processes; fewer cases than that share their CPU threads (0: all cores)")
      ->capture_default_str();
  verb.add_option("--timeout", timeout, "Longest time of one record, such as 30s or 5m; 0: none")
      ->default_str("10m");
  verb.add_option("--time-budget", budget,
                  "Longest time of the run, such as 10m: repeats are dropped first, then the last "
                  "cases are skipped");
  verb.add_flag("--no-isolation", no_isolation,
                "Make records in this process, for a debugger; a crash then ends the run");
  verb.add_option("--out", out,
                  "Folder for records.jsonl and report.md (default "
                  "reports/runs/<name>-<utc>-<plan hash>); must be empty");
  verb.add_flag("--force", force, "Overwrite the report in a non-empty --out");
  verb.add_flag("--resume", resume, "Go on with the interrupted run in --out");
  verb.add_option(
      "--shard", shard,
      "I/N: the I-th of N parts of the plan, or auto: from the variables of a job array, "
      "MPI or a test runner; join them with merge");
  verb.add_option("--distribute", distribute,
                  "partition: each case in one shard; replicate: every shard runs all")
      ->capture_default_str();
  verb.add_option("--dump", dump, "Folder for every case's tensors as .npy, and its case.json");
  verb.add_option("--baseline", baseline,
                  "Stored report to compare with when the run is over: worse is a bad exit code");
  files.add_to(verb);
  verb.add_option("--format", format,
                  "Standard output: jsonl, table, csv or md (default: table on a terminal, else "
                  "jsonl)");
  verb.add_option(
      "--fail-on", fail_on,
      "Comma list of what makes the exit code bad (default " + join(default_fail_on(), ",") + ")");
  verb.add_option("--write-golden", write_golden, "File for the digests of every output")
      ->type_name("FILE");
  verb.add_option("--check-golden", check_golden,
                  "File of digests to compare with: another one is exit 1, a missing one 3")
      ->type_name("FILE");
  verb.add_flag("--count", count,
                "Count sectors, bank conflicts, active lanes and operations of every kernel (on "
                "device emu-race, which it chooses)");
  verb.add_flag("--redact", redact, "Leave the names of host and user out of the report");
  verb.add_flag("--no-progress", no_progress, "No progress on standard error");
}

void RunVerb::add_audit_to(CLI::App& verb) {
  verb.add_option("--schedules", schedules,
                  "Orders of blocks, warps and lanes compared on the emulator (default " +
                      std::to_string(kAuditSchedules) + "): in order, reverse, random");
  verb.add_flag("--races", races, "Each case also on emu-race: a race is an error");
  verb.add_option("--require", require,
                  "Comma list of " + join(RequiredProperties::words(), ", ") +
                      ": what every record must be seen to be, whatever is claimed; else exit 1");
}

RunOptions RunVerb::options(const Plan& read) const {
  RunOptions options;
  if (!read.run().stages.empty()) options.stages = read.run().stages;
  if (!stages.empty()) {
    options.stages = split_words("stage", stages, stage_names());
    check_stages(options.stages);
  }
  if (device != "auto") check_device_name(device);
  options.device = device;
  options.count = count;
  options.filter = filter;
  if (!emu_arch.empty()) check_emu_arch(emu_arch);
  options.emu_arch = emu_arch;
  if (!guard.empty()) options.guard = parse_guard(guard);
  options.threads = jobs;
  options.isolate = !no_isolation;
  options.redact = redact;
  if (!timeout.empty()) options.timeout_s = parse_duration("--timeout", timeout);
  if (!budget.empty()) options.budget_s = parse_duration("--time-budget", budget);
  options.dump = dump;
  check_word("--distribute", distribute, {"partition", "replicate"});
  if (!shard.empty()) options.shard = parse_shard(shard);
  if (options.shard) options.shard->replicate = distribute == "replicate";
  options.audit = audit;
  options.races = races;
  if (audit) options.reruns = kAuditRepeats;
  if (audit) options.schedules = schedules.value_or(kAuditSchedules);
  options.reruns = repeats.value_or(read.run().repeats.value_or(options.reruns));
  if (options.reruns < 1) throw UsageError("--repeats must be at least 1");
  if (options.schedules < 1) throw UsageError("--schedules must be at least 1");
  const bool needs_bits = !(require.empty() && write_golden.empty() && check_golden.empty());
  if (needs_bits && !is_among(options.stages, "determinism"))
    throw UsageError(
        "--require and the golden digests need the stage determinism; --stages leaves it out");
  return options;
}

/// Throws UsageError for options that do not go together, before anything is run.
void RunVerb::check() const {
  check_word("--format", shown_format(), StreamSink::formats());
  if (resume && out.empty()) throw UsageError("--resume needs the --out of the interrupted run");
  if (resume && force) throw UsageError("--resume and --force exclude each other");
  if (!baseline.empty() && !shard.empty())
    throw UsageError("--baseline compares whole plans: merge the shards, then compare");
  if (!shard.empty() && !(write_golden.empty() && check_golden.empty()))
    throw UsageError("golden digests are those of whole plans: run without --shard");
  if (races && (device == "emu-race" || count))
    throw UsageError("--races adds device emu-race to another; this run is on it already");
  if (!check_golden.empty()) (void)GoldenDigests::read(check_golden);
  const std::filesystem::path base = baseline;
  if (!baseline.empty() && !std::filesystem::is_regular_file(
                               std::filesystem::is_directory(base) ? base / "records.jsonl" : base))
    throw UsageError("--baseline " + baseline + ": no such report");
}

std::string RunVerb::shown_format() const {
  return !format.empty() ? format : isatty(STDOUT_FILENO) != 0 ? "table" : "jsonl";
}

void RunVerb::add_sinks(FanOut& sinks, const ReportFiles& report, RunOptions& settings,
                        Tallies& tallies) const {
  const auto mode = resume  ? Journal::Mode::resume
                    : force ? Journal::Mode::overwrite
                            : Journal::Mode::create;
  sinks.add(std::make_unique<SignalSink>());
  auto folder = std::make_unique<FolderSink>(report, mode, settings.shard.has_value());
  if (resume)
    settings.earlier = [&journal = folder->journal(), &tallies](const RecordVisitor& visit) {
      Journal::visit_records(journal.path(), [&](const nlohmann::ordered_json& record) {
        tallies.record(record);
        visit(record);
      });
    };
  sinks.add(std::move(folder));
  sinks.add(std::make_unique<StreamSink>(std::cout, shown_format()));
  sinks.add(std::make_unique<TallySink>(tallies));
  if (no_progress) return;
  const bool own_line = isatty(STDERR_FILENO) != 0 && isatty(STDOUT_FILENO) == 0;
  sinks.add(std::make_unique<ProgressSink>(std::cerr, own_line));
}

/// Says what the report amounts to, alone and against the baseline.
int RunVerb::conclude(const nlohmann::ordered_json& summary, const ReportFiles& report,
                      compare::Options gate, const Tallies& tallies,
                      const std::vector<std::string>& failing) const {
  const compare::QuarantineTally& tally = tallies.quarantine;
  RunOutcome outcome = outcome_of(summary, plan.cases.empty());
  outcome.excused = tally.excused();
  outcome.quarantined_pass = !tally.passing().empty();
  int code = exit_code_of(outcome, failing);
  // More shards than cases: nothing to do is no failure of an array's task.
  if (!shard.empty() && code == kNothingMatched) code = kGood;
  std::cerr << "report: " << report.report << "\n";
  print_unmet(summary, code);
  for (const std::string& line : tally.passing()) std::cerr << line << "\n";
  for (const std::string& line : tally.notes()) std::cerr << line << "\n";
  if (outcome.interrupted) return code;
  if (!tallies.required.conclude(std::cerr)) code = combined_exit_code(code, kFinding);
  code = combined_exit_code(code, check_digests(tallies.digests));
  if (baseline.empty()) return code;
  int compared = compare_with_baseline(baseline, report.records, std::move(gate), std::cerr);
  if (compared == kRegression && !is_among(failing, "regression")) compared = kGood;
  return combined_exit_code(code, compared);
}

int RunVerb::check_digests(const GoldenDigests& made) const {
  if (!write_golden.empty()) made.write(write_golden);
  if (check_golden.empty()) return kGood;
  return made.check(GoldenDigests::read(check_golden), filter, std::cerr);
}

int RunVerb::run(const Context& context) const {
  check();
  const auto failing =
      fail_on.empty() ? default_fail_on() : split_words("--fail-on", fail_on, fail_on_words());
  compare::Options gate = files.read();
  const Plan read = plan.read(context.catalogs);
  RunOptions settings = options(read);
  settings.command = context.command;
  if (!out.empty() && !force && !resume) check_folder(out, settings.shard);
  const std::string folder = out.empty() ? default_folder(read.name(), read.hash()) : out;
  settings.replay = folder + "/replay";
  const ReportFiles report(folder, settings.shard);
  Tallies tallies{compare::QuarantineTally(gate.quarantine),
                  RequiredProperties(require.empty() ? std::vector<std::string>{}
                                                     : split_words("--require", require,
                                                                   RequiredProperties::words())),
                  {}};
  FanOut sinks;
  add_sinks(sinks, report, settings, tallies);
  std::signal(SIGPIPE, SIG_IGN);
  const nlohmann::ordered_json summary = run_plan(read, settings, context.catalogs, sinks, g_stop);
  return conclude(summary, report, std::move(gate), tallies, failing);
}

void add_verb(CLI::App& app, Context& context, const std::string& name, const std::string& about,
              const std::string& default_stages) {
  auto verb = std::make_shared<RunVerb>();
  CLI::App* sub = app.add_subcommand(name, about);
  verb->add_to(*sub, default_stages);
  verb->audit = name == "audit";
  if (verb->audit) verb->add_audit_to(*sub);
  sub->footer(
      "Exit code: 0 good; 1 a record failed; 2 usage or config; 3 coverage; 4 mistrusted or\n"
      "inconclusive; 5 device or environment; 6 nothing matched; 77 everything skipped or\n"
      "unsupported; 130 interrupted (the report is closed).");
  const bool preset = name != "run";
  sub->callback([verb, &context, preset, default_stages] {
    context.action = [verb, &context, preset, default_stages] {
      if (preset && verb->stages.empty()) verb->stages = default_stages;
      return verb->run(context);
    };
  });
}

}  // namespace

void add_run(CLI::App& app, Context& context) {
  add_verb(app, context, "run",
           "Run every algorithm of a sweep or a case: verify, probe determinism, measure",
           "those of the config, else all");
  add_verb(app, context, "verify", "Short for run --stages verify", "verify");
  add_verb(app, context, "bench", "Short for run --stages throughput", "throughput");
  add_verb(app, context, "audit",
           "Verify, and probe determinism in every way the device allows, against the claims",
           "verify,determinism");
}

}  // namespace wm
