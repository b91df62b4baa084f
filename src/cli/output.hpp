#pragma once
// Where the records of a run go: the report folder, standard output, progress on standard error.
#include <chrono>
#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "report/render.hpp"
#include "runner/journal.hpp"
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

/// Names inside a report folder: records.jsonl and report.md, or those of one shard
/// (records-2-of-3.jsonl, report-2-of-3.md).
struct ReportFiles {
  std::string records, report;
  ReportFiles(const std::string& folder, const std::optional<Shard>& shard);
};

/// OUT/records.jsonl, journalled a record at a time, and OUT/report.md at the end. The folder is
/// made when the first line is written. Throws EnvironmentError when a write fails (disk full).
class FolderSink : public RecordSink {
 public:
  FolderSink(ReportFiles files, Journal::Mode mode, bool is_shard)
      : files_(std::move(files)), journal_(files_.records, mode, is_shard) {}
  void header(const nlohmann::ordered_json& header) override;
  void record(const nlohmann::ordered_json& record) override;
  void summary(const nlohmann::ordered_json& summary) override;
  const Journal& journal() const { return journal_; }

 private:
  ReportFiles files_;
  Journal journal_;
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
  void flush();

  std::ostream& stream_;
  std::string format_;
  bool full_ = false;  ///< a write found no space
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
/// Throws UsageError when the folder has content; shards may share one, but for their own files.
void check_folder(const std::string& folder, const std::optional<Shard>& shard);

/// What exit_code_of needs of a summary. `sweep`: findings over several cases count.
RunOutcome outcome_of(const nlohmann::ordered_json& summary, bool sweep);
/// On standard error: why the exit code is bad where no record tells.
void print_unmet(const nlohmann::ordered_json& summary, int code);

}  // namespace wm
