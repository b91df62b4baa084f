#include "cli/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "core/error.hpp"
#include "report/escape.hpp"
#include "report/text.hpp"
#include "runner/environment.hpp"

namespace wm {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

/// A name as part of a folder's name.
std::string file_name_of(const std::string& name) {
  std::string clean;
  for (char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' ||
                       c == '.' || c == '+';
    clean += plain ? c : '_';
  }
  return clean.substr(0, 80);
}

report::Rollup read_rollup(const std::string& file) {
  report::Rollup rollup;
  std::ifstream stream(file);
  report::read_report(
      stream, file, [&](const json& header) { rollup.header(header); },
      [&](const json& record) { rollup.record(record); },
      [&](const json& summary) { rollup.summary(summary); });
  return rollup;
}

std::string seconds_text(double seconds) { return report::duration(seconds * 1e9); }

}  // namespace

void FanOut::header(const json& header) {
  for (auto& sink : sinks_) sink->header(header);
}
void FanOut::record(const json& record) {
  for (auto& sink : sinks_) sink->record(record);
}
void FanOut::summary(const json& summary) {
  for (auto& sink : sinks_) sink->summary(summary);
}

ReportFiles::ReportFiles(const std::string& folder, const std::optional<Shard>& shard) {
  const std::string part =
      shard ? "-" + std::to_string(shard->index) + "-of-" + std::to_string(shard->count) : "";
  records = (fs::path(folder) / ("records" + part + ".jsonl")).string();
  report = (fs::path(folder) / ("report" + part + ".md")).string();
}

void FolderSink::header(const json& header) {
  journal_.header(header);
  std::error_code error;
  fs::remove(files_.report, error);  // of an overwritten run
  rollup_.header(header);
}

void FolderSink::record(const json& record) {
  rollup_.record(record);
  journal_.record(record);
}

void FolderSink::summary(const json& summary) {
  journal_.close(summary);
  rollup_.summary(summary);
  if (!journal_.in_order()) rollup_ = read_rollup(files_.records);
  std::ofstream file(files_.report, std::ios::trunc);
  file << report::markdown(rollup_);
  file.close();
  if (!file) throw EnvironmentError("cannot write " + files_.report + " (disk full?)");
}

const std::vector<std::string>& StreamSink::formats() {
  static const std::vector<std::string> names{"jsonl", "table", "csv", "md"};
  return names;
}

void StreamSink::flush() {
  errno = 0;
  if (!stream_.flush() && errno == ENOSPC) full_ = true;
}

void StreamSink::header(const json& header) {
  rollup_.header(header);
  if (format_ == "jsonl")
    stream_ << header.dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
  if (format_ == "table") stream_ << report::table_heading();
  if (format_ == "csv") stream_ << report::csv_heading();
  flush();
}

void StreamSink::record(const json& record) {
  rollup_.record(record);
  if (format_ == "jsonl") {
    stream_ << record.dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
  }
  if (format_ == "table") stream_ << report::table_row(record);
  if (format_ == "csv") stream_ << report::csv_row(record);
  flush();
}

void StreamSink::summary(const json& summary) {
  rollup_.summary(summary);
  if (format_ == "jsonl")
    stream_ << summary.dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
  if (format_ == "table") stream_ << report::table_end(rollup_);
  if (format_ == "md") stream_ << report::markdown(rollup_);
  flush();
  if (full_) throw EnvironmentError("standard output cannot be written: no space left");
}

void ProgressSink::header(const json& header) {
  total_ = static_cast<std::int64_t>(report::number_of(header, "planned"));
  start_ = printed_ = Clock::now();
  const json& device = report::object_of(report::object_of(header, "environment"), "device");
  stream_ << total_ << " records planned on device " << report::text_of(device, "id") << " ("
          << report::text_of(device, "name")
          << (device.value("emulated", false) ? ", emulated" : "") << ")\n";
}

