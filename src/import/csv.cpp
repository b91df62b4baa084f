// A table with a header row of problem keys: op, label, count and whatever keys the op has. Comma,
// semicolon or tab; fields may be quoted ("" is a quote).
#include <algorithm>

#include "config/case.hpp"
#include "core/text.hpp"
#include "import/collector.hpp"

namespace wm::importing {
namespace {

/// Fields of a line; nothing where a quote is not closed on it.
std::optional<std::vector<std::string>> csv_fields(std::string_view line, char separator) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == separator && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  if (quoted) return std::nullopt;
  for (std::string& field : fields) field = std::string(trimmed(field));
  return fields;
}

char separator_of(std::string_view header) {
  char best = ',';
  for (const char c : {';', '\t'}) {
    if (std::count(header.begin(), header.end(), c) >
        std::count(header.begin(), header.end(), best)) {
      best = c;
    }
  }
  return best;
}

bool known_to_some_op(const std::string& key) {
  const auto& ops = all_ops();
  return std::any_of(ops.begin(), ops.end(), [&](const Op* op) { return accepts_key(*op, key); });
}

std::vector<std::string> column_names() {
  std::vector<std::string> names{"op", "label", "count"};
  for (const Op* op : all_ops()) {
    for (const std::string& key : op->key_names()) names.push_back(key);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

/// Why the header cannot be used, or empty.
std::string header_fault(const std::vector<std::string>& header) {
  if (std::find(header.begin(), header.end(), "op") == header.end()) {
    return "the header needs a column op";
  }
  for (auto name = header.begin(); name != header.end(); ++name) {
    if (std::find(header.begin(), name, *name) != name) {
      return "column '" + *name + "' appears twice";
    }
    const bool run_key = *name == "label" || *name == "count" || *name == "op";
    if (!run_key && !known_to_some_op(*name)) {
      return "unknown column '" + *name + "'; the nearest key is '" +
             nearest(*name, column_names()) + "'";
    }
  }
  return "";
}

void read_row(const Place& place, const std::vector<std::string>& header,
              const std::vector<std::string>& fields, Collector& out) {
  if (fields.size() != header.size()) {
    return out.unread(place, std::to_string(fields.size()) + " fields, the header has " +
                                 std::to_string(header.size()));
  }
  std::string op, label;
  std::int64_t count = 1;
  KeyValues keys;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].empty()) continue;
    if (header[i] == "op") {
      op = fields[i];
    } else if (header[i] == "label") {
      label = fields[i];
    } else if (header[i] == "count") {
      count = int_within(fields[i], 1, 1'000'000'000).value_or(0);
    } else {
      keys.emplace_back(header[i], fields[i]);
    }
  }
  out.add(place, op, keys, label, count);
}

}  // namespace

void read_csv(std::istream& stream, const std::string& file, Collector& out) {
  LineReader reader(stream);
  std::vector<std::string> header;
  char separator = ',';
  for (std::string line; reader.next(line);) {
    std::string_view content = line;
    if (reader.number() == 1 && content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
    if (trimmed(content).empty() || content.front() == '#') continue;
    const Place place{file, reader.number(), std::string(content.substr(0, 1000))};
    if (header.empty()) separator = separator_of(content);
    const auto fields = csv_fields(content, separator);
    if (!fields || reader.too_long()) {
      out.unread(place, fields ? "line longer than 1 MiB" : "a quote is not closed on this line");
      continue;
    }
    if (!header.empty()) {
      read_row(place, header, *fields, out);
      continue;
    }
    header = *fields;
    if (const std::string fault = header_fault(header); !fault.empty()) {
      return out.unread(place, fault);
    }
  }
}

}  // namespace wm::importing
