// warpmark expand: the plan without running it.
#include <iostream>

#include "cli/exit_code.hpp"
#include "cli/verb.hpp"

namespace wm {
namespace {

void print_table(const Plan& plan) {
  plan.for_each([](const Case& item) {
    std::cout << case_id(item) << " " << to_case_string(item)
              << (item.label.empty() ? "" : "  # " + item.label) << "\n";
    return std::cout.good();
  });
}

/// One array, a case a line, so that a long plan streams.
void print_json(const Plan& plan) {
  const char* separator = "[\n";
  plan.for_each([&](const Case& item) {
    const nlohmann::ordered_json line{{"case", to_case_string(item)},
                                      {"case_id", case_id(item)},
                                      {"label", item.label},
                                      {"count", item.count},
                                      {"excluded_algorithms", item.excluded_algorithms}};
    std::cout << separator << line.dump();
    separator = ",\n";
    return std::cout.good();
  });
  std::cout << (*separator == '[' ? "[]" : "\n]") << "\n";
}

}  // namespace

void add_expand(CLI::App& app, Context& context) {
  auto options = std::make_shared<PlanOptions>();
  auto format = std::make_shared<std::string>("table");
  CLI::App* verb = app.add_subcommand("expand", "Print the cases of a sweep without running them");
  options->add_to(*verb);
  verb->add_option("--format", *format, "count, table (a case string a line) or json")
      ->capture_default_str();
  verb->footer(
      "algo=* stands for every algorithm compiled for the case and is expanded by run, so that "
      "the\n"
      "plan and its hash are the same on every machine.");
  verb->callback([options, format, &context] {
    context.action = [options, format, &context] {
      check_word("--format", *format, {"count", "table", "json"});
      const Plan plan = options->read(context.catalogs);
      std::int64_t cases = 0;
      plan.for_each([&](const Case&) { return ++cases, true; });  // also checks each of them
      if (*format == "count") std::cout << cases << "\n";
      if (*format == "table") print_table(plan);
      if (*format == "json") print_json(plan);
      if (cases == 0) std::cerr << "nothing matched: the plan has no case\n";
      return cases == 0 ? kNothingMatched : 0;
    };
  });
}

}  // namespace wm
