#include "core/error.hpp"
#include "report/render.hpp"
#include "report/text.hpp"

namespace wm::report {

void read_report(std::istream& stream, const std::string& name,
                 const std::function<void(const nlohmann::ordered_json&)>& header,
                 const std::function<void(const nlohmann::ordered_json&)>& record,
                 const std::function<void(const nlohmann::ordered_json&)>& summary) {
  std::string text;
  int line = 0;
  bool closed = false;
  while (std::getline(stream, text)) {
    const std::string place = name + ":" + std::to_string(++line) + ": ";
    const nlohmann::ordered_json value = nlohmann::ordered_json::parse(text, nullptr, false);
    if (value.is_discarded() && stream.eof() && line > 1) return;
    if (!value.is_object()) throw UsageError(place + "not a JSON object: no warpmark report");
    const std::string schema = text_of(value, "schema");
    if (closed) throw UsageError(place + "text after the summary line");
    if ((line == 1) != (schema == "warpmark.header/1")) {
      throw UsageError(place + (line == 1 ? "expected schema \"warpmark.header/1\", got \"" +
                                                schema + "\": no warpmark report"
                                          : "a second header"));
    }
    if (line == 1) {
      header(value);
    } else if (schema == "warpmark.record/1") {
      record(value);
    } else if (schema == "warpmark.summary/1") {
      summary(value);
      closed = true;
    } else {
      throw UsageError(place + "unknown schema \"" + schema +
                       "\"; known: warpmark.record/1, warpmark.summary/1");
    }
  }
  if (line == 0) throw UsageError(name + ": empty, no warpmark report");
}

}  // namespace wm::report