void ProgressSink::record(const json& record) {
  ++done_;
  const std::string status = report::text_of(record, "status");
  if (report::is_red(status)) {
    ++red_;
    clear();
    // One line each: what a user wrote cannot pass for a line of its own.
    stream_ << status << ": " << report::one_line(report::text_of(record, "variant")) << ": "
            << report::one_line(report::text_of(record, "reason")) << "\n  "
            << report::one_line(report::text_of(record, "repro")) << "\n";
  }
  const double pause = terminal_ ? 0.2 : 10;
  if (std::chrono::duration<double>(Clock::now() - printed_).count() >= pause) print();
}

void ProgressSink::summary(const json& summary) {
  clear();
  stream_ << done_ << "/" << total_ << " records, " << red_ << " findings, "
          << seconds_text(report::number_of(summary, "wall_s"))
          << (summary.value("interrupted", false) ? ", interrupted" : "") << "\n";
}

void ProgressSink::clear() {
  if (terminal_) stream_ << "\r\033[K";
}

void ProgressSink::print() {
  printed_ = Clock::now();
  const double elapsed = std::chrono::duration<double>(printed_ - start_).count();
  const double rate = elapsed > 0 ? static_cast<double>(done_) / elapsed : 0;
  const double left = rate > 0 ? static_cast<double>(total_ - done_) / rate : 0;
  clear();
  stream_ << done_ << "/" << total_ << ", " << report::short_number(rate) << "/s, "
          << seconds_text(left) << " left, " << red_ << " findings" << (terminal_ ? "" : "\n")
          << std::flush;
}

std::string default_folder(const std::string& name, const std::string& plan_hash) {
  const std::string base = "reports/runs/" + file_name_of(name) + "-" + utc_now("%Y%m%dT%H%M%SZ") +
                           "-" + plan_hash.substr(0, 8);
  std::string folder = base;
  for (int i = 2; fs::exists(folder); ++i) folder = base + "-" + std::to_string(i);
  return folder;
}

void check_folder(const std::string& folder, const std::optional<Shard>& shard) {
  if (!fs::exists(folder)) return;
  if (!fs::is_directory(folder)) throw UsageError("--out " + folder + ": is not a folder");
  if (shard) {
    const std::string own = ReportFiles(folder, shard).records;
    for (const std::string& file : {own, own + ".part"})
      if (fs::exists(file))
        throw UsageError("--out " + folder + ": has " + file +
                         " already; --resume goes on with it, --force overwrites it");
    return;
  }
  if (!fs::is_empty(folder))
    throw UsageError("--out " + folder +
                     ": not empty; --resume goes on with the report in it, --force overwrites it");
}

RunOutcome outcome_of(const nlohmann::ordered_json& summary, bool sweep) {
  RunOutcome outcome;
  for (const auto& [status, count] : report::object_of(summary, "counts").items()) {
    outcome.by_status[status] = count.get<std::int64_t>();
  }
  outcome.interrupted = summary.value("interrupted", false);
  const auto& coverage = report::object_of(summary, "coverage");
  outcome.below_coverage = !coverage.value("below_min", nlohmann::ordered_json::array()).empty();
  const auto& mistrusted = report::object_of(summary, "mistrusted");
  outcome.mistrusted_variants = sweep && report::number_of(mistrusted, "count") > 0;
  return outcome;
}

/// Why the exit code is bad where no record tells.
void print_unmet(const nlohmann::ordered_json& summary, int code) {
  if (code == kNothingMatched) std::cerr << "nothing matched: no record was planned\n";
  const auto& coverage = report::object_of(summary, "coverage");
  for (const auto& each : coverage.value("below_min", nlohmann::ordered_json::array())) {
    std::cerr << "coverage: " << report::text_of(each, "variant") << " passed "
              << report::number_of(each, "passed") << ", fewer than "
              << report::number_of(coverage, "min_passed_per_variant") << "\n";
  }
  const auto& mistrusted = report::object_of(summary, "mistrusted");
  for (const auto& each : mistrusted.value("listed", nlohmann::ordered_json::array())) {
    std::cerr << "mistrusted: " << report::text_of(each, "variant")
              << ": no gate could have seen a lost term; add the recipe exact\n  "
              << report::text_of(each, "repro") << "\n";
  }
}

}  // namespace wm
