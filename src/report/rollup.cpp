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

}  // namespace

void Rollup::record(const json& record) {
  const std::string status = text_of(record, "status");
  ++records_;
  ++by_status_[status];
  add_algorithm(record, status);
  add_layer(record);
  if (!is_red(status)) return;
  ++red_count_;
  if (red_.size() < kMaxRedLines) {
    red_.push_back({status, text_of(record, "variant"), text_of(record, "label"),
                    short_problem(record), text_of(record, "reason"), text_of(record, "repro")});
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
    row.claimed += determinism.value("claimed", false) ? 1 : 0;
    row.differed += determinism.value("observed", true) ? 0 : 1;
  }
  const json& throughput = object_of(record, "throughput");
  row.best_gflops = std::max(row.best_gflops, number_of(throughput, "gflops"));
  row.best_gbytes_s = std::max(row.best_gbytes_s, number_of(throughput, "gbytes_s"));
  row.emulated = row.emulated || throughput.value("emulated", false);
  emulated_ = emulated_ || row.emulated;
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

}  // namespace wm::report
