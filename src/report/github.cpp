// GitHub Actions: annotations (workflow commands) and a job summary.
#include "core/text.hpp"
#include "report/escape.hpp"
#include "report/formats.hpp"
#include "report/markdown_parts.hpp"
#include "report/render.hpp"
#include "report/text.hpp"

namespace wm::report {
namespace {

using json = nlohmann::ordered_json;

// GitHub shows ten annotations of a kind and step.
constexpr std::size_t kMaxAnnotations = 10;
constexpr std::size_t kLongestTitle = 160, kLongestMessage = 2000;

std::string annotation(const char* kind, const std::string& title, const std::string& message) {
  return std::string("::") + kind +
         " title=" + github_property(one_line(cut_text(title, kLongestTitle))) +
         "::" + github_message(cut_text(message, kLongestMessage)) + "\n";
}

std::string counts_text(const Rollup& rollup) {
  std::vector<std::string> parts;
  for (const auto& [status, count] : rollup.by_status())
    parts.push_back(std::to_string(count) + " " + status);
  return std::to_string(rollup.records()) +
         " records: " + (parts.empty() ? "nothing ran" : join(parts, ", "));
}

std::int64_t records_of(const Rollup& rollup, const char* status) {
  const auto found = rollup.by_status().find(status);
  return found == rollup.by_status().end() ? 0 : found->second;
}

/// The first ten findings of a kind; warnings are those of status mistrusted.
std::string finding_annotations(const Rollup& rollup, bool warnings) {
  std::string text;
  std::size_t shown = 0;
  for (const RedLine& line : rollup.red_lines()) {
    if ((line.status == "mistrusted") != warnings) continue;
    if (++shown > kMaxAnnotations) break;
    text += annotation(warnings ? "warning" : "error", line.status + ": " + line.variant,
                       line.problem + (line.label.empty() ? "" : " (" + line.label + ")") + "\n" +
                           line.reason + "\n" + line.repro);
  }
  return text;
}

std::string count_annotation(const Rollup& rollup) {
  const std::int64_t warnings = records_of(rollup, "mistrusted");
  const std::int64_t errors = rollup.red_count() - warnings;
  std::string message = counts_text(rollup);
  const auto most = static_cast<std::int64_t>(kMaxAnnotations);
  for (const auto& [count, word] : {std::pair{errors, "errors"}, std::pair{warnings, "warnings"}}) {
    if (count <= most) continue;
    message += "\n" + std::to_string(count - most) + " more " + word + " than the " +
               std::to_string(most) + " annotated: see the report";
  }
  if (!rollup.has_summary()) message += "\nno summary: the run was cut short";
  if (flag_of(rollup.summary().is_null() ? json::object() : rollup.summary(), "interrupted", false))
    message += "\nthe run was interrupted";
  const std::string name = text_of(rollup.header(), "name");
  return annotation("notice", "warpmark" + (name.empty() ? "" : " " + name), message);
}

class GithubRenderer : public Renderer {
 public:
  explicit GithubRenderer(std::ostream& target) : target_(target) {}
  void header(const json& header) override { rollup_.header(header); }
  void record(const json& record) override { rollup_.record(record); }
  void summary(const json& summary) override { rollup_.summary(summary); }
  void end() override {
    target_ << finding_annotations(rollup_, false) << finding_annotations(rollup_, true)
            << count_annotation(rollup_);
  }

 private:
  std::ostream& target_;
  Rollup rollup_;
};

/// As many items as fit in `bytes`, and how many were left out; the space that took is taken off
/// `bytes`.
std::string fitting(const std::string& title, const std::vector<std::string>& items,
                    std::size_t& bytes, const std::string& left_out_note) {
  constexpr std::size_t kNote = 400;  // for the line that says what was left out
  if (items.empty()) return "";
  std::string text = title.empty() ? "" : "## " + title + "\n\n";
  std::size_t shown = 0;
  while (shown < items.size() && text.size() + items[shown].size() + kNote <= bytes) {
    text += items[shown++];
  }
  if (shown < items.size()) {
    text += "\n**" + std::to_string(items.size() - shown) + " of " + std::to_string(items.size()) +
            " left out here" + left_out_note + "**\n";
  }
  text += "\n";
  if (text.size() > bytes) return "";
  bytes -= text.size();
  return text;
}

/// "; all findings: 3 error, 700 failed; the gravest come first".
std::string by_severity_note(const Rollup& rollup) {
  std::vector<std::string> parts;
  for (const char* status : {"error", "failed", "nondeterministic", "convention", "mistrusted"}) {
    const std::int64_t count = records_of(rollup, status);
    if (count > 0) parts.push_back(std::to_string(count) + " " + status);
  }
  return ": a job summary is limited to 1 MiB. The gravest come first; in the whole report: " +
         join(parts, ", ") + ".";
}

}  // namespace

std::string github_summary(const Rollup& rollup, std::size_t max_bytes) {
  std::string head = md_title(rollup) + md_summary(rollup);
  if (head.size() > max_bytes) return "";
  std::size_t bytes = max_bytes - head.size();
  // The findings get what the roll-up, the coverage and the environment leave: at most half is
  // theirs.
  std::size_t rest = bytes / 2;
  bytes -= rest;
  const std::string coverage = fitting("", md_coverage(rollup), rest, "");
  const std::string algorithms = fitting("Algorithms", md_algorithms(rollup), rest, "");
  const std::string networks = fitting("Network totals", md_networks(rollup), rest, "");
  const std::string environment = fitting("Environment", md_environment(rollup), rest, "");
  bytes += rest;
  std::vector<std::string> findings = md_findings(rollup);
  const std::int64_t unlisted = rollup.red_count() - static_cast<std::int64_t>(findings.size());
  if (unlisted > 0) {
    findings.push_back("and " + std::to_string(unlisted) + " more in records.jsonl" + "\n");
  }
  return head + fitting("Findings", findings, bytes, by_severity_note(rollup)) + coverage +
         algorithms + networks + environment;
}

std::unique_ptr<Renderer> make_github(std::ostream& target) {
  return std::make_unique<GithubRenderer>(target);
}

}  // namespace wm::report
