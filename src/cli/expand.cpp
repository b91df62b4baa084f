// warpmark expand: the plan without running it.
#include <iostream>

#include "cli/exit_code.hpp"
#include "cli/verb.hpp"

namespace wm {
namespace {

/// Each of these checks the cases on the way and gives their number. A million cases stream: what
/// has been printed before a bad one stands.
std::int64_t print_table(const Plan& plan) {
  std::int64_t cases = 0;
  plan.for_each([&](const Case& item) {
    const auto [text, id] = case_text_and_id(item);
    std::cout << id << ' ' << text << (item.label.empty() ? "" : "  # " + item.label) << '\n';
    ++cases;
    return std::cout.good();
  });
  return cases;
}

/// One array, a case a line.
std::int64_t print_json(const Plan& plan) {
  std::int64_t cases = 0;
  plan.for_each([&](const Case& item) {
    const auto [text, id] = case_text_and_id(item);
    const nlohmann::ordered_json line{{"case", text},
                                      {"case_id", id},
                                      {"label", item.label},
                                      {"count", item.count},
                                      {"excluded_algorithms", item.excluded_algorithms}};
    std::cout << (cases++ == 0 ? "[\n" : ",\n") << line.dump();
    return std::cout.good();
  });
  std::cout << (cases == 0 ? "[]" : "\n]") << '\n';
  return cases;
}

std::int64_t count_cases(const Plan& plan) {
  std::int64_t cases = 0;
  plan.for_each([&](const Case&) { return ++cases, true; });
  return cases;
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
      const std::int64_t cases = *format == "table"  ? print_table(plan)
                                 : *format == "json" ? print_json(plan)
                                                     : count_cases(plan);
      if (*format == "count") std::cout << cases << "\n";
      if (cases == 0) std::cerr << "nothing matched: the plan has no case\n";
      return cases == 0 ? kNothingMatched : 0;
    };
  });
}

}  // namespace wm
