// warpmark report: renders a stored report.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "cli/verb.hpp"
#include "core/error.hpp"
#include "report/render.hpp"

namespace wm {
namespace {

using json = nlohmann::ordered_json;

struct ReportVerb {
  std::string file, format = "md", out;

  int run() const {
    check_word("--format", format, {"md", "csv", "table"});
    const bool folder = std::filesystem::is_directory(file);
    const std::string name = folder ? file + "/records.jsonl" : file;
    std::ifstream stream(name);
    if (!stream) throw UsageError("cannot read " + name + ": no such file, or not readable");
    if (out.empty()) {
      render(stream, name, std::cout);
      return 0;
    }
    std::ofstream target(out, std::ios::trunc);
    if (target) render(stream, name, target);
    target.close();
    if (!target) throw EnvironmentError("cannot write " + out);
    return 0;
  }

  void render(std::istream& stream, const std::string& name, std::ostream& target) const {
    report::Rollup rollup;
    if (format == "csv") target << report::csv_heading();
    if (format == "table") target << report::table_heading();
    report::read_report(
        stream, name, [&](const json& header) { rollup.header(header); },
        [&](const json& record) {
          rollup.record(record);
          if (format == "csv") target << report::csv_row(record);
          if (format == "table") target << report::table_row(record);
        },
        [&](const json& summary) { rollup.summary(summary); });
    if (format == "md") target << report::markdown(rollup);
    if (format == "table") target << report::table_end(rollup);
  }
};

}  // namespace

void add_report(CLI::App& app, Context& context) {
  auto options = std::make_shared<ReportVerb>();
  CLI::App* verb = app.add_subcommand("report", "Render a stored report");
  verb->add_option("FILE", options->file, "records.jsonl of a run, or its folder")
      ->type_name("")
      ->required();
  verb->add_option("--format", options->format, "md (Markdown), csv or table")
      ->capture_default_str();
  verb->add_option("-o,--output", options->out, "File to write (default: standard output)");
  verb->callback([options, &context] { context.action = [options] { return options->run(); }; });
}

}  // namespace wm
