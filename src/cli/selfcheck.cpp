// warpmark selfcheck: plants every fault and shows that it is caught.
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/exit_code.hpp"
#include "cli/verb.hpp"
#include "selfcheck/selfcheck.hpp"

namespace wm {
namespace {

using selfcheck::Row;

std::string verdict_of(const Row& row) {
  if (!row.ran) return "not run";
  if (row.control) return row.good() ? "green" : "RED, by " + row.gate;
  if (row.caught) return row.gate;
  return row.expected ? "MISSED" : "cannot be seen";
}

std::string padded(std::string text, std::size_t width) {
  text.resize(text.size() > width ? text.size() : width, ' ');
  return text;
}

void print_table_row(const std::string& fault, const std::string& recipe,
                     const std::string& verdict, const std::string& reason) {
  std::cout << padded(fault, 65) << " " << padded(recipe, 7) << " " << padded(verdict, 14) << " "
            << reason << std::endl;
}

void print_json(const Row& row) {
  const nlohmann::ordered_json line{
      {"fault", row.fault},
      {"recipe", row.recipe},
      {"expected", row.expected},
      {"caught", row.caught},
      {"reason", (row.gate.empty() ? "" : row.gate + ": ") + row.reason}};
  std::cout << line.dump() << std::endl;
}

int run_selfcheck(const Context& context, const std::string& format) {
  check_word("--format", format, {"table", "jsonl"});
  const bool table = format == "table";
  int faults = 0, caught = 0, bad = 0;
  if (table) print_table_row("fault", "recipe", "caught by", "reason");
  selfcheck::run(context.catalogs, [&](const Row& row) {
    faults += row.control || !row.expected || !row.ran ? 0 : 1;
    caught += row.expected && row.caught ? 1 : 0;
    bad += row.good() ? 0 : 1;
    if (table)
      print_table_row(row.fault, row.recipe, verdict_of(row), row.reason);
    else
      print_json(row);
  });
  if (table)
    std::cout << "\n"
              << caught << " of " << faults << " expected faults caught; " << bad
              << " rows wrong\n";
  return bad == 0 ? kGood : kFinding;
}

}  // namespace

void add_selfcheck(CLI::App& app, Context& context) {
  auto format = std::make_shared<std::string>("table");
  CLI::App* verb = app.add_subcommand(
      "selfcheck", "Plant known faults and show that each is caught, by which gate");
  verb->add_option("--format", *format, "table or jsonl")->capture_default_str();
  verb->callback([format, &context] {
    context.action = [format, &context] { return run_selfcheck(context, *format); };
  });
}

}  // namespace wm
