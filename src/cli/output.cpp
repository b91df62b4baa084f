#include "cli/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <filesystem>

#include "core/error.hpp"
#include "report/text.hpp"

namespace wm {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> buffer{};
  const std::size_t length = std::strftime(buffer.data(), buffer.size(), "%Y%m%dT%H%M%SZ", &parts);
  return {buffer.data(), length};
}

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

void FolderSink::header(const json& header) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw EnvironmentError("cannot make the folder " + folder_ + ": " + error.message());
  fs::remove(fs::path(folder_) / "report.md", error);  // of an overwritten run
  const fs::path records = fs::path(folder_) / "records.jsonl";
  const int claimed = open(records.c_str(), O_WRONLY | O_CREAT | (overwrite_ ? 0 : O_EXCL), 0666);
  if (claimed < 0 && errno == EEXIST)
    throw UsageError("another run has just begun to write " + records.string());
  if (claimed >= 0) close(claimed);
  records_.open(records, std::ios::trunc);
  rollup_.header(header);
  write(header);
}

void FolderSink::record(const json& record) {
  rollup_.record(record);
  write(record);
}

void FolderSink::summary(const json& summary) {
  rollup_.summary(summary);
  write(summary);
  std::ofstream file(fs::path(folder_) / "report.md", std::ios::trunc);
  file << report::markdown(rollup_);
  file.close();
  if (!file) throw EnvironmentError("cannot write " + folder_ + "/report.md (disk full?)");
}

void FolderSink::write(const json& line) {
  records_ << line.dump(-1, ' ', false, json::error_handler_t::replace) << '\n' << std::flush;
  if (!records_) throw EnvironmentError("cannot write " + folder_ + "/records.jsonl (disk full?)");
}

const std::vector<std::string>& StreamSink::formats() {
  static const std::vector<std::string> names{"jsonl", "table", "csv", "md"};
  return names;
}

void StreamSink::header(const json& header) {
  rollup_.header(header);
  if (format_ == "jsonl") stream_ << header.dump() << '\n';
  if (format_ == "table") stream_ << report::table_heading();
  if (format_ == "csv") stream_ << report::csv_heading();
  stream_ << std::flush;
}

void StreamSink::record(const json& record) {
  rollup_.record(record);
  if (format_ == "jsonl") {
    stream_ << record.dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
  }
  if (format_ == "table") stream_ << report::table_row(record);
  if (format_ == "csv") stream_ << report::csv_row(record);
  stream_ << std::flush;
}

void StreamSink::summary(const json& summary) {
  rollup_.summary(summary);
  if (format_ == "jsonl") stream_ << summary.dump() << '\n';
  if (format_ == "table") stream_ << report::table_end(rollup_);
  if (format_ == "md") stream_ << report::markdown(rollup_);
  stream_ << std::flush;
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
    stream_ << status << ": " << report::text_of(record, "variant") << ": "
            << report::text_of(record, "reason") << "\n  " << report::text_of(record, "repro")
            << "\n";
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
  const std::string base =
      "reports/runs/" + file_name_of(name) + "-" + utc_now() + "-" + plan_hash.substr(0, 8);
  std::string folder = base;
  for (int i = 2; fs::exists(folder); ++i) folder = base + "-" + std::to_string(i);
  return folder;
}

void check_folder(const std::string& folder, bool force) {
  if (!fs::exists(folder)) return;
  if (!fs::is_directory(folder)) throw UsageError("--out " + folder + ": is not a folder");
  if (!force && !fs::is_empty(folder)) {
    throw UsageError("--out " + folder + ": not empty; --force overwrites the report in it");
  }
}

}  // namespace wm
