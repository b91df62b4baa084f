#pragma once
// The probes of one case: what is changed, run again and compared with the first run.
#include <functional>
#include <string>
#include <vector>

#include "ops/embedding.hpp"
#include "registry/catalog.hpp"
#include "runner/case_run.hpp"
#include "runner/fresh_process.hpp"

namespace wm {

/// The run that all others are compared with.
struct FirstRun {
  const Case& item;
  const Variant& variant;
  const Config& config;
  const std::vector<HostTensor>& inputs;
  Execution& execution;
  const RunOutputs& outputs;
};

class Prober {
 public:
  /// Judges other bits against the reference; `which` says which they are.
  using Judge = std::function<void(const RunOutputs&, const std::string& which)>;

  Prober(Device& device, const FirstRun& first, const CaseSettings& settings,
         const ProbeTools& tools, Judge judge, CaseResult& result);

  /// Adds the verdicts to the result; ends at a run that is an error, with that status. An audit
  /// runs every probe the device allows, anything else those that cost little.
  void run();

 private:
  using Probe = void (Prober::*)();
  /// A run of the same problem under other settings, in the buffers of the first.
  struct Rerun {
    ExecutionSettings settings;
    std::string change;
  };

  void rerun();
  void process();
  void schedule();
  void output_poison();
  void workspace_poison();
  void order();
  void alignment();
  void strided();
  void batch();
  void padding();
  void algorithms();
  void config();
  void not_here();

  void run_again(const std::vector<Rerun>& runs, bool timed, bool judged);
  void run_embeddings(const Embeddings& embeddings);
  /// Runs the variant on another problem and compares what both share.
  void run_elsewhere(const Embedding& other, const std::vector<HostTensor>& inputs);
  void run_config(const Config& config);
  void run_fresh(const FreshRequest& request, const std::string& change,
                 ZeroSigns zeros = ZeroSigns::count);

  FreshRequest fresh_request() const;
  Embedding same_problem(std::string change) const;
  std::vector<HostTensor> embedded_inputs(const Embedding& other) const;
  std::vector<Config> other_configs() const;
  ProbeResult& probe() { return result_.probes.back(); }
  /// Why the probe was not (wholly) run; stands in verdicts that have no run.
  void skip(const std::string& why);
  void fail(const std::string& why);
  void fold_whole(std::size_t output, const std::vector<std::byte>& other,
                  const std::string& change, ZeroSigns zeros = ZeroSigns::count);

  Device& device_;
  const FirstRun& first_;
  const CaseSettings& settings_;
  const ProbeTools& tools_;
  Judge judge_;
  CaseResult& result_;
  std::vector<const TensorDesc*> outputs_;
  bool emulated_;
};

}  // namespace wm
