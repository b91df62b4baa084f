#include "report/renderer.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "report/formats.hpp"
#include "report/render.hpp"

namespace wm::report {
namespace {

/// md, csv and table, made of the functions that also serve a run's standard output.
class PlainRenderer : public Renderer {
 public:
  PlainRenderer(std::string format, std::ostream& target)
      : format_(std::move(format)), target_(target) {}

  void header(const nlohmann::ordered_json& header) override {
    rollup_.header(header);
    if (format_ == "csv") target_ << csv_heading();
    if (format_ == "table") target_ << table_heading();
  }

  void record(const nlohmann::ordered_json& record) override {
    rollup_.record(record);
    if (format_ == "csv") target_ << csv_row(record);
    if (format_ == "table") target_ << table_row(record);
  }

  void summary(const nlohmann::ordered_json& summary) override { rollup_.summary(summary); }

  void end() override {
    if (format_ == "md") target_ << markdown(rollup_);
    if (format_ == "table") target_ << table_algorithms(rollup_) << table_end(rollup_);
  }

 private:
  std::string format_;
  std::ostream& target_;
  Rollup rollup_;
};

}  // namespace

const std::vector<std::string>& format_names() {
  static const std::vector<std::string> names{"html",  "md",     "csv",   "table",
                                              "junit", "github", "gbench"};
  return names;
}

std::unique_ptr<Renderer> make_renderer(const std::string& format, std::ostream& target) {
  if (format == "html") return make_html(target);
  if (format == "junit") return make_junit(target);
  if (format == "github") return make_github(target);
  if (format == "gbench") return make_gbench(target);
  if (format == "md" || format == "csv" || format == "table")
    return std::make_unique<PlainRenderer>(format, target);
  throw UsageError(unknown_message("report format", format, format_names()));
}

}  // namespace wm::report
