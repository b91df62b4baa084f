#pragma once
// A report while it is written: a line a record, each whole on disk before the next is made. What
// an interrupted run has left can be continued.
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "runner/runner.hpp"

namespace wm {

class Journal {
 public:
  enum class Mode {
    create,     ///< the file must not exist
    overwrite,  ///< what it holds is lost
    resume      ///< goes on behind its last whole record
  };
  /// `file`: the finished report. With `aside` it is written under the name `file`.part until it is
  /// closed, so that whoever sees `file` sees a whole report.
  Journal(std::string file, Mode mode, bool aside = false);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  /// Opens the file. Throws UsageError when it is there (create), not there or of another plan
  /// (resume), or in use by another run; EnvironmentError when it cannot be written.
  void header(const nlohmann::ordered_json& header);
  void record(const nlohmann::ordered_json& record);
  /// The last line. Then puts the records into the order of the plan, in a new file that replaces
  /// this one in one step.
  void close(const nlohmann::ordered_json& summary);
  /// Whether the records were written in the order of the plan, by this run alone.
  bool in_order() const { return in_order_; }

  /// The records of a file that an interrupted run has left, up to its last whole one.
  static void visit_records(const std::string& file, const RecordVisitor& visit);
  const std::string& path() const { return path_; }

 private:
  void open_file();
  void continue_after(const nlohmann::ordered_json& header);
  void append(const std::string& line);
  void sort();
  [[noreturn]] void fail(const char* what) const;

  std::string file_, path_;
  Mode mode_;
  int descriptor_ = -1;
  off_t length_ = 0;
  std::vector<std::pair<std::int64_t, off_t>> records_;  ///< index, where its line begins
  bool in_order_ = true;
};

}  // namespace wm
