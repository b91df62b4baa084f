// warpmark import: other tools' problem lists as a sweep.
#include "import/import.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>

#include "cli/exit_code.hpp"
#include "cli/verb.hpp"
#include "core/error.hpp"

namespace wm {
namespace {

struct ImportVerb {
  std::string from, file, out, driver, name;
  bool strict = false;

  int run(const Context& context) const {
    const importing::Imported imported = importing::import_file(from, file, driver);
    for (const importing::Remark& each : imported.unread) print(each, "not read: ");
    for (const importing::Remark& each : imported.notes) print(each, "");
    std::cerr << "read " << imported.problems << " problems (" << imported.cases.size()
              << " distinct) of " << file << "; not read: " << imported.unread.size() << "\n";
    if (imported.cases.empty()) return kNothingMatched;
    if (strict && !imported.unread.empty()) {
      std::cerr << "warpmark: --strict, and not everything was read: nothing written\n";
      return kUsage;
    }
    write(importing::to_sweep(imported, sweep_name(), describe(imported)), context);
    return kGood;
  }

 private:
  static void print(const importing::Remark& remark, const char* what) {
    std::cerr << remark.file << ":" << remark.line << ": " << what << remark.reason << "\n    "
              << remark.text << "\n";
  }

  std::string sweep_name() const {
    return name.empty() ? std::filesystem::path(file).stem().string() : name;
  }

  std::string describe(const importing::Imported& imported) const {
    return "Imported by warpmark import --from " + from + " from " +
           std::filesystem::path(file).filename().string() + ": " +
           std::to_string(imported.problems) + " problems, " +
           std::to_string(imported.cases.size()) + " distinct; " +
           std::to_string(imported.unread.size()) + " lines not read.";
  }

  /// The sweep is read back before it takes its name, so that what is written can be run.
  void write(const std::string& sweep, const Context& context) const {
    namespace fs = std::filesystem;
    const fs::path target =
        out.empty() ? fs::temp_directory_path() / "warpmark-import.json" : fs::path(out);
    const fs::path partial = target.string() + ".part-" + std::to_string(::getpid());
    std::ofstream stream(partial, std::ios::trunc | std::ios::binary);
    stream << sweep;
    stream.close();
    if (!stream) throw EnvironmentError("cannot write " + partial.string());
    try {
      const Plan plan = Plan::from_files({partial.string()});
      plan.check_algorithms(
          [&](const std::string& op) { return algorithm_names(context.catalogs, op); });
      plan.for_each([](const Case&) { return true; });
    } catch (...) {
      fs::remove(partial);
      throw;
    }
    if (!out.empty()) {
      std::error_code error;
      fs::rename(partial, target, error);
      if (error) throw EnvironmentError("cannot write " + out + ": " + error.message());
      return;
    }
    fs::remove(partial);
    std::cout << sweep;
  }
};

}  // namespace

void add_import(CLI::App& app, Context& context) {
  auto options = std::make_shared<ImportVerb>();
  CLI::App* verb = app.add_subcommand("import", "Turn another tool's problem list into a sweep");
  verb->add_option("FILE", options->file, "Command lines, batch file, log or table to read")
      ->type_name("")
      ->required();
  verb->add_option("--from", options->from,
                   "miopen (MIOpenDriver command lines), benchdnn (batch files), cudnn-log (API "
                   "log of cuDNN 8 and 9) or csv (a header row of problem keys)")
      ->type_name("FORMAT")
      ->required();
  verb->add_option("-o,--output", options->out, "Sweep to write (default: standard output)")
      ->type_name("CONFIG");
  verb->add_option("--driver", options->driver,
                   "Of a benchdnn file that does not say it: conv, matmul, softmax or eltwise")
      ->type_name("NAME");
  verb->add_option("--name", options->name, "Name of the sweep (default: that of the file)")
      ->type_name("NAME");
  verb->add_flag("--strict", options->strict, "Exit 2, writing nothing, if a line was not read");
  verb->footer(
      "Every line that could not be read is listed on standard error with file, line and reason.\n"
      "Equal problems become one case with a count. Exit 6 if nothing could be read.");
  verb->callback([options, &context] {
    context.action = [options, &context] { return options->run(context); };
  });
}

}  // namespace wm
