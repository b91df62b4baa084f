#include "cli/verb.hpp"

#include <algorithm>

#include "config/library.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

namespace wm {
namespace {

/// The keys of a problem that this variant could answer.
std::string type_keys(const VariantId& id) {
  std::string text = "dtype=" + std::string(name_of(id.dtypes.in));
  if (id.has_weights) text += "." + std::string(name_of(id.dtypes.weights));
  text += "." + std::string(name_of(id.dtypes.out)) + " acc=" + std::string(name_of(id.acc)) +
          " math=" + id.math;
  if (id.layout) text += " layout=" + std::string(name_of(*id.layout));
  return text;
}

Plan library_plan(const CatalogSet& catalogs, LibrarySize size, const KeyValues& set) {
  std::vector<LibraryTypes> types;
  for (const Variant& variant : catalogs.emu.variants()) {
    const LibraryTypes each{find_op(variant.id.op), type_keys(variant.id)};
    if (std::find(types.begin(), types.end(), each) == types.end()) types.push_back(each);
  }
  Requirements requirements;
  requirements.min_passed_per_variant = 1;
  return Plan::from_case_strings(library_cases(types, size), set, "library", requirements);
}

}  // namespace

void PlanOptions::add_to(CLI::App& verb) {
  verb.add_option("CONFIG", configs, "Sweep files (configs/schema/sweep.schema.json)")
      ->type_name("FILE");
  verb.add_option("--case", cases,
                  "One case instead of a sweep, such as 'matmul m=64 n=64 k=64 dtype=f16 "
                  "algo=naive'; may be repeated")
      ->type_name("STRING")
      ->allow_extra_args(false);
  verb.add_option(
          "--library", library,
          "Instead of a sweep: small problems for every compiled algorithm, type and layout; "
          "covering (the fewest that run every path) or all")
      ->type_name("WHICH");
  verb.add_option("--set", sets,
                  "Replace a key of every case that has it: --set dtype=f16, --set n=[1,2]; may be "
                  "repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

Plan PlanOptions::read(const CatalogSet& catalogs) const {
  const int sources = int{!configs.empty()} + int{!cases.empty()} + int{!library.empty()};
  if (sources == 0) throw UsageError("give a CONFIG file or --case '<case string>'");
  if (sources > 1) throw UsageError("give either CONFIG files, --case or --library, not several");
  KeyValues set;
  for (const std::string& text : sets) set.push_back(split_assignment(text));
  const Plan plan = !library.empty() ? library_plan(catalogs, parse_library_size(library), set)
                    : cases.empty()  ? Plan::from_files(configs, set)
                                     : Plan::from_case_strings(cases, set);
  plan.check_algorithms([&](const std::string& op) { return algorithm_names(catalogs, op); });
  return plan;
}

void add_device_options(CLI::App& verb, std::string& device, std::string& emu_arch) {
  verb.add_option("--device", device, "emu, cuda, cuda:1 or auto")->capture_default_str();
  verb.add_option("--emu-arch", emu_arch,
                  "GPU the emulator poses as (" + join(emu_arch_names(), ", ") +
                      "), or FILE.json that describes one; h200+MODEL: with another tensor-core "
                      "model");
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
