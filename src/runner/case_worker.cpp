#include "runner/case_worker.hpp"

#include <stdexcept>

#include "runner/dump.hpp"
#include "runner/record.hpp"

namespace wm {

const Variant* CaseWorker::find(const Catalog& catalog, const std::string& name) {
  auto& known = variants_[&catalog];
  if (known.empty())
    for (const Variant& variant : catalog.variants()) known[variant.id.to_string()] = &variant;
  const auto found = known.find(name);
  if (found == known.end()) throw std::logic_error("no variant " + name);
  return found->second;
}

nlohmann::ordered_json CaseWorker::run(const Case& item, const CaseSettings& settings,
                                       std::int64_t index, const std::string& name) {
  Device& device = devices_.open(item.device, item.emu_arch);
  const Catalog& catalog = catalog_of(catalogs_, device.id());
  const Variant& variant = *find(catalog, name);
  Case single = item;
  single.algorithm = variant.id.algorithm;
  CaseResult result;
  try {
    result = CaseRunner(device, prepared_, {&catalog, fresh_}).run(single, variant, settings);
  } catch (const DumpError&) {
    throw;  // ends the run
  } catch (const std::exception& error) {
    result.status = Status::error;
    result.reason = error.what();
    spent_ = true;
  }
  return make_record(single, variant.id, index, settings, result);
}

}  // namespace wm
