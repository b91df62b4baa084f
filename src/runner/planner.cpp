#include "runner/planner.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"
#include "runner/environment.hpp"
#include "runner/npy.hpp"
#include "runner/select.hpp"

namespace wm {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* kRaceDevice = "emu-race";

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

void check_forced_config(const Assignment& work, const Catalog& catalog, const Device& device) {
  if (work.item.config.empty()) return;
  const Config config = Config::parse(work.item.config);
  for (const PlannedRecord& record : work.records) {
    const Variant* variant =
        catalog.find(work.item.problem, record.id.algorithm, record.id.provider);
    if (variant && variant->supports(work.item.problem, device.props()).ok())
      variant->check_config(work.item.problem, config);
  }
}

}  // namespace

namespace {

/// A file that does not fit its tensor is a mistake of the plan, not of a record.
void check_files(const Case& item) {
  for (const TensorSources* sources : {&item.inputs, &item.expect})
    for (const auto& [name, source] : *sources) {
      const TensorDesc& desc = item.problem.tensor(name);
      if (source.kind == TensorSource::Kind::npy) check_npy(source.path, desc.dims, desc.dtype);
    }
}

}  // namespace

std::string record_key(const std::string& id, const std::string& variant) {
  return id + ' ' + variant + '\n';
}

CaseSettings Planner::settings_of(const Case& item) const {
  const std::vector<std::string>& names = item.stages.empty() ? options_.stages : item.stages;
  CaseSettings settings;
  settings.stages = {contains(names, "verify"), contains(names, "determinism"),
                     contains(names, "throughput")};
  settings.reruns = item.repeats.value_or(options_.reruns);
  settings.schedules = options_.schedules;
  settings.audit = options_.audit;
  settings.guard = options_.guard.value_or(item.guard);
  settings.count = options_.count;
  settings.timeout_s = options_.timeout_s;
  settings.dump = options_.dump;
  settings.replay = options_.replay;
  return settings;
}

/// Shards are drawn by the id of the case as planned, so that its algorithms stay together.
bool Planner::in_shard(const Case& item) const {
  if (!options_.shard || options_.shard->replicate) return true;
  const auto count = static_cast<std::uint64_t>(options_.shard->count);
  const std::uint64_t id = std::stoull(case_id(item), nullptr, 16);
  return id % count == static_cast<std::uint64_t>(options_.shard->index) - 1;
}

void Planner::walk(const std::function<std::string(const Case&)>& device_of,
                   const Visit& visit) const {
  std::int64_t index = 0;
  const auto visit_on = [&](const Case& item, const std::string& device, CaseSettings settings) {
    Assignment work;
    work.item = item;
    work.settings = std::move(settings);
    work.item.device = device;
    if (!options_.emu_arch.empty()) work.item.emu_arch = options_.emu_arch;
    work.item.guard = work.settings.guard;
    for (Selected& one : select_variants(item, catalog_of(catalogs_, device), options_.filter))
      work.records.push_back({index++, std::move(one.id), std::move(one.reason)});
    return visit(std::move(work), in_shard(item));
  };
  plan_.for_each([&](const Case& item) {
    if (!visit_on(item, device_of(item), settings_of(item))) return false;
    if (!options_.races) return true;
    CaseSettings settings = settings_of(item);
    settings.stages = {true, false, false};
    return visit_on(item, kRaceDevice, settings);
  });
}

json Planner::look() const {
  plan_.check_algorithms([this](const std::string& op) { return algorithm_names(catalogs_, op); });
  Devices devices(catalogs_, options_, plan_.requirements().device == "cuda");
  std::int64_t records = 0, own_records = 0, cases = 0;
  bool uses_cuda = false;
  Device* first = nullptr;
  std::string auto_device;  // of the cases that leave the choice to the run
  Sha256 hash;
  walk(
      [&](const Case& item) {
        Device& device = devices.get(item.device, item.emu_arch);
        if (!first) first = &device;
        if (options_.count) check_counting(device);
        uses_cuda |= device.kind() == DeviceKind::cuda;
        if (item.device.empty()) auto_device = device.id();
        return device.id();
      },
      [&](Assignment&& work, bool own) {
        const Device& device = devices.open(work.item.device, work.item.emu_arch);
        check_forced_config(work, catalog_of(catalogs_, work.item.device), device);
        check_files(work.item);
        for (const PlannedRecord& record : work.records) {
          const std::string key = record_key(case_id(case_of(work, record)), record.id.to_string());
          hash.update(key.data(), key.size());
        }
        const auto count = static_cast<std::int64_t>(work.records.size());
        records += count;
        own_records += own ? count : 0;
        cases += own && count > 0;
        return true;
      });
  return {{"records", records},
          {"own_records", own_records},
          {"cases", cases},
          {"records_hash", hash.hex()},
          {"uses_cuda", uses_cuda},
          {"auto_device", auto_device},
          {"environment", first ? environment_json(*first, options_.redact) : json::object()}};
}

void Planner::for_each(const std::vector<bool>& made,
                       const std::function<bool(Assignment&&)>& visit) const {
  // Only what the look has resolved: a name, or the run's own choice.
  const auto device_of = [&](const Case& item) {
    std::string name = options_.device != "auto" ? options_.device : item.device;
    if (name.empty()) name = facts_.at("auto_device").get<std::string>();
    return name == "cuda" ? std::string("cuda:0") : name;
  };
  walk(device_of, [&](Assignment&& work, bool own) {
    if (!own) return true;
    std::erase_if(work.records, [&](const PlannedRecord& record) {
      const auto at = static_cast<std::size_t>(record.index);
      return at < made.size() && made[at];
    });
    return work.records.empty() || visit(std::move(work));
  });
}

}  // namespace wm
