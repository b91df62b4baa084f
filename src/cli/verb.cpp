#include "cli/verb.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/text.hpp"

namespace wm {

void PlanOptions::add_to(CLI::App& verb) {
  verb.add_option("CONFIG", configs, "Sweep files (configs/schema/sweep.schema.json)")
      ->type_name("FILE");
  verb.add_option("--case", cases,
                  "One case instead of a sweep, such as 'matmul m=64 n=64 k=64 dtype=f16 "
                  "algo=naive'; may be repeated")
      ->type_name("STRING")
      ->allow_extra_args(false);
  verb.add_option("--set", sets,
                  "Replace a key of every case that has it: --set dtype=f16, --set n=[1,2]; may be "
                  "repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

Plan PlanOptions::read(const CatalogSet& catalogs) const {
  if (configs.empty() == cases.empty()) {
    throw UsageError(cases.empty() ? "give a CONFIG file or --case '<case string>'"
                                   : "give either CONFIG files or --case, not both");
  }
  KeyValues set;
  for (const std::string& text : sets) set.push_back(split_assignment(text));
  const Plan plan =
      cases.empty() ? Plan::from_files(configs, set) : Plan::from_case_strings(cases, set);
  plan.check_algorithms([&](const std::string& op) { return algorithm_names(catalogs, op); });
  return plan;
}

std::pair<std::string, std::string> split_assignment(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError("--set " + text + ": expected key=value");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void check_word(const std::string& what, const std::string& word,
                const std::vector<std::string>& allowed) {
  if (std::find(allowed.begin(), allowed.end(), word) != allowed.end()) return;
  throw UsageError(unknown_message(what, word, allowed));
}

std::vector<std::string> split_words(const std::string& what, const std::string& text,
                                     const std::vector<std::string>& allowed) {
  const std::vector<std::string> words = split(text, ',');
  for (const std::string& word : words) check_word(what, word, allowed);
  return words;
}

void check_emu_arch(const std::string& name) { (void)emu_arch(name); }

}  // namespace wm
