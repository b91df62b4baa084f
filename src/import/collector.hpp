#pragma once
// Where the readers put what they found: checks each problem against its op, merges equal ones,
// keeps remarks.
#include <istream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "import/import.hpp"

namespace wm::importing {

/// Where in the input something stands.
struct Place {
  std::string file;
  std::int64_t line = 0;
  std::string text;
};

class Collector {
 public:
  /// Distinct problems at most; further ones are unread.
  static constexpr std::size_t kMaxCases = 1'000'000;

  /// Adds the problem `count` times, or an unread remark with the reason `op` refuses it.
  void add(const Place& place, const std::string& op, const KeyValues& keys,
           const std::string& label = "", std::int64_t count = 1);
  void unread(const Place& place, const std::string& reason);
  void note(const Place& place, const std::string& what);

  Imported take() { return std::move(imported_); }

 private:
  void merge(const Place& place, ImportedCase found);

  Imported imported_;
  std::map<std::string, std::size_t> index_;  // canonical text -> position in cases
  std::set<std::string> labels_;              // "position:label" already joined
};

/// Lines without their end; a line past 1 MiB is cut and reported by `too_long`.
class LineReader {
 public:
  explicit LineReader(std::istream& stream) : stream_(stream) {}
  bool next(std::string& line);
  std::int64_t number() const { return number_; }
  bool too_long() const { return too_long_; }

 private:
  std::istream& stream_;
  std::int64_t number_ = 0;
  bool too_long_ = false;
};

/// Printable ASCII, other bytes as \xNN, at most 200 characters.
std::string printable(std::string_view text);
/// Words between blanks; quotes ('...' or "...") keep blanks and are dropped.
std::vector<std::string> shell_words(std::string_view line);
std::string_view trimmed(std::string_view text);
/// An integer in [lo, hi].
std::optional<std::int64_t> int_within(std::string_view text, std::int64_t lo, std::int64_t hi);

void read_miopen(std::istream& stream, const std::string& file, Collector& out);
void read_benchdnn(std::istream& stream, const std::string& file, const std::string& driver,
                   Collector& out);
void read_cudnn_log(std::istream& stream, const std::string& file, Collector& out);
void read_csv(std::istream& stream, const std::string& file, Collector& out);

}  // namespace wm::importing
