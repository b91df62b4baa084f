// One HTML file that opens offline: the static parts, and the records as JSON lines that the page's
// script shows.
#include "report/escape.hpp"
#include "report/formats.hpp"
#include "report/html_parts.hpp"
#include "report/text.hpp"

namespace wm::report {
namespace {

using json = nlohmann::ordered_json;

// A browser holds and sorts this many without delay; findings beyond are kept as well, up to the
// second number.
constexpr std::int64_t kMaxPageRecords = 20000, kMaxPageFindings = 5000;

class HtmlRenderer : public Renderer {
 public:
  explicit HtmlRenderer(std::ostream& target) : target_(target) {}

  void header(const json& header) override {
    rollup_.header(header);
    target_ << "<!DOCTYPE html>\n<html lang=\"en\">\n"
            << html_head(rollup_)
            << "<body>\n<a class=\"skip\" href=\"#findings\">Skip to the findings</a>\n"
               "<script type=\"application/json\" id=\"data\">";
  }

  void record(const json& record) override {
    rollup_.record(record);
    const bool red = is_red(text_of(record, "status"));
    if (written_ >= kMaxPageRecords && !(red && written_ < kMaxPageRecords + kMaxPageFindings)) {
      return;
    }
    ++written_;
    target_ << "\n" << json_in_script(html_record(record));
  }

  void summary(const json& summary) override { rollup_.summary(summary); }

  void end() override {
    target_ << "\n</script>\n"
            << html_top(rollup_) << "<main>\n"
            << html_findings(rollup_) << html_algorithms(rollup_) << kCharts
            << html_determinism(rollup_) << html_networks(rollup_) << kRecords;
    if (written_ < rollup_.records()) {
      target_ << "<p class=\"note\">The table holds " << written_ << " of " << rollup_.records()
              << " records: the first " << kMaxPageRecords
              << " and findings after them. The counts above are complete; the rest is in "
                 "records.jsonl.</p>\n";
    }
    target_ << "</section>\n"
            << html_environment(rollup_) << "</main>\n"
            << html_script() << "</body>\n</html>\n";
  }

 private:
  static constexpr const char* kCharts =
      "<section id=\"charts\" hidden>\n<h2>Charts</h2>\n<div class=\"charts\">\n"
      "<figure id=\"error-chart\"><figcaption></figcaption></figure>\n"
      "<figure id=\"speed-chart\"><figcaption></figcaption></figure>\n</div>\n</section>\n";
  static constexpr const char* kRecords =
      "<section id=\"records\">\n<h2>Records</h2>\n"
      "<noscript><p class=\"note\">The table of single records, its filters and the charts need "
      "JavaScript; everything else on this page does not.</p></noscript>\n"
      "<div id=\"table\"></div>\n";

  std::ostream& target_;
  Rollup rollup_;
  std::int64_t written_ = 0;
};

}  // namespace

std::unique_ptr<Renderer> make_html(std::ostream& target) {
  return std::make_unique<HtmlRenderer>(target);
}

}  // namespace wm::report
