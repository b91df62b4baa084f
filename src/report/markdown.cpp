#include "core/text.hpp"
#include "report/markdown_parts.hpp"
#include "report/render.hpp"

namespace wm::report {
namespace {

std::string titled(const std::string& title, const std::vector<std::string>& items) {
  if (items.empty()) return "";
  return (title.empty() ? "" : "## " + title + "\n\n") + join(items, "") + "\n";
}

}  // namespace

std::string markdown(const Rollup& rollup) {
  std::vector<std::string> findings = md_findings(rollup);
  const auto listed = static_cast<std::int64_t>(findings.size());
  if (rollup.red_count() > listed) {
    findings.push_back("and " + std::to_string(rollup.red_count() - listed) +
                       " more in records.jsonl\n");
  }
  return md_title(rollup) + md_summary(rollup) + titled("", md_coverage(rollup)) +
         titled("Findings", findings) + titled("Algorithms", md_algorithms(rollup)) +
         titled("Determinism", md_determinism(rollup)) + titled("Counters", md_counters(rollup)) +
         titled("Network totals", md_networks(rollup)) + "## Environment\n\n" +
         join(md_environment(rollup), "");
}

}  // namespace wm::report
