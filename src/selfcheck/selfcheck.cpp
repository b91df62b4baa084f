#include "selfcheck/selfcheck.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "config/case.hpp"
#include "core/text.hpp"
#include "runner/case_run.hpp"
#include "runner/runner.hpp"
#include "selfcheck/faults.hpp"

namespace wm::selfcheck {
namespace {

/// The plain product that corruptions start from.
constexpr const char* kProduct = "f16_accumulation";

/// What turned a verdict red; empty for a green one.
std::string gate_of(const Case& item, const CaseResult& result) {
  switch (result.status) {
    case Status::failed:
      return uses_gate_i(item) ? "indexing" : "precision";
    case Status::error:
      return result.reason.starts_with("race at") ? "race" : "fault";
    case Status::nondeterministic:
      for (const ProbeResult& probe : result.probes)
        if (probe.differs() && result.reason.starts_with("probe " + probe.name))
          return probe.name.ends_with("poison") ? "poison" : probe.name;
      return "";
    case Status::passed:
      return "";
    case Status::mistrusted:
    case Status::unsupported:
    case Status::skipped:
      break;
  }
  throw std::logic_error("selfcheck: " + to_case_string(item) + ": " +
                         std::string(name_of(result.status)) + ": " + result.reason);
}

class Checker {
 public:
  Checker(const CatalogSet& catalogs, const std::function<void(const Row&)>& visit)
      : catalogs_(catalogs), visit_(visit), device_(make_emu_device(emu_arch("h200"))) {
    if (!catalogs.selfcheck_race.variants().empty())
      race_device_ = make_emu_race_device(emu_arch("h200"));
  }

  void check(const Fault& fault, const std::string& recipe) {
    Row row;
    row.fault = fault.name;
    row.recipe = recipe;
    const std::string& gate = recipe == "exact" ? fault.exact_gate : fault.normal_gate;
    row.expected = !gate.empty();
    if (fault.race && !race_device_) {
      row.ran = false;
      row.reason = "this build has no emu-race";
      return visit_(row);
    }
    const std::string algorithm = "faulty_" + fault.algorithm;
    const Case item = make(fault, recipe, fault.corruption ? plain_product() : algorithm);
    const CaseResult result = fault.corruption ? run_corrupted(item, *fault.corruption)
                                               : run_case(fault, item, variant_of(fault, item));
    row.gate = gate_of(item, result);
    row.caught = !row.gate.empty() && (gate.empty() || row.gate == gate);
    row.reason = result.reason;
    if (!row.gate.empty() && !row.caught)
      row.reason = "not by gate " + gate + " but by " + row.gate + ": " + result.reason;
    if (row.gate.empty()) row.reason = row.expected ? "passed" : fault.why_blind;
    visit_(row);
  }

  /// The kernel of `fault` without it.
  void control(const Fault& fault, const std::string& recipe) {
    if (fault.race && !race_device_) return;
    const Case item = make(fault, recipe, "sound_" + fault.algorithm);
    visit_control("control: " + fault.name, item, run_case(fault, item, variant_of(fault, item)));
  }

  /// The plain product, and one of its elements as far off as its bound allows.
  void control_product(const Fault& like, const std::string& recipe) {
    const Case item = make(like, recipe, plain_product());
    visit_control("control: the product that is corrupted", item,
                  run_case(like, item, variant_of(like, item)));
    visit_control("control: one element off by just less than its bound", item,
                  run_corrupted(item, Corruption::just_inside));
  }

 private:
  static std::string plain_product() { return std::string("sound_") + kProduct; }

  static Case make(const Fault& fault, const std::string& recipe, const std::string& algorithm) {
    return parse_case_string(fault.problem + " recipe=" + recipe + " algo=" + algorithm);
  }

  const Catalog& catalog(const Fault& fault) const {
    return fault.race ? catalogs_.selfcheck_race : catalogs_.selfcheck;
  }

  const Variant& variant_of(const Fault& fault, const Case& item) const {
    const Variant* variant = catalog(fault).find(item.problem, item.algorithm);
    if (variant == nullptr) throw std::logic_error("selfcheck: no variant " + item.algorithm);
    return *variant;
  }

  CaseResult run_case(const Fault& fault, const Case& item, const Variant& variant) {
    CaseSettings settings;
    settings.stages.throughput = false;
    settings.audit = fault.audit;
    Device& device = fault.race ? *race_device_ : *device_;
    return CaseRunner(device, prepared_, {&catalog(fault), nullptr}).run(item, variant, settings);
  }

  CaseResult run_corrupted(const Case& item, Corruption corruption) {
    const Fault plain;
    const Variant& sound = variant_of(plain, item);
    const Claims claims = sound.claims(item.problem, Config{});
    Case other = item;
    other.seed += 1;
    prepared_.use(other);
    Planted planted;
    planted.elsewhere = prepared_.expected(claims).front();
    prepared_.use(item);
    planted.expected = prepared_.expected(claims).front();
    planted.problem = item.problem;
    planted.inputs = prepared_.inputs();
    planted.rule = item.problem.op->bound_rule(item.problem, item.problem.tensor("d"), claims);
    planted.gate = uses_gate_i(item) ? Gate::indexing : Gate::precision;
    return run_case(plain, item, corrupted(sound, corruption, std::move(planted)));
  }

  void visit_control(const std::string& name, const Case& item, const CaseResult& result) {
    Row row;
    row.fault = name;
    row.recipe = item.recipe;
    row.control = true;
    row.gate = gate_of(item, result);
    row.caught = !row.gate.empty();
    row.reason = row.caught ? result.reason : "passed";
    visit_(row);
  }

  const CatalogSet& catalogs_;
  const std::function<void(const Row&)>& visit_;
  std::unique_ptr<Device> device_, race_device_;
  Prepared prepared_;
};

}  // namespace

void run(const CatalogSet& catalogs, const std::function<void(const Row&)>& visit) {
  Checker checker(catalogs, visit);
  for (const Fault& fault : faults())
    for (const char* recipe : {"exact", "normal"}) checker.check(fault, recipe);
  for (const char* recipe : {"exact", "normal"}) checker.control_product(faults().front(), recipe);
  for (const Fault& fault : faults()) {
    if (fault.corruption) continue;
    for (const char* recipe : {"exact", "normal"}) checker.control(fault, recipe);
  }
}

}  // namespace wm::selfcheck
