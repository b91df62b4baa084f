#include "compare/render.hpp"

#include <array>

#include "compare/json_text.hpp"
#include "report/escape.hpp"

namespace wm::compare {
namespace {

using json = nlohmann::ordered_json;

constexpr std::array<Verdict, 5> kVerdicts{Verdict::worse, Verdict::changed, Verdict::regression,
                                           Verdict::better, Verdict::info};
constexpr auto kReplace = json::error_handler_t::replace;

/// A value for people: no quotes, a digest by its first 12 digits.
std::string shown(const std::string& value) {
  if (value == "null") return "none";
  if (value.size() < 2 || value.front() != '"') return value;
  const std::string inner = value.substr(1, value.size() - 2);
  const bool digest =
      inner.size() == 64 && inner.find_first_not_of("0123456789abcdef") == std::string::npos;
  return digest ? inner.substr(0, 12) : inner;
}

std::string what_changed(const Finding& finding) {
  return finding.aspect + (finding.tensor.empty() ? "" : " of " + finding.tensor) + ": " +
         shown(finding.old_value) + " -> " + shown(finding.new_value);
}

std::string where_changed(const Finding& finding) {
  if (finding.case_id != "*") return finding.variant + ", case " + finding.case_id;
  return finding.variant == "*" ? "the whole report" : finding.variant;
}

std::string side_line(const Side& side) {
  return side.file + ": " + side.name + ", " + std::to_string(side.records) + " records on " +
         (side.device.empty() ? "an unknown device" : side.device);
}

std::string totals_line(const Comparison& comparison) {
  return std::to_string(comparison.matched) + " matched (" + std::to_string(comparison.unchanged) +
         " without any difference), " + std::to_string(comparison.added) + " new, " +
         std::to_string(comparison.vanished) + " vanished, " +
         std::to_string(comparison.still_red) + " red in both";
}

/// Calls `each` for the first findings of a verdict; returns how many were left out.
template <class Each>
std::int64_t for_shown(const Comparison& comparison, Verdict verdict, const Each& each) {
  std::int64_t count = 0;
  for (const Finding& finding : comparison.findings) {
    if (finding.verdict == verdict && count++ < kMaxShown) each(finding);
  }
  return count > kMaxShown ? count - kMaxShown : 0;
}

json side_json(const Side& side) {
  json out{
      {"file", side.file},         {"name", side.name},       {"plan_hash", side.plan_hash},
      {"device", side.device},     {"planned", side.planned}, {"records", side.records},
      {"repeated", side.repeated}, {"closed", side.closed},   {"interrupted", side.interrupted}};
  if (!side.shard.empty()) out["shard"] = json::parse(side.shard, nullptr, false);
  return out;
}

json finding_json(const Finding& finding) {
  json out{{"verdict", name_of(finding.verdict)},
           {"aspect", finding.aspect},
           {"case_id", finding.case_id},
           {"variant", finding.variant}};
  if (!finding.tensor.empty()) out["tensor"] = finding.tensor;
  out["old"] = json_value(finding.old_value);
  out["new"] = json_value(finding.new_value);
  out["detail"] = finding.detail;
  out["counts"] = finding.counts();
  if (!finding.excuse.empty()) out["excuse"] = finding.excuse;
  out["repro"] = finding.repro;
  return out;
}

json counts_json(const Comparison& comparison) {
  json counts = json::object();
  for (const Verdict verdict : kVerdicts) {
    counts[std::string(name_of(verdict))] = comparison.count(verdict);
  }
  counts["excused"] = comparison.excused();
  return counts;
}

json uncompared_json(const Comparison& comparison) {
  json list = json::array();
  for (const auto& [what, pairs] : comparison.uncompared) {
    const auto& [kind, aspect, reason] = what;
    list.push_back(
        {{"verdict", name_of(kind)}, {"aspect", aspect}, {"reason", reason}, {"pairs", pairs}});
  }
  return list;
}

void markdown_findings(std::ostream& out, const Comparison& comparison, Verdict verdict) {
  bool heading = true;
  const std::int64_t more = for_shown(comparison, verdict, [&](const Finding& finding) {
    if (heading) out << "\n## " << name_of(verdict) << "\n\n";
    heading = false;
    out << "- **" << report::md_escape(what_changed(finding)) << "**, "
        << report::md_escape(where_changed(finding));
    if (!finding.detail.empty()) out << ": " << report::md_escape(finding.detail);
    if (!finding.excuse.empty()) out << " (*" << report::md_escape(finding.excuse) << "*)";
    out << "\n\n" << report::md_code_block(finding.repro) << "\n";
  });
  if (more > 0) out << "and " << more << " more\n";
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string clean;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      clean += c;
    } else {
      clean.append("\\x").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
    }
  }
  return clean;
}

