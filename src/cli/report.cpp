// warpmark report: renders a stored report.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "cli/verb.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "report/render.hpp"
#include "report/renderer.hpp"

namespace wm {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

// GitHub refuses a step's summary above this.
constexpr std::uintmax_t kMaxJobSummary = 1024 * 1024 - 1;

struct ReportVerb {
  std::string file, format = "md", out;

  int run() const {
    check_word("--format", format, report::format_names());
    std::error_code error;
    if (!out.empty() && fs::equivalent(out, records(), error))
      throw UsageError("-o " + out + " is the report itself");
    if (format == "github") {
      render_to(std::cout);
      write_job_summary();
    } else if (out.empty()) {
      render_to(std::cout);
    } else {
      write_file();
    }
    return 0;
  }

  std::string records() const { return fs::is_directory(file) ? file + "/records.jsonl" : file; }

  /// Gives every line of the report to `lines`.
  template <class Lines>
  void read_into(Lines& lines) const {
    const std::string name = records();
    std::ifstream stream(name);
    if (!stream) throw UsageError("cannot read " + name + ": no such file, or not readable");
    bool closed = false;
    report::read_report(
        stream, name, [&](const json& header) { lines.header(header); },
        [&](const json& record) { lines.record(record); },
        [&](const json& summary) {
          lines.summary(summary);
          closed = true;
        });
    if (!closed) std::cerr << "warpmark: " << name << " has no summary: its run was cut short\n";
  }

  void render_to(std::ostream& target) const {
    const auto renderer = report::make_renderer(format, target);
    read_into(*renderer);
    renderer->end();
  }

  /// An existing file is replaced only by a whole report; what is no plain file (a device, a pipe)
  /// is written as it stands.
  void write_file() const {
    const bool plain = !fs::exists(out) || fs::is_regular_file(out);
    const std::string name = plain ? out + ".part" : out;
    std::ofstream target(name, std::ios::trunc);
    if (!target) throw EnvironmentError("cannot write " + out);
    try {
      render_to(target);
      target.close();
      if (!target) throw EnvironmentError("cannot write " + out + " (disk full?)");
      if (plain) fs::rename(name, out);
    } catch (...) {
      std::error_code error;
      if (plain) fs::remove(name, error);
      throw;
    }
  }

  /// To -o, else appended to the file that GITHUB_STEP_SUMMARY names.
  void write_job_summary() const {
    const char* variable = std::getenv("GITHUB_STEP_SUMMARY");
    const std::string name = !out.empty() ? out : variable != nullptr ? variable : "";
    if (name.empty()) return;
    std::error_code error;
    const std::uintmax_t size = fs::file_size(name, error);
    const std::uintmax_t used = out.empty() && !error ? std::min(size, kMaxJobSummary) : 0;
    report::Rollup rollup;
    read_into(rollup);
    const std::string text = report::github_summary(rollup, kMaxJobSummary - used);
    if (text.empty())
      std::cerr << "warpmark: no room left in the job summary " << name << " (limit 1 MiB)\n";
    std::ofstream target(name, out.empty() ? std::ios::app : std::ios::trunc);
    target << text;
    target.close();
    if (!target) throw EnvironmentError("cannot write " + name);
  }
};

}  // namespace

void add_report(CLI::App& app, Context& context) {
  auto options = std::make_shared<ReportVerb>();
  CLI::App* verb = app.add_subcommand("report", "Render a stored report");
  verb->add_option("FILE", options->file, "records.jsonl of a run, or its folder")
      ->type_name("")
      ->required();
  verb->add_option("--format", options->format,
                   "html (one offline page), md (Markdown), csv, table, junit (XML), github "
                   "(annotations, and a job summary to -o or $GITHUB_STEP_SUMMARY) or gbench "
                   "(google-benchmark JSON)")
      ->capture_default_str();
  verb->add_option("-o,--output", options->out, "File to write (default: standard output)");
  verb->callback([options, &context] { context.action = [options] { return options->run(); }; });
}

}  // namespace wm
