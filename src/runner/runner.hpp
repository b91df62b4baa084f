#pragma once
// From a plan to records: algorithm patterns are expanded against the catalogs, each case runs
// through verify, determinism and throughput, and each record goes to the sink as it is finished.
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/case.hpp"
#include "config/plan.hpp"
#include "registry/catalog_set.hpp"

namespace wm {

/// Part `index` (from 1) of `count` of a plan. With `replicate` every part is the whole.
struct Shard {
  int index = 1, count = 1;
  bool replicate = false;
};

using RecordVisitor = std::function<void(const nlohmann::ordered_json&)>;

struct RunOptions {
  std::vector<std::string> stages{"verify", "determinism", "throughput"};
  std::string device = "auto";  ///< emu, cuda, cuda:1, auto
  std::string filter;           ///< glob over variant ids
  std::string emu_arch;         ///< h200 when empty
  std::optional<Guard> guard;   ///< overrides a case's own
  unsigned threads = 0;         ///< CPU threads of all worker processes together; 0: all cores
  bool isolate = false;         ///< make records in worker processes; not in this one
  bool count = false;           ///< counters; runs on emu-race unless told otherwise
  double timeout_s = 600;       ///< of one record in a worker process; 0: none
  bool redact = false;          ///< leave the names of host and user out of the header
  double budget_s = 0;          ///< of the whole run; 0: none
  std::string dump;             ///< folder for the tensors of every case; empty: none
  std::string replay;           ///< folder for inputs too long for a repro line; empty: none
  std::optional<Shard> shard;
  int reruns = 2;      ///< runs compared by the probe `rerun`
  int schedules = 2;   ///< schedules compared by the probe `schedule`, the base included
  bool audit = false;  ///< every probe the device allows
  bool races = false;  ///< each case also on emu-race, verified only: a record more each
  std::vector<std::string> command;  ///< for the header
  /// Visits the records that an interrupted run of the same plan has left; empty: there are none.
  std::function<void(const RecordVisitor&)> earlier;
};

class RecordSink {
 public:
  virtual ~RecordSink() = default;
  /// Throws UsageError when it continues a report that the header does not fit.
  virtual void header(const nlohmann::ordered_json& header) = 0;
  virtual void record(const nlohmann::ordered_json& record) = 0;
  virtual void summary(const nlohmann::ordered_json& summary) = 0;
};

/// Runs the plan; `stop` ends it early (the summary then says interrupted): at once with worker
/// processes, whose running records are lost, else between records. Returns the summary. Throws
/// UsageError and ConfigError before the first record only, EnvironmentError at any time.
nlohmann::ordered_json run_plan(const Plan& plan, const RunOptions& options,
                                const CatalogSet& catalogs, RecordSink& sink,
                                const std::atomic<bool>& stop);

/// Shapes, FLOPs, bytes, every algorithm's support answer, workspace, claims and bound.
nlohmann::ordered_json explain_case(const Case& item, const RunOptions& options,
                                    const CatalogSet& catalogs);

/// Architectures --emu-arch knows, the default one first.
std::vector<std::string> emu_arch_names();
/// Their properties, in the same order.
std::vector<DeviceProps> emu_arch_list();
/// "h200", or "gpu.json" for a description of the user's own; "h200+ieee" to compute with another
/// tensor-core model (core/mma_model.hpp). Throws UsageError, ConfigError for a wrong description.
DeviceProps emu_arch(const std::string& name);

/// Algorithm names of the catalogs' variants of one op, for check_algorithm_name.
std::vector<std::string> algorithm_names(const CatalogSet& catalogs, const std::string& op);

}  // namespace wm
