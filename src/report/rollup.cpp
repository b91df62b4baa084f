#include "report/rollup.hpp"

#include <algorithm>
#include <cmath>

#include "report/text.hpp"

namespace wm::report {
namespace {

using json = nlohmann::ordered_json;

/// "conv_fwd f32.f32.f32 nchw" of "conv_fwd/direct/f32.f32.f32/nchw".
std::string network_of(const json& record) {
  const std::string variant = text_of(record, "variant");
  const std::string algorithm = text_of(record, "algorithm");
  std::string name = text_of(record, "op");
  const std::size_t at = variant.find("/" + algorithm + "/");
  if (at != std::string::npos) name += " " + variant.substr(at + algorithm.size() + 2);
  std::replace(name.begin(), name.end(), '/', ' ');
  return name;
}

/// Fastest time of each layer over the algorithms.
std::map<std::string, LayerTime> best_of(const Rollup::Layers& layers) {
  std::map<std::string, LayerTime> best;
  for (const auto& [algorithm, times] : layers) {
    for (const auto& [label, time] : times) {
      const auto [at, fresh] = best.emplace(label, time);
      if (!fresh && time.median_ns < at->second.median_ns) at->second = time;
    }
  }
  return best;
}

NetworkTotal total_of(const std::string& network, const std::string& algorithm,
                      const std::map<std::string, LayerTime>& times, std::size_t of_layers) {
  NetworkTotal total{network, algorithm, times.size(), of_layers};
  for (const auto& [label, time] : times) {
    total.total_ns += time.median_ns * static_cast<double>(time.count);
    total.calls += time.count;
  }
  return total;
}

double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }

}  // namespace

void Rollup::record(const json& record) {
  const std::string status = text_of(record, "status");
  ++records_;
  ++by_status_[status];
  add_algorithm(record, status);
  add_layer(record);
  add_counters(record);
  if (!is_red(status)) return;
  ++red_count_;
  std::vector<RedLine>& lines = red_[status];
  if (lines.size() < kMaxRedLines) {
    lines.push_back({status, text_of(record, "variant"), text_of(record, "label"),
                     short_problem(record), text_of(record, "reason"), worst_element(record),
                     text_of(record, "repro")});
  }
}

void Rollup::add_algorithm(const json& record, const std::string& status) {
  const std::string provider = text_of(record, "provider");
  const bool own = provider.empty() || provider == "warpmark";
  const AlgorithmKey key{text_of(record, "op"),
                         (own ? "" : provider + ":") + text_of(record, "algorithm")};
  if (!algorithms_.contains(key)) order_.push_back(key);
  AlgorithmRow& row = algorithms_[key];
  ++row.records;
  ++row.by_status[status];
  const double worst = worst_utilisation(record);
  if (std::isnan(worst) || worst > row.worst_utilisation) {
    row.worst_utilisation = worst;
    row.worst_case = text_of(record, "variant");
  }
  const json& determinism = object_of(record, "determinism");
  if (determinism.contains("observed")) {
    ++row.probed;
    row.claimed += flag_of(determinism, "claimed", false) ? 1 : 0;
    row.differed += flag_of(determinism, "observed", true) ? 0 : 1;
  }
  row.max_abs = larger(largest_accuracy(record, "max_abs"), row.max_abs);
  row.max_ulp = larger(largest_accuracy(record, "max_ulp"), row.max_ulp);
  add_probes(record, row);
  const json& throughput = object_of(record, "throughput");
  row.best_gflops = std::max(row.best_gflops, number_of(throughput, "gflops"));
  row.best_gbytes_s = std::max(row.best_gbytes_s, number_of(throughput, "gbytes_s"));
  row.emulated = row.emulated || flag_of(throughput, "emulated", false);
  emulated_ = emulated_ || row.emulated;
}

void Rollup::add_counters(const json& record) {
  const json& counters = object_of(record, "counters");
  const auto kernels = counters.find("kernels");
  if (kernels == counters.end() || !kernels->is_array()) return;
  for (const json& kernel : *kernels) {
    ++counted_kernels_;
    if (counters_.size() < kMaxCounterRows)
      counters_.push_back({text_of(record, "variant"), short_problem(record), kernel});
  }
}

void Rollup::add_probes(const json& record, AlgorithmRow& row) {
  for (const auto& [name, tensors] :
       object_of(object_of(record, "determinism"), "probes").items()) {
    if (std::find(probe_names_.begin(), probe_names_.end(), name) == probe_names_.end())
      probe_names_.push_back(name);
    const std::string verdict = probe_verdict(tensors);
    ProbeRow& probe = row.probes[name];
    ++(verdict == "same" ? probe.same : verdict == "differs" ? probe.differs : probe.not_run);
  }
}

void Rollup::add_layer(const json& record) {
  const std::string label = text_of(record, "label");
  if (label.empty()) return;
  const auto count = static_cast<std::int64_t>(number_of(record, "count", 1));
  is_network_ = is_network_ || count > 1;
  const json& timing = object_of(record, "timing");
  if (!timing.contains("median_ns")) return;
  LayerTime& time = networks_[network_of(record)][text_of(record, "algorithm")]
                             [label + ": " + short_problem(record)];
  time.median_ns = number_of(timing, "median_ns");
  time.count = count;
}

std::vector<RedLine> Rollup::red_lines() const {
  std::vector<RedLine> lines;
  for (const char* status : {"error", "failed", "nondeterministic", "convention", "mistrusted"}) {
    const auto found = red_.find(status);
    if (found != red_.end()) lines.insert(lines.end(), found->second.begin(), found->second.end());
  }
  return lines;
}

std::vector<NetworkTotal> Rollup::network_totals() const {
  std::vector<NetworkTotal> totals;
  if (!is_network_) return totals;
  for (const auto& [network, layers] : networks_) {
    const auto best = best_of(layers);
    for (const auto& [algorithm, times] : layers) {
      totals.push_back(total_of(network, algorithm, times, best.size()));
    }
    totals.push_back(total_of(network, "", best, best.size()));
  }
  return totals;
}

}  // namespace wm::report
