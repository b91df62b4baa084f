// warpmark explain: everything that is known about a case before it runs.
#include <iostream>

#include "cli/verb.hpp"
#include "core/text.hpp"
#include "report/text.hpp"

namespace wm {
namespace {

using json = nlohmann::ordered_json;

std::string plain(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return format_real(value.get<double>());
  return value.dump();
}

void print_tensors(const json& tensors) {
  std::cout << "tensors\n";
  for (const json& tensor : tensors) {
    std::cout << "  " << plain(tensor["name"]) << "  " << plain(tensor["role"]) << "  "
              << plain(tensor["dtype"]) << "  shape " << tensor["shape"].dump() << "  strides "
              << tensor["strides"].dump() << "  offset " << tensor["offset"] << "  "
              << tensor["bytes"] << " bytes\n";
  }
}

void print_object(const json& object, const std::string& indent) {
  for (const auto& [key, value] : object.items()) {
    if (!value.is_null() && value != "") std::cout << indent << key << ": " << plain(value) << "\n";
  }
}

/// Totals in one line, then every counter of every kernel that is not zero.
void print_counters(const json& counters) {
  std::cout << "  counters: " << report::counters_text(counters) << "\n";
  if (!counters.contains("kernels")) return;
  for (const json& kernel : counters["kernels"]) {
    std::cout << "    " << plain(kernel["kernel"]) << "\n";
    for (const auto& [name, value] : kernel.items())
      if (value.is_number() && value != 0) std::cout << "      " << name << ": " << value << "\n";
  }
}

void print_algorithm(const json& each) {
  std::cout << "\n" << plain(each["variant"]) << "\n";
  if (each.contains("summary")) std::cout << "  " << plain(each["summary"]) << "\n";
  if (!each["supported"]) {
    std::cout << "  unsupported: " << plain(each["reason"]) << "\n";
    return;
  }
  const std::string config = plain(each["config"]);
  std::cout << "  config: " << (config.empty() ? "none" : config)
            << "\n  workspace: " << each["workspace_bytes"] << " bytes\n  claims\n";
  print_object(each["claims"], "    ");
  if (each["bound"].is_object()) {
    std::cout << "  bound\n";
    print_object(each["bound"], "    ");
  } else {
    std::cout << "  bound: " << plain(each["bound"]) << "\n";
  }
  if (each.contains("counters")) print_counters(each["counters"]);
  std::cout << "  " << plain(each["repro"]) << "\n";
}

void print_text(const json& answer) {
  std::cout << plain(answer["case"]) << "\n"
            << plain(answer["summary"]) << "\n\ncase id: " << plain(answer["case_id"])
            << "\ndevice: " << plain(answer["device"]) << "\nFLOPs: " << plain(answer["flops"])
            << "\nbytes (each tensor once): " << plain(answer["bytes"])
            << "\nproducts summed into one output, at most: " << plain(answer["depth"]) << "\n";
  const json& recipe = answer["recipe"];
  if (!recipe["exists"]) {
    std::cout << "recipe " << plain(recipe["name"]) << ": " << plain(recipe["reason"]) << "\n";
  }
  print_tensors(answer["tensors"]);
  if (answer["algorithms"].empty()) {
    std::cout << "\nno algorithm is compiled for these types\n";
  }
  for (const json& each : answer["algorithms"]) print_algorithm(each);
}

struct ExplainVerb {
  std::string text, format = "text", device = "auto", emu_arch, filter;
  bool count = false;

  int run(const Context& context) const {
    check_word("--format", format, {"text", "json"});
    RunOptions options;
    if (device != "auto") check_device_name(device);
    options.device = device;
    if (!emu_arch.empty()) check_emu_arch(emu_arch);
    options.emu_arch = emu_arch;
    options.filter = filter;
    options.count = count;
    const Case item = parse_case_string(text);
    check_files_exist(item);
    const json answer = explain_case(item, options, context.catalogs);
    if (format == "json") {
      std::cout << answer.dump(2) << "\n";
    } else {
      print_text(answer);
    }
    return answer["algorithms"].empty() ? 6 : 0;
  }
};

}  // namespace

void add_explain(CLI::App& app, Context& context) {
  auto options = std::make_shared<ExplainVerb>();
  CLI::App* verb = app.add_subcommand(
      "explain",
      "What a case means: tensors, FLOPs, bytes, each algorithm's support, claims and error bound");
  verb->add_option("--case", options->text,
                   "The case, such as 'conv_fwd n=1 c=64 h=56 w=56 k=64 "
                   "r=3 s=3 pad=1 algo=*'")
      ->type_name("STRING")
      ->required();
  add_device_options(*verb, options->device, options->emu_arch);
  verb->add_option("--filter", options->filter, "Glob over variant ids");
  verb->add_flag("--count", options->count,
                 "Run each algorithm once on device emu-race and show its counters");
  verb->add_option("--format", options->format, "text or json")->capture_default_str();
  verb->callback([options, &context] {
    context.action = [options, &context] { return options->run(context); };
  });
}

}  // namespace wm