std::string verdict_line(const Comparison& comparison) {
  if (comparison.outcome().nothing_matched) return "nothing matched";
  std::string line;
  for (const Verdict verdict : kVerdicts) {
    const std::int64_t count = comparison.count(verdict);
    if (count == 0) continue;
    line += (line.empty() ? "" : ", ") + std::to_string(count) + " ";
    line += name_of(verdict);
  }
  if (const std::int64_t excused = comparison.excused(); excused > 0) {
    line += (line.empty() ? "" : ", ") + std::to_string(excused) + " excused";
  }
  if (line.empty() && comparison.added > 0) line = std::to_string(comparison.added) + " new";
  if (line.empty() && comparison.outcome().only_cross_environment) return "cross-environment";
  return line.empty() ? "no change" : line;
}

void write_text(std::ostream& out, const Comparison& comparison) {
  out << "BASE " << printable(side_line(comparison.base)) << "\nNEW  "
      << printable(side_line(comparison.fresh)) << "\n"
      << totals_line(comparison) << "\n";
  for (const Verdict verdict : kVerdicts) {
    const std::int64_t more = for_shown(comparison, verdict, [&](const Finding& finding) {
      std::string line = what_changed(finding) + ": " + where_changed(finding);
      if (!finding.detail.empty()) line += ": " + finding.detail;
      if (!finding.excuse.empty()) line += " [" + finding.excuse + "]";
      out << name_of(verdict) << ": " << printable(line) << ": " << printable(finding.repro)
          << "\n";
    });
    if (more > 0) out << name_of(verdict) << ": and " << more << " more\n";
  }
  for (const auto& [what, pairs] : comparison.uncompared) {
    const auto& [kind, aspect, reason] = what;
    out << name_of(kind) << ": " << aspect << " of " << pairs << " pairs: " << printable(reason)
        << "\n";
  }
  for (const std::string& note : comparison.notes) out << "note: " << printable(note) << "\n";
  out << verdict_line(comparison) << "\n";
}

void write_markdown(std::ostream& out, const Comparison& comparison) {
  out << "# warpmark comparison: " << verdict_line(comparison) << "\n\n"
      << "- base: " << report::md_escape(side_line(comparison.base)) << "\n"
      << "- new: " << report::md_escape(side_line(comparison.fresh)) << "\n"
      << "- " << totals_line(comparison) << "\n";
  for (const Verdict verdict : kVerdicts) markdown_findings(out, comparison, verdict);
  if (!comparison.uncompared.empty()) {
    out << "\n## Not compared\n\n| verdict | aspect | pairs | reason |\n|---|---|---:|---|\n";
  }
  for (const auto& [what, pairs] : comparison.uncompared) {
    const auto& [kind, aspect, reason] = what;
    out << "| " << name_of(kind) << " | " << report::md_escape(aspect) << " | " << pairs << " | "
        << report::md_escape(reason) << " |\n";
  }
  if (!comparison.notes.empty()) out << "\n## Notes\n\n";
  for (const std::string& note : comparison.notes) out << "- " << report::md_escape(note) << "\n";
}

void write_json(std::ostream& out, const Comparison& comparison, int exit_code) {
  const json totals{{"matched", comparison.matched},
                    {"unchanged", comparison.unchanged},
                    {"new", comparison.added},
                    {"vanished", comparison.vanished},
                    {"still_red", comparison.still_red}};
  const auto text = [](const json& value) { return value.dump(-1, ' ', false, kReplace); };
  // Findings are written one by one: there may be a million.
  out << "{\"schema\": \"warpmark.comparison/1\",\n \"verdict\": " << text(verdict_line(comparison))
      << ",\n \"exit_code\": " << exit_code << ",\n \"base\": " << text(side_json(comparison.base))
      << ",\n \"new\": " << text(side_json(comparison.fresh)) << ",\n \"totals\": " << text(totals)
      << ",\n \"counts\": " << text(counts_json(comparison)) << ",\n \"findings\": [";
  bool first = true;
  for (const Verdict verdict : kVerdicts) {
    for (const Finding& finding : comparison.findings) {
      if (finding.verdict != verdict) continue;
      out << (first ? "\n  " : ",\n  ") << text(finding_json(finding));
      first = false;
    }
  }
  out << "],\n \"not_compared\": " << text(uncompared_json(comparison))
      << ",\n \"notes\": " << text(json(comparison.notes)) << "}\n";
}

}  // namespace wm::compare
