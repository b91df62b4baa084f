#include "cli/cli.hpp"

#include <algorithm>
#include <cerrno>
#include <iostream>

#include "cli/exit_code.hpp"
#include "cli/verb.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "runner/environment.hpp"

namespace wm {
namespace {

void add_verbs(CLI::App& app, Context& context) {
  add_list(app, context);
  add_expand(app, context);
  add_run(app, context);
  add_explain(app, context);
  add_tree(app, context);
  add_probe(app, context);
  add_report(app, context);
  add_merge(app, context);
  add_compare(app, context);
  add_import(app, context);
  add_selfcheck(app, context);
}

std::vector<std::string> verb_names(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands({})) names.push_back(verb->get_name());
  return names;
}

/// Names the nearest option where CLI11 only says that a word was not expected.
std::string unknown_option(CLI::App& app, const std::vector<std::string>& words) {
  CLI::App* verb = &app;
  for (const CLI::App* chosen : app.get_subcommands())
    verb = app.get_subcommand(chosen->get_name());
  std::vector<std::string> known;
  for (const CLI::Option* option : verb->get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    for (const std::string& name : option->get_snames()) known.push_back("-" + name);
  }
  for (const std::string& word : words) {
    if (!word.starts_with("-") || word == "-" || word == "--") continue;
    const std::string name = word.substr(0, word.find('='));
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return unknown_message("option of " + verb->get_name(), name, known);
    }
  }
  return "";
}

int parse_error(CLI::App& app, const CLI::ParseError& error, const Context& context) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    return app.exit(error);  // --help, --version
  }
  std::string message = unknown_option(app, context.command);
  if (message.empty()) message = error.what();
  std::cerr << "warpmark: " << message << "\nSee warpmark "
            << (app.get_subcommands().empty() ? ""
                                              : app.get_subcommands().front()->get_name() + " ")
            << "--help\n";
  return kUsage;
}

int run_action(const Context& context) {
  try {
    errno = 0;
    const int code = context.action();
    // A reader that went away (head -1) is no failure; a full disk is.
    if (!std::cout.flush() && errno == ENOSPC)
      throw EnvironmentError("standard output cannot be written: no space left");
    return code;
  } catch (const UsageError& error) {
    std::cerr << "warpmark: " << error.what() << "\n";
    return kUsage;
  } catch (const EnvironmentError& error) {
    std::cerr << "warpmark: " << error.what() << "\n";
    return kEnvironment;
  } catch (const KernelError& error) {
    std::cerr << "warpmark: " << error.what() << "\n";
    return kFinding;
  } catch (const std::bad_alloc&) {
    std::cerr << "warpmark: out of memory\n";
    return kEnvironment;
  }
}

}  // namespace

int cli_main(int argc, char** argv, const CatalogSet& catalogs) {
  CLI::App app{
      "warpmark runs every algorithm of a GPU primitive library against CPU references\n"
      "and measures throughput, determinism and numerical error of each.\n"
      "Without a GPU the same kernels run on a SIMT emulator (device emu).\n"};
  app.name("warpmark");
  app.set_version_flag("--version", "warpmark " + tool_version());
  app.require_subcommand(1);
  app.footer(
      "Begin with:\n"
      "  warpmark list algorithms\n"
      "  warpmark run --case 'matmul m=64 n=64 k=64 dtype=f16'\n"
      "  warpmark run configs/quick.json");
  Context context{catalogs, {argv, argv + argc}, {}};
  add_verbs(app, context);

  if (argc > 1 && argv[1][0] != '-') {
    const std::vector<std::string> verbs = verb_names(app);
    if (std::find(verbs.begin(), verbs.end(), argv[1]) == verbs.end()) {
      std::cerr << "warpmark: " << unknown_message("verb", argv[1], verbs) << "\n";
      return kUsage;
    }
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return parse_error(app, error, context);
  }
  return run_action(context);
}

}  // namespace wm
