#include "race/planted.hpp"

#include <vector>

#include "core/error.hpp"
#include "registry/catalog.hpp"

namespace wm::planted_kernels {
void register_all(Catalog& catalog);
}

namespace wm::test {
namespace {

const Catalog& catalog() {
  static const Catalog instance = [] {
    Catalog made;
    planted_kernels::register_all(made);
    return made;
  }();
  return instance;
}

}  // namespace

PlantedRun::PlantedRun(std::size_t element_bytes)
    : device_(make_emu_race_device(DeviceProps{})),
      buffer_(device_->allocate("data", 8192, element_bytes, Guard::none)) {
  const std::vector<char> zeros(buffer_->bytes());
  device_->upload(*buffer_, zeros.data(), zeros.size());
}

std::string PlantedRun::operator()(const std::string& kernel, const Schedule& schedule) {
  device_->set_schedule(schedule);
  LaunchArgs args;
  args.workspace = buffer_->data();
  args.stream = device_->stream();
  for (const Variant& variant : catalog().variants()) {
    if (variant.id.algorithm != kernel) continue;
    try {
      variant.launch(Problem{}, Config{}, args);
      return {};
    } catch (const KernelError& error) {
      return error.what();
    }
  }
  return "no such kernel";
}

}  // namespace wm::test
