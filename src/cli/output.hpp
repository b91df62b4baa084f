#pragma once
// Where the records of a run go: the report folder, standard output, progress on standard error.
#include <chrono>
#include <cstdint>
#include <fstream>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "report/render.hpp"
#include "runner/runner.hpp"

namespace wm {

/// Sends everything to several sinks in order.
class FanOut : public RecordSink {
 public:
  void add(std::unique_ptr<RecordSink> sink) { sinks_.push_back(std::move(sink)); }
  void header(const nlohmann::ordered_json& header) override;
  void record(const nlohmann::ordered_json& record) override;
  void summary(const nlohmann::ordered_json& summary) override;

 private:
  std::vector<std::unique_ptr<RecordSink>> sinks_;
};

/// OUT/records.jsonl, a line flushed a record, and OUT/report.md at the end. The folder is made
/// when the first line is written. Throws EnvironmentError when a write fails (disk full).
class FolderSink : public RecordSink {
 public:
  /// Without `overwrite` a report that appeared meanwhile (another run) is a UsageError.
  FolderSink(std::string folder, bool overwrite)
      : folder_(std::move(folder)), overwrite_(overwrite) {}
  void header(const nlohmann::ordered_json& header) override;
  void record(const nlohmann::ordered_json& record) override;
  void summary(const nlohmann::ordered_json& summary) override;

 private:
  void write(const nlohmann::ordered_json& line);

  std::string folder_;
  bool overwrite_;
  std::ofstream records_;
  report::Rollup rollup_;
};

/// jsonl, table, csv or md on a stream, as records finish (md at the end). A closed stream is left
/// alone: the folder still gets everything.
class StreamSink : public RecordSink {
 public:
  StreamSink(std::ostream& stream, std::string format)
      : stream_(stream), format_(std::move(format)) {}
  static const std::vector<std::string>& formats();
  void header(const nlohmann::ordered_json& header) override;
  void record(const nlohmann::ordered_json& record) override;
  void summary(const nlohmann::ordered_json& summary) override;

 private:
  std::ostream& stream_;
  std::string format_;
  report::Rollup rollup_;
};

/// done/total, rate, time left and findings so far; each finding at once with its repro. On a
/// terminal one line is rewritten, else a line every ten seconds.
class ProgressSink : public RecordSink {
 public:
  ProgressSink(std::ostream& stream, bool terminal) : stream_(stream), terminal_(terminal) {}
  void header(const nlohmann::ordered_json& header) override;
  void record(const nlohmann::ordered_json& record) override;
  void summary(const nlohmann::ordered_json& summary) override;

 private:
  using Clock = std::chrono::steady_clock;
  void print();
  void clear();

  std::ostream& stream_;
  bool terminal_;
  std::int64_t total_ = 0, done_ = 0, red_ = 0;
  Clock::time_point start_, printed_;
};

/// reports/runs/<name>-<utc>-<first 8 of the hash>, made unique.
std::string default_folder(const std::string& name, const std::string& plan_hash);
/// Throws UsageError when the folder has content, unless `force`.
void check_folder(const std::string& folder, bool force);

}  // namespace wm
