// warpmark tree: in which order an algorithm adds its products.
#include <iostream>

#include "cli/exit_code.hpp"
#include "cli/verb.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "runner/case_tree.hpp"
#include "runner/select.hpp"

namespace wm {
namespace {

using json = nlohmann::ordered_json;

json tree_json(const std::string& variant, const Case& item, const CaseTree& found) {
  json out{{"variant", variant}, {"case", to_case_string(item)}};
  if (!found.why_not.empty()) {
    out["reason"] = found.why_not;
    return out;
  }
  out.update({{"config", found.config},
              {"tensor", found.tensor},
              {"leaf_axes", found.leaf_axes},
              {"shared", found.shared},
              {"sums", found.sums},
              {"launches", found.launches},
              {"leaves", found.tree.leaves},
              {"height", found.height},
              {"claimed_height", found.claimed},
              {"widest", widest_node(found.tree)},
              {"hash", found.hash},
              {"text", tree_text(found.tree)},
              {"nodes", found.tree.nodes}});
  return out;
}

/// A long sum goes on over several lines, broken before a term.
std::string wrapped(const std::string& text) {
  constexpr std::size_t kWidth = 100;
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.size();
    if (end - begin > kWidth) {
      const std::size_t cut = text.rfind(" + ", begin + kWidth);
      if (cut != std::string::npos && cut > begin) end = cut;
    }
    out += "  " + text.substr(begin, end - begin) + "\n";
    begin = end + (end < text.size() ? 1 : 0);
  }
  return out;
}

void print_tree(const std::string& variant, const Case& item, const CaseTree& found) {
  std::cout << variant << (found.config.empty() ? "" : "  config " + found.config) << "\n";
  if (!found.why_not.empty()) {
    std::cout << "no tree: " << found.why_not << "\n";
    return;
  }
  std::cout << "one element of " << found.tensor << ", leaves " << found.leaf_axes << ", schedule "
            << item.schedule.to_string() << ", " << found.sums << " sums in " << found.launches
            << " launches\n";
  if (!found.shared)
    std::cout << "outputs do not share one tree; that of the first element follows\n";
  std::cout << wrapped(tree_text(found.tree)) << "leaves " << found.tree.leaves << " height "
            << found.height << " hash " << found.hash << "\n";
}

struct TreeVerb {
  std::string text, format = "text", device = "auto", emu_arch, filter, schedule;

  int run(const Context& context) const {
    check_word("--format", format, {"text", "json", "dot"});
    if (device != "auto") check_device_name(device);
    if (!emu_arch.empty()) check_emu_arch(emu_arch);
    RunOptions options;
    options.device = device;
    options.emu_arch = emu_arch;
    Case item = parse_case_string(text);
    check_files_exist(item);
    if (!schedule.empty()) item.schedule = Schedule::parse(schedule);
    check_algorithm_name(item, algorithm_names(context.catalogs, item.problem.op->name));
    Devices devices(context.catalogs, options, false);
    Device& opened = devices.get(item.device, item.emu_arch);
    return find_trees(item, opened, catalog_of(context.catalogs, opened.id()));
  }

  int find_trees(const Case& item, Device& opened, const Catalog& catalog) const {
    RunOutcome outcome;
    for (const Selected& one : select_variants(item, catalog, filter)) {
      Case single = item;
      single.algorithm = one.id.algorithm;
      CaseTree found;
      found.why_not = one.reason;
      if (one.variant) found = discover_case_tree(opened, *one.variant, single);
      print(one.id.to_string(), single, found);
      const bool taller = found.why_not.empty() && found.taller_than_claimed();
      if (taller)
        std::cerr << "warpmark: " << one.id.to_string() << ": " << found.height_text() << "\n";
      ++outcome.by_status[!found.why_not.empty() ? "unsupported" : taller ? "failed" : "passed"];
    }
    return exit_code_of(outcome, default_fail_on());
  }

  void print(const std::string& variant, const Case& item, const CaseTree& found) const {
    if (format == "json")
      std::cout << tree_json(variant, item, found).dump() << "\n";
    else if (format == "text")
      print_tree(variant, item, found);
    else if (found.why_not.empty())
      std::cout << tree_dot(found.tree);
    else
      std::cerr << "warpmark: " << variant << ": no tree: " << found.why_not << "\n";
  }
};

}  // namespace

void add_tree(CLI::App& app, Context& context) {
  auto options = std::make_shared<TreeVerb>();
  CLI::App* verb = app.add_subcommand(
      "tree", "The summation tree of a linear algorithm, found by running it over masks");
  verb->add_option("--case", options->text,
                   "The case, such as 'matmul m=64 n=64 k=1024 algo=naive'; its recipe and inputs "
                   "do not matter")
      ->type_name("STRING")
      ->required();
  add_device_options(*verb, options->device, options->emu_arch);
  verb->add_option("--schedule", options->schedule,
                   "in_order, reverse or random:SEED instead of the case's schedule (emulator)");
  verb->add_option("--filter", options->filter, "Glob over variant ids");
  verb->add_option("--format", options->format, "text, json (a line a variant) or dot")
      ->capture_default_str();
  verb->footer(
      "Exit code: 0 found; 1 a tree is taller than claimed; 2 usage; 5 device; 6 nothing matched;\n"
      "77 no variant has a tree (the reason is printed).");
  verb->callback([options, &context] {
    context.action = [options, &context] { return options->run(context); };
  });
}

}  // namespace wm
