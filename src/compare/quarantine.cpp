#include "compare/quarantine.hpp"

#include <array>
#include <chrono>
#include <ctime>

#include "compare/file_keys.hpp"
#include "config/axis.hpp"
#include "core/text.hpp"

namespace wm::compare {
namespace {

const std::vector<std::string>& expected_words() {
  static const std::vector<std::string> words{"failed",     "convention", "nondeterministic",
                                              "mistrusted", "error",      "inconclusive"};
  return words;
}

bool is_date(const std::string& text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  for (const std::size_t at : {0, 1, 2, 3, 5, 6, 8, 9}) {
    if (text[at] < '0' || text[at] > '9') return false;
  }
  using namespace std::chrono;
  const auto part = [&](std::size_t at, std::size_t length) {
    return static_cast<int>(*parse_int(text.substr(at, length)));
  };
  return year_month_day(year(part(0, 4)), month(static_cast<unsigned>(part(5, 2))),
                        day(static_cast<unsigned>(part(8, 2))))
      .ok();
}

QuarantineEntry read_entry(const JsonDocument& document, const JsonNode& node,
                           const std::string& today) {
  expect_kind(document, node, JsonNode::Kind::object, "an object: one quarantined pattern");
  check_members(document, node, "a quarantine entry",
                {"pattern", "owner", "reason", "expires", "expected"});
  QuarantineEntry entry;
  entry.pattern = required_text(document, node, "pattern");
  entry.owner = required_text(document, node, "owner");
  entry.reason = required_text(document, node, "reason");
  entry.expires = required_text(document, node, "expires");
  entry.expected = required_text(document, node, "expected");
  entry.place = document.where(node);
  if (!is_date(entry.expires)) {
    fail_at(document, *node.find("expires"),
            "'expires': expected a date such as 2027-03-31, got \"" + entry.expires + "\"");
  }
  bool known = false;
  for (const std::string& word : expected_words()) known = known || word == entry.expected;
  if (!known) {
    fail_at(document, *node.find("expected"),
            unknown_message("expected status", entry.expected, expected_words()));
  }
  entry.expired = entry.expires < today;
  return entry;
}

std::vector<QuarantineEntry> read_entries(const JsonDocument& document, const std::string& today) {
  check_root(document, "warpmark.quarantine/1", {"schema", "$schema", "cases"});
  std::vector<QuarantineEntry> entries;
  for (const JsonNode& item : array_of(document, document.root, "cases", true)->items) {
    entries.push_back(read_entry(document, item, today));
    entries.back().index = entries.size() - 1;
  }
  return entries;
}

}  // namespace

Quarantine Quarantine::read(const std::string& file, const std::string& today) {
  Quarantine quarantine;
  quarantine.entries_ = read_entries(*read_json_file(file), today);
  return quarantine;
}

Quarantine Quarantine::parse(const std::string& name, const std::string& text,
                             const std::string& today) {
  Quarantine quarantine;
  quarantine.entries_ = read_entries(*parse_json(name, text), today);
  return quarantine;
}

QuarantineVerdict Quarantine::judge(std::string_view variant, std::string_view case_id,
                                    std::string_view status) const {
  QuarantineVerdict verdict;
  for (const QuarantineEntry& entry : entries_) {
    if (entry.expired) continue;
    if (!glob_match(entry.pattern, variant) && !glob_match(entry.pattern, case_id)) continue;
    if (entry.expected == status) return {QuarantineVerdict::Kind::excused, &entry};
    if (status == "passed" && !verdict.entry) verdict = {QuarantineVerdict::Kind::passes, &entry};
  }
  return verdict;
}

std::vector<std::string> Quarantine::notes(const std::set<std::size_t>& used) const {
  std::vector<std::string> notes;
  for (const QuarantineEntry& entry : entries_) {
    const std::string who = entry.pattern + " (owner " + entry.owner + ", " + entry.place + ")";
    if (entry.expired) {
      notes.push_back("quarantine expired on " + entry.expires + " and is ignored: " + who);
    } else if (!used.contains(entry.index)) {
      notes.push_back("quarantine entry without effect: " + who);
    }
  }
  return notes;
}

std::string passing_text(const QuarantineEntry& entry) {
  return "passes although quarantined: remove the entry " + entry.pattern + " (owner " +
         entry.owner + ", " + entry.place + ")";
}

void QuarantineTally::record(std::string_view variant, std::string_view case_id,
                             std::string_view status, std::string_view repro) {
  const QuarantineVerdict verdict = quarantine_.judge(variant, case_id, status);
  if (!verdict.entry) return;
  used_.insert(verdict.entry->index);
  if (verdict.kind == QuarantineVerdict::Kind::excused) {
    ++excused_[std::string(status)];
    return;
  }
  std::string line(variant);
  line.append(", case ").append(case_id).append(": ").append(passing_text(*verdict.entry));
  passing_.push_back(line.append(": ").append(repro));
}

std::vector<std::string> QuarantineTally::notes() const { return quarantine_.notes(used_); }

std::string today_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 16> buffer{};
  const std::size_t length = std::strftime(buffer.data(), buffer.size(), "%Y-%m-%d", &parts);
  return {buffer.data(), length};
}

}  // namespace wm::compare
