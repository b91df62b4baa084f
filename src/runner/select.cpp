#include "runner/select.hpp"

#include <filesystem>

#include "core/error.hpp"
#include "core/text.hpp"

namespace wm {
namespace {

VariantId id_of_case(const Case& item) {
  VariantId id;
  id.provider = item.provider;
  id.op = item.problem.op->name;
  id.algorithm = item.algorithm;
  id.dtypes = item.problem.dtypes;
  id.acc = item.problem.acc;
  id.math = item.problem.math;
  id.layout = item.problem.layout;
  id.has_weights = item.problem.op->has_weights;
  return id;
}

bool excluded(const Case& item, const std::string& algorithm) {
  for (const std::string& pattern : item.excluded_algorithms)
    if (glob_match(pattern, algorithm)) return true;
  return false;
}

// A GPU is here (device node or driver), whether it works or not.
bool gpu_present() {
  return std::filesystem::exists("/dev/nvidia0") || std::filesystem::exists("/dev/nvidiactl") ||
         std::filesystem::exists("/proc/driver/nvidia/version");
}

}  // namespace

std::vector<Selected> select_variants(const Case& item, const Catalog& catalog,
                                      const std::string& filter) {
  std::vector<Selected> selected;
  for (const Variant* variant : catalog.matching(item.problem)) {
    const VariantId& id = variant->id;
    if (id.provider != item.provider || !glob_match(item.algorithm, id.algorithm)) continue;
    if (item.has_wildcard() && excluded(item, id.algorithm)) continue;
    if (filter.empty() || glob_match(filter, id.to_string())) selected.push_back({variant, id, ""});
  }
  if (!selected.empty() || item.has_wildcard()) return selected;
  const VariantId id = id_of_case(item);
  if (!filter.empty() && !glob_match(filter, id.to_string())) return selected;
  selected.push_back({nullptr, id,
                      "not compiled for dtype " + item.problem.dtype_text() + ", acc " +
                          std::string(name_of(item.problem.acc)) + ", math " + item.problem.math});
  return selected;
}

void check_counting(const Device& device) {
  if (!device.can_count())
    throw UsageError("--count needs device emu-race; the run or a case says device " + device.id());
}

const Catalog& catalog_of(const CatalogSet& catalogs, const std::string& device) {
  if (device.starts_with("cuda")) return catalogs.cuda;
  return device == "emu-race" ? catalogs.emu_race : catalogs.emu;
}

Devices::Devices(const CatalogSet& catalogs, const RunOptions& options, bool require_cuda)
    : catalogs_(catalogs), options_(options), require_cuda_(require_cuda) {}

std::string Devices::resolve(const std::string& name) {
  std::string wanted = options_.device != "auto" ? options_.device : name;
  if (!wanted.empty()) return wanted == "cuda" ? "cuda:0" : wanted;
  if (options_.count && !require_cuda_) return "emu-race";
  if (!cuda_opened_ && catalogs_.has_cuda_build()) cuda_ = catalogs_.make_cuda_devices();
  cuda_opened_ = true;
  if (!cuda_.empty()) return "cuda:0";
  if (require_cuda_) throw EnvironmentError("the config requires a CUDA device; none works here");
  if (gpu_present())
    throw EnvironmentError(
        catalogs_.has_cuda_build()
            ? "a GPU is present but no CUDA device works; say --device emu to run on the emulator"
            : "a GPU is present but this build has no CUDA flavour; say --device emu to run on the "
              "emulator");
  return "emu";
}

Device& Devices::emulator(const std::string& id, const std::string& arch) {
  const std::string key = id + ' ' + arch;
  for (auto& [name, device] : emulators_)
    if (name == key) return *device;
  emulators_.emplace_back(key, id == "emu-race"
                                   ? make_emu_race_device(emu_arch(arch))
                                   : make_emu_device(emu_arch(arch), options_.threads));
  return *emulators_.back().second;
}

Device& Devices::get(const std::string& name, const std::string& arch) {
  const std::string wanted = resolve(name);
  if (require_cuda_ && !wanted.starts_with("cuda"))
    throw EnvironmentError("the config requires a CUDA device, but device '" + wanted +
                           "' was chosen");
  return open(wanted, arch);
}

Device& Devices::open(const std::string& wanted, const std::string& arch) {
  if (wanted == "emu" || (wanted == "emu-race" && catalogs_.has_race_build())) {
    const std::string chosen = !options_.emu_arch.empty() ? options_.emu_arch : arch;
    return emulator(wanted, chosen.empty() ? "h200" : chosen);
  }
  if (!cuda_opened_ && catalogs_.has_cuda_build()) cuda_ = catalogs_.make_cuda_devices();
  cuda_opened_ = true;
  for (auto& device : cuda_)
    if (device->id() == wanted) return *device;
  if (wanted.starts_with("cuda"))
    throw EnvironmentError("no device '" + wanted + "': " +
                           (catalogs_.has_cuda_build() ? "no such CUDA device works here"
                                                       : "this build has no CUDA flavour"));
  throw EnvironmentError("no device '" + wanted + "' in this build (devices: emu" +
                         (catalogs_.has_race_build() ? ", emu-race" : "") +
                         (catalogs_.has_cuda_build() ? ", cuda:N)" : ")"));
}

}  // namespace wm
