#pragma once
// Cases known to be bad for a while (configs/schema/quarantine.schema.json).
#include <string>
#include <string_view>
#include <vector>

namespace wm::compare {

struct QuarantineEntry {
  std::string pattern;  ///< glob over the variant id, or over the case id
  std::string owner, reason;
  std::string expires;   ///< last day it holds, "2027-03-31"
  std::string expected;  ///< status of the records it excuses
  std::string place;     ///< "file:line:column: /pointer"
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
  /// A line for each expired entry.
  std::vector<std::string> expired_notes() const;

 private:
  std::vector<QuarantineEntry> entries_;
};

/// Today's date in UTC, "YYYY-MM-DD".
std::string today_utc();

}  // namespace wm::compare
