#include "runner/runner.hpp"

#include <algorithm>
#include <chrono>

#include "core/error.hpp"
#include "core/text.hpp"
#include "runner/case_run.hpp"
#include "runner/environment.hpp"
#include "runner/prepare.hpp"
#include "runner/record.hpp"
#include "runner/select.hpp"
#include "runner/summary.hpp"

namespace wm {
namespace {

using json = nlohmann::ordered_json;

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

CaseSettings settings_of(const Case& item, const RunOptions& options) {
  const std::vector<std::string>& names = item.stages.empty() ? options.stages : item.stages;
  CaseSettings settings;
  settings.stages = {contains(names, "verify"), contains(names, "determinism"),
                     contains(names, "throughput")};
  settings.reruns = item.repeats.value_or(options.reruns);
  settings.schedules = options.schedules;
  settings.guard = options.guard.value_or(item.guard);
  return settings;
}

// One pass over the plan with everything that decides what a case runs on.
class Runner {
 public:
  Runner(const Plan& plan, const RunOptions& options, const CatalogSet& catalogs)
      : plan_(plan),
        options_(options),
        catalogs_(catalogs),
        devices_(catalogs, options, plan.requirements().device == "cuda") {}

  json run(RecordSink& sink, const std::atomic<bool>& stop) {
    const auto start = std::chrono::steady_clock::now();
    const std::int64_t planned = count_records();
    set_reference_threads(options_.threads);
    sink.header(header(planned));
    bool interrupted = false;
    plan_.for_each([&](const Case& item) {
      run_case(item, sink, stop);
      interrupted = stop.load();
      return !interrupted;
    });
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    json text =
        summary_.to_json(wall.count(), interrupted, plan_.requirements().min_passed_per_variant);
    text["planned"] = planned;
    sink.summary(text);
    return text;
  }

 private:
  // Also finds what must stop the run before its first record: devices, names, forced configs.
  std::int64_t count_records() {
    plan_.check_algorithms(
        [this](const std::string& op) { return algorithm_names(catalogs_, op); });
    std::int64_t planned = 0;
    plan_.for_each([&](const Case& item) {
      Device& device = devices_.get(item.device, item.emu_arch);
      if (!first_) first_ = &device;
      const auto selected = select_variants(item, catalog_of(catalogs_, device), options_.filter);
      planned += static_cast<std::int64_t>(selected.size());
      if (!item.config.empty()) check_forced_config(item, device, selected);
      return true;
    });
    return planned;
  }

  static void check_forced_config(const Case& item, Device& device,
                                  const std::vector<Selected>& selected) {
    const Config config = Config::parse(item.config);
    for (const Selected& one : selected)
      if (one.variant && one.variant->supports(item.problem, device.props()).ok())
        one.variant->check_config(item.problem, config);
  }

  json header(std::int64_t planned) const {
    json text{{"schema", "warpmark.header/1"}, {"name", plan_.name()},
              {"plan_hash", plan_.hash()},     {"planned", planned},
              {"stages", options_.stages},     {"command", options_.command},
              {"environment", json::object()}};
    if (first_) text["environment"] = environment_json(*first_);
    return text;
  }

  void run_case(const Case& item, RecordSink& sink, const std::atomic<bool>& stop) {
    Device& device = devices_.get(item.device, item.emu_arch);
    const CaseSettings settings = settings_of(item, options_);
    CaseRunner runner(device, prepared_);
    for (const Selected& one :
         select_variants(item, catalog_of(catalogs_, device), options_.filter)) {
      if (stop.load()) return;
      Case single = item;
      single.algorithm = one.id.algorithm;
      single.device = device.id();
      single.emu_arch = single.emu_arch.empty() ? options_.emu_arch : single.emu_arch;
      single.guard = settings.guard;
      CaseResult result;
      if (one.variant) {
        result = runner.run(single, *one.variant, settings);
      } else {
        result.status = Status::unsupported;
        result.reason = one.reason;
      }
      summary_.add(single, one.id, result);
      sink.record(make_record(single, one.id, device.id(), settings, result));
    }
  }

  const Plan& plan_;
  const RunOptions& options_;
  const CatalogSet& catalogs_;
  Devices devices_;
  Device* first_ = nullptr;
  Prepared prepared_;
  Summary summary_;
};

}  // namespace

std::vector<std::string> algorithm_names(const CatalogSet& catalogs, const std::string& op) {
  std::vector<std::string> names;
  for (const Catalog* catalog : {&catalogs.emu, &catalogs.cuda}) {
    for (const Variant& variant : catalog->variants()) {
      if (variant.id.op != op) continue;
      const std::string& provider = variant.id.provider;
      const std::string name =
          provider == "warpmark" ? variant.id.algorithm : provider + ":" + variant.id.algorithm;
      if (!contains(names, name)) names.push_back(name);
    }
  }
  return names;
}

json run_plan(const Plan& plan, const RunOptions& options, const CatalogSet& catalogs,
              RecordSink& sink, const std::atomic<bool>& stop) {
  return Runner(plan, options, catalogs).run(sink, stop);
}

}  // namespace wm
