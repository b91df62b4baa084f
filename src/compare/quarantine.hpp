#pragma once
// Cases known to be bad for a while (configs/schema/quarantine.schema.json).
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wm::compare {

struct QuarantineEntry {
  std::string pattern;  ///< glob over the variant id, or over the case id
  std::string owner, reason;
  std::string expires;   ///< last day it holds, "2027-03-31"
  std::string expected;  ///< status of the records it excuses
  std::string place;     ///< "file:line:column: /pointer"
  std::size_t index = 0;
  bool expired = false;
};

/// What the quarantine says of one record.
struct QuarantineVerdict {
  enum class Kind {
    none,     ///< no entry in force matches, or the record has another status than expected
    excused,  ///< the expected status: does not count
    passes,   ///< the case passes: the entry has to go, which is a finding
  } kind = Kind::none;
  const QuarantineEntry* entry = nullptr;  ///< of the two latter
};

class Quarantine {
 public:
  Quarantine() = default;
  /// `today` is "YYYY-MM-DD"; entries that expired before are reported and ignored. Throws
  /// ConfigError with file, line and JSON pointer.
  static Quarantine read(const std::string& file, const std::string& today);
  static Quarantine parse(const std::string& name, const std::string& text,
                          const std::string& today);

  /// An entry that excuses the record wins over one that sees it pass; the first one in the file
  /// wins among equals.
  QuarantineVerdict judge(std::string_view variant, std::string_view case_id,
                          std::string_view status) const;

  const std::vector<QuarantineEntry>& entries() const { return entries_; }
  /// A line for each expired entry, and for each entry in force whose index is not among `used`.
  std::vector<std::string> notes(const std::set<std::size_t>& used) const;

 private:
  std::vector<QuarantineEntry> entries_;
};

/// "passes although quarantined: remove the entry ...", with its owner and place.
std::string passing_text(const QuarantineEntry& entry);

/// What a quarantine changes in a run: the records that it excuses, and those that pass although
/// quarantined.
class QuarantineTally {
 public:
  explicit QuarantineTally(Quarantine quarantine) : quarantine_(std::move(quarantine)) {}

  void record(std::string_view variant, std::string_view case_id, std::string_view status,
              std::string_view repro);

  /// Excused records by status: they do not count for the exit code.
  const std::map<std::string, std::int64_t>& excused() const { return excused_; }
  /// A line for each quarantined case that passes, which names it and ends in its repro: a finding.
  const std::vector<std::string>& passing() const { return passing_; }
  /// Expired entries, and those that no record concerned.
  std::vector<std::string> notes() const;

 private:
  Quarantine quarantine_;
  std::map<std::string, std::int64_t> excused_;
  std::vector<std::string> passing_;
  std::set<std::size_t> used_;
};

/// Today's date in UTC, "YYYY-MM-DD".
std::string today_utc();

}  // namespace wm::compare
