#include "runner/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/error.hpp"

namespace wm {
namespace {

using json = nlohmann::ordered_json;

std::string text_of(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// Calls visit(line, where it begins) for the whole lines of a file until it returns false.
void for_each_line(const std::string& file,
                   const std::function<bool(const std::string&, off_t)>& visit) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw UsageError("cannot read " + file + ": no such file, or not readable");
  std::string line;
  off_t begin = 0;
  while (std::getline(stream, line) && !stream.eof()) {
    if (!visit(line, begin)) return;
    begin += static_cast<off_t>(line.size()) + 1;
  }
}

/// A record of a line; a null value for anything else.
json record_of(const std::string& line) {
  json value = json::parse(line, nullptr, false);
  const bool is_record = value.is_object() && value.value("schema", "") == "warpmark.record/1" &&
                         value.contains("index");
  return is_record ? value : json();
}

/// What must agree for records of two runs to stand in one report.
void check_same_run(const std::string& file, const json& before, const json& now) {
  for (const char* key : {"plan_hash", "records_hash", "stages", "settings", "shard"}) {
    const json old = before.value(key, json()), fresh = now.value(key, json());
    if (old != fresh)
      throw UsageError("--resume: " + file + " was begun with " + key + " " + old.dump() +
                       ", this run has " + fresh.dump());
  }
}

}  // namespace

Journal::Journal(std::string file, Mode mode, bool aside)
    : file_(std::move(file)), path_(file_ + (aside ? ".part" : "")), mode_(mode) {}

Journal::~Journal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Journal::fail(const char* what) const {
  throw EnvironmentError(std::string("cannot ") + what + " " + path_ + ": " + std::strerror(errno));
}

void Journal::open_file() {
  const int extra = mode_ == Mode::create      ? O_CREAT | O_EXCL
                    : mode_ == Mode::overwrite ? O_CREAT
                                               : 0;
  descriptor_ = open(path_.c_str(), O_RDWR | O_CLOEXEC | extra, 0666);
  if (descriptor_ < 0 && errno == EEXIST)
    throw UsageError("another run has just begun to write " + path_);
  if (descriptor_ < 0 && errno == ENOENT && mode_ == Mode::resume)
    throw UsageError("--resume: there is no " + path_);
  if (descriptor_ < 0) fail("write");
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw UsageError("another run is writing " + path_);
}

void Journal::header(const json& header) {
  const auto folder = std::filesystem::path(path_).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error)
    throw EnvironmentError("cannot make the folder " + folder.string() + ": " + error.message());
  // A shard that has been closed is resumed as what it was while it was written.
  if (mode_ == Mode::resume && path_ != file_ && !std::filesystem::exists(path_))
    std::filesystem::rename(file_, path_, error);
  open_file();
  if (mode_ == Mode::resume) return continue_after(header);
  if (ftruncate(descriptor_, 0) != 0) fail("empty");
  append(text_of(header));
}

void Journal::continue_after(const json& header) {
  bool first = true;
  for_each_line(path_, [&](const std::string& line, off_t begin) {
    if (first) {
      const json before = json::parse(line, nullptr, false);
      if (!before.is_object() || before.value("schema", "") != "warpmark.header/1")
        throw UsageError("--resume: " + path_ + " is no warpmark report");
      check_same_run(path_, before, header);
      first = false;
    } else {
      const json record = record_of(line);
      if (record.is_null()) return false;
      records_.emplace_back(record["index"].get<std::int64_t>(), begin);
    }
    length_ = begin + static_cast<off_t>(line.size()) + 1;
    return true;
  });
  in_order_ = false;  // whoever gathers the records has not seen all of them
  if (ftruncate(descriptor_, length_) != 0 || lseek(descriptor_, length_, SEEK_SET) < 0)
    fail("continue");
  if (first) append(text_of(header));  // cut off before its first line was whole
}

void Journal::append(const std::string& line) {
  const std::string text = line + '\n';
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t now = write(descriptor_, text.data() + written, text.size() - written);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) {
      const int error = errno;
      // What is there stays whole.
      [[maybe_unused]] const int cut = ftruncate(descriptor_, length_);
      errno = error;
      fail("write");
    }
    written += static_cast<std::size_t>(now);
  }
  length_ += static_cast<off_t>(text.size());
}

void Journal::record(const json& record) {
  const auto index = record.at("index").get<std::int64_t>();
  if (!records_.empty() && records_.back().first > index) in_order_ = false;
  records_.emplace_back(index, length_);
  append(text_of(record));
}

void Journal::close(const json& summary) {
  append(text_of(summary));
  if (fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail("finish");
  if (!std::is_sorted(records_.begin(), records_.end())) sort();
  if (path_ != file_ && std::rename(path_.c_str(), file_.c_str()) != 0) fail("rename");
  path_ = file_;
}

void Journal::sort() {
  const std::string sorted = path_ + ".sorted";
  std::ifstream from(path_, std::ios::binary);
  std::ofstream to(sorted, std::ios::binary | std::ios::trunc);
  std::string line;
  const auto copy_line = [&](off_t begin) {
    from.seekg(begin);
    std::getline(from, line);
    to << line << '\n';
  };
  copy_line(0);
  const auto last = std::max_element(records_.begin(), records_.end(),
                                     [](auto& a, auto& b) { return a.second < b.second; });
  from.seekg(last->second);
  std::getline(from, line);
  const off_t summary = from.tellg();
  std::sort(records_.begin(), records_.end());
  for (const auto& [index, begin] : records_) copy_line(begin);
  copy_line(summary);
  to.close();
  if (!from || !to || std::rename(sorted.c_str(), path_.c_str()) != 0) {
    std::remove(sorted.c_str());
    fail("sort");
  }
}

void Journal::visit_records(const std::string& file, const RecordVisitor& visit) {
  bool first = true;
  for_each_line(file, [&](const std::string& line, off_t) {
    if (std::exchange(first, false)) return true;
    const json record = record_of(line);
    if (record.is_null()) return false;
    visit(record);
    return true;
  });
}

}  // namespace wm
