#pragma once
// What a report says beyond single records, gathered one record at a time so that a report of any
// length renders in bounded memory. Only finished records are read; nothing is judged here.
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

namespace wm::report {

/// Red lines of each status kept for the report; the counts are always complete.
inline constexpr std::size_t kMaxRedLines = 500;
/// The same for kernels that were counted.
inline constexpr std::size_t kMaxCounterRows = 500;

/// Records by what a probe saw.
struct ProbeRow {
  std::int64_t same = 0, differs = 0, not_run = 0;
};

/// One algorithm of one op over all its records.
struct AlgorithmRow {
  std::map<std::string, std::int64_t> by_status;
  std::int64_t records = 0;
  double worst_utilisation = -1;  ///< -1: nothing compared
  std::string worst_case;         ///< variant that had it
  std::int64_t claimed = 0;       ///< records that claim to be deterministic
  std::int64_t probed = 0;        ///< records with a determinism stage
  std::int64_t differed = 0;      ///< of those, observed to differ
  std::map<std::string, ProbeRow> probes;
  double max_abs = -1, max_ulp = -1;  ///< -1: nothing compared
  double best_gflops = 0;
  double best_gbytes_s = 0;
  bool emulated = false;
};

/// Time of one layer (label and problem) with one algorithm.
struct LayerTime {
  double median_ns = 0;
  std::int64_t count = 1;
};

struct RedLine {
  std::string status, variant, label, problem, reason, worst, repro;
};

/// Time of a network's layers, each multiplied by how often it occurs.
struct NetworkTotal {
  std::string network;    ///< op, dtypes and layout
  std::string algorithm;  ///< empty: the fastest of each layer
  std::size_t layers = 0, of_layers = 0;
  std::int64_t calls = 0;
  double total_ns = 0;

  bool whole() const { return layers == of_layers; }
};

/// Counters of one kernel of one record.
struct CounterRow {
  std::string variant, problem;
  nlohmann::ordered_json kernel;
};

class Rollup {
 public:
  void header(const nlohmann::ordered_json& header) { header_ = header; }
  void record(const nlohmann::ordered_json& record);
  void summary(const nlohmann::ordered_json& summary) { summary_ = summary; }

  /// (op, algorithm) in the order of first appearance.
  using AlgorithmKey = std::pair<std::string, std::string>;
  /// Op, dtypes and layout ("conv_fwd f32.f32.f32 nchw") of layers measured alike.
  using Layers = std::map<std::string, std::map<std::string, LayerTime>>;  // algorithm -> layer

  const nlohmann::ordered_json& header() const { return header_; }
  const nlohmann::ordered_json& summary() const { return summary_; }
  bool has_summary() const { return !summary_.is_null(); }
  const std::map<std::string, std::int64_t>& by_status() const { return by_status_; }
  std::int64_t records() const { return records_; }
  const std::vector<AlgorithmKey>& algorithm_order() const { return order_; }
  const AlgorithmRow& algorithm(const AlgorithmKey& key) const { return algorithms_.at(key); }
  /// The kept red lines, the gravest status first (error, failed, nondeterministic, convention,
  /// mistrusted), each in the order of the records.
  std::vector<RedLine> red_lines() const;
  std::int64_t red_count() const { return red_count_; }
  /// The first kMaxCounterRows kernels of counted records.
  const std::vector<CounterRow>& counter_rows() const { return counters_; }
  std::int64_t counted_kernels() const { return counted_kernels_; }
  const std::map<std::string, Layers>& networks() const { return networks_; }
  /// Whether the labelled records are the layers of a network: some occur more than once.
  bool is_network() const { return is_network_; }
  bool emulated() const { return emulated_; }
  /// Totals by algorithm and of the fastest, where the records are of a network.
  std::vector<NetworkTotal> network_totals() const;
  /// Names of the probes seen, in the order of first appearance.
  const std::vector<std::string>& probe_names() const { return probe_names_; }

 private:
  void add_algorithm(const nlohmann::ordered_json& record, const std::string& status);
  void add_probes(const nlohmann::ordered_json& record, AlgorithmRow& row);
  void add_layer(const nlohmann::ordered_json& record);
  void add_counters(const nlohmann::ordered_json& record);

  nlohmann::ordered_json header_ = nlohmann::ordered_json::object();
  nlohmann::ordered_json summary_;
  std::map<std::string, std::int64_t> by_status_;
  std::int64_t records_ = 0;
  std::vector<AlgorithmKey> order_;
  std::map<AlgorithmKey, AlgorithmRow> algorithms_;
  std::vector<std::string> probe_names_;
  std::map<std::string, std::vector<RedLine>> red_;  // by status
  std::int64_t red_count_ = 0;
  std::vector<CounterRow> counters_;
  std::int64_t counted_kernels_ = 0;
  std::map<std::string, Layers> networks_;
  bool is_network_ = false;
  bool emulated_ = false;
};

}  // namespace wm::report
