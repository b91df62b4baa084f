#pragma once
// One case with one variant on one device, from support answer to verdict.
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/case.hpp"
#include "determinism/compare.hpp"
#include "gpu/device.hpp"
#include "registry/catalog.hpp"
#include "runner/case_tree.hpp"
#include "runner/counting.hpp"
#include "runner/execution.hpp"
#include "runner/prepare.hpp"
#include "verify/judge.hpp"

namespace wm {

enum class Status { passed, failed, nondeterministic, mistrusted, unsupported, skipped, error };
std::string_view name_of(Status status);

struct Stages {
  bool verify = true, determinism = true, throughput = true;
};

struct CaseSettings {
  Stages stages;
  int reruns = 2;
  int schedules = 2;
  bool audit = false;  ///< every probe the device allows
  int samples = 3;     ///< of the timing
  Guard guard = Guard::none;
  bool count = false;    ///< the device can
  double timeout_s = 0;  ///< of one record in a worker process; 0: none
  std::string dump;      ///< folder for the tensors; empty: none
  std::string replay;    ///< folder for inputs too long for a repro line; empty: they stand in it
};

struct ProbeResult {
  std::string name;
  std::vector<std::pair<std::string, ProbeVerdict>> tensors;

  bool differs() const;  ///< for some tensor
  bool ran() const;      ///< for every tensor
};

class FreshProcess;

/// What probes need beyond the case.
struct ProbeTools {
  const Catalog* catalog = nullptr;  ///< of the device; for an audit
  FreshProcess* fresh = nullptr;     ///< null: this run makes no processes
};

struct Timing {
  std::vector<double> samples_ns;
  double median_ns = 0, low_ns = 0, high_ns = 0, mad_ns = 0;
};
/// Median, the order-statistic interval that covers it (min and max below 6 samples), MAD.
Timing summarise(std::vector<double> samples_ns);

struct CaseResult {
  Status status = Status::passed;
  std::string reason;
  std::string config;
  bool ran = false;  ///< the kernel was launched and came back
  Claims claims;
  std::size_t workspace_bytes = 0;
  std::vector<std::pair<std::string, TensorAccuracy>> accuracy;
  std::vector<std::pair<std::string, std::string>> digests, canonical_digests;
  std::vector<ProbeResult> probes;
  std::optional<CaseTree> tree;
  Timing timing;

  std::optional<CaseCounters> counters;

  bool observed_deterministic() const;
};

class CaseRunner {
 public:
  CaseRunner(Device& device, Prepared& prepared, const ProbeTools& tools)
      : device_(device), prepared_(prepared), tools_(tools) {}
  CaseResult run(const Case& item, const Variant& variant, const CaseSettings& settings);

 private:
  bool refuse(const Case& item, const Variant& variant, const CaseSettings& settings,
              CaseResult& result);
  void execute(const Case& item, const Variant& variant, const CaseSettings& settings,
               CaseResult& result);
  void verify(const Case& item, const RunOutputs& outputs, const std::string& which,
              CaseResult& result);
  void check_expect(const Case& item, const RunOutputs& outputs, CaseResult& result);
  void dump(const Case& item, const Variant& variant, const std::string& folder,
            const RunOutputs& outputs, const CaseResult& result);
  std::string broken_claim(const Case& item, const ProbeResult& probe, const Claims& claims) const;
  void conclude(const Case& item, CaseResult& result);

  Device& device_;
  Prepared& prepared_;
  ProbeTools tools_;
};

/// Host memory that a case takes, in bytes: its tensors, and values and reference in double.
double host_bytes_needed(const Problem& problem);
/// Free host memory, in bytes; infinity where unknown.
double available_host_bytes();

/// Whether gate I applies to the case: exact recipe, inputs not overridden.
bool uses_gate_i(const Case& item);

}  // namespace wm
