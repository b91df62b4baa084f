// warpmark probe: what a device's units compute, inferred from their results.
#include <fstream>
#include <iomanip>
#include <iostream>

#include "cli/exit_code.hpp"
#include "cli/verb.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "runner/device_mma.hpp"
#include "runner/mma_file.hpp"
#include "runner/select.hpp"

namespace wm {
namespace {

void print_operands(const std::vector<ProbedOperand>& operands) {
  std::cout << "operand  products  extra bits  fraction bits  terms     sum       subnormals  "
               "confirmed\n";
  for (const ProbedOperand& each : operands) {
    std::cout << std::left << std::setw(9) << name_of(each.operand) << std::right;
    if (!each.explained()) {
      std::cout << "unexplained: " << each.unexplained << "\n";
    } else if (each.ieee || each.by_f16) {
      std::cout << (each.ieee ? "chain of fused multiply-adds" : "widened to f16") << ", "
                << each.outputs << " outputs\n";
    } else {
      std::cout << std::setw(8) << each.block.products << std::setw(12) << each.block.extra_bits
                << std::setw(15) << each.block.fraction_bits << "  " << std::left << std::setw(10)
                << name_of(each.rules.terms) << std::setw(10) << name_of(each.rules.sum)
                << std::setw(12) << name_of(each.rules.subnormals) << each.outputs << " outputs\n"
                << std::right;
    }
  }
}

struct ProbeVerb {
  std::string what, format = "text", device = "auto", emu_arch, out, name = "probed";

  int run(const Context& context) const {
    check_word("--format", format, {"text", "json"});
    check_word("probe", what, {"mma"});
    if (device != "auto") check_device_name(device);
    if (!emu_arch.empty()) check_emu_arch(emu_arch);
    for (const std::string& published : mma_model_names())
      if (name == published)
        throw UsageError("--name " + name + ": a published model has this name");
    if (name.empty() || name.find_first_of("+ \t/") != std::string::npos)
      throw UsageError("--name '" + name + "': expected a word without '+', '/' and blanks");
    RunOptions options;
    options.device = device;
    options.emu_arch = emu_arch;
    Devices devices(context.catalogs, options, false);
    Device& opened = devices.get("", "");
    const bool cuda = opened.kind() == DeviceKind::cuda;
    const auto operands =
        probe_device_mma(opened, cuda ? context.catalogs.cuda_probe : context.catalogs.emu_probe);
    const std::string probed = opened.id() + " " + opened.props().name;
    const auto model = mma_model_json(operands, name, probed);
    if (format == "json")
      std::cout << model.dump(2) << "\n";
    else
      print_operands(operands);
    if (!out.empty()) write(model.dump(2) + "\n");
    for (const ProbedOperand& each : operands)
      if (!each.explained()) return kUntrustworthy;
    return kGood;
  }

  void write(const std::string& text) const {
    std::ofstream file(out);
    file << text;
    if (!file.flush()) throw EnvironmentError("cannot write " + out);
  }
};

}  // namespace

void add_probe(CLI::App& app, Context& context) {
  auto options = std::make_shared<ProbeVerb>();
  CLI::App* verb =
      app.add_subcommand("probe", "What a device's units compute, inferred from directed inputs");
  verb->add_option("WHAT", options->what, "mma: group size, alignment, roundings of tensor cores")
      ->required();
  add_device_options(*verb, options->device, options->emu_arch);
  verb->add_option("-o,--output", options->out,
                   "Writes the model for --emu-arch GPU+FILE.json "
                   "(configs/schema/mma_model.schema.json)")
      ->type_name("FILE");
  verb->add_option("--name", options->name, "Name of the model in that file")
      ->capture_default_str();
  verb->add_option("--format", options->format, "text or json")->capture_default_str();
  verb->footer(
      "Exit code: 0 every operand type is explained; 2 usage; 4 one fits no model; 5 device.");
  verb->callback([options, &context] {
    context.action = [options, &context] { return options->run(context); };
  });
}

}  // namespace wm
