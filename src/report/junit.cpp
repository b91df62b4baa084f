// JUnit XML: a suite an op, a testcase a record.
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "core/error.hpp"
#include "core/text.hpp"
#include "report/escape.hpp"
#include "report/formats.hpp"
#include "report/markdown_parts.hpp"
#include "report/names.hpp"
#include "report/text.hpp"

namespace wm::report {
namespace {

using json = nlohmann::ordered_json;

/// Text kept in a temporary file until the counts that stand before it are known.
class Spool {
 public:
  Spool() : file_(std::tmpfile()) {
    if (file_ == nullptr) throw EnvironmentError("cannot make a temporary file for the report");
  }
  ~Spool() { std::fclose(file_); }
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  void write(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
  }

  void copy_to(std::ostream& target) {
    if (std::fflush(file_) != 0) fail();
    std::rewind(file_);
    std::array<char, 65536> buffer;
    while (const std::size_t length = std::fread(buffer.data(), 1, buffer.size(), file_)) {
      target.write(buffer.data(), static_cast<std::streamsize>(length));
    }
    if (std::ferror(file_) != 0) fail();
  }

 private:
  [[noreturn]] static void fail() {
    throw EnvironmentError("a temporary file of the report cannot be written (disk full?)");
  }

  std::FILE* file_;
};

struct SuiteCounts {
  std::int64_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;

  void add(const SuiteCounts& other) {
    tests += other.tests;
    failures += other.failures;
    errors += other.errors;
    skipped += other.skipped;
    seconds += other.seconds;
  }
};

struct Suite {
  SuiteCounts counts;
  Spool cases;
};

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + xml_attribute(value) + "\"";
}

std::string seconds_text(double seconds) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.9f", seconds);
  return text.data();
}

/// `skipped` is an attribute of a suite only: the common schema has none on the root.
std::string count_attributes(const SuiteCounts& counts, bool of_suite) {
  return attribute("tests", std::to_string(counts.tests)) +
         attribute("failures", std::to_string(counts.failures)) +
         attribute("errors", std::to_string(counts.errors)) +
         (of_suite ? attribute("skipped", std::to_string(counts.skipped)) : "") +
         attribute("time", seconds_text(counts.seconds));
}

std::string property(const std::string& name, const std::string& value) {
  return "<property" + attribute("name", name) + attribute("value", value) + "/>";
}

std::string case_properties(const json& record) {
  std::string text = "      <properties>";
  for (const char* key : {"case_id", "status", "device", "recipe", "label", "config"}) {
    const std::string value = text_of(record, key);
    if (!value.empty()) text += property(key, value);
  }
  text += property("seed", format_real(number_of(record, "seed")));
  text += property("workspace_bytes", format_real(number_of(record, "workspace_bytes")));
  if (const double worst = worst_utilisation(record); !(worst < 0)) {
    text += property("bound_utilisation", format_real(worst));
  }
  if (observed_word(record) != "-") text += property("determinism", observed_word(record));
  const json& throughput = object_of(record, "throughput");
  if (flag_of(throughput, "emulated", false)) text += property("time", "emulated");
  return text + "</properties>\n";
}

std::string outcome(const char* element, const json& record) {
  const std::string status = text_of(record, "status"), reason = text_of(record, "reason");
  const std::string worst = worst_element(record);
  const std::string message = status + (reason.empty() ? "" : ": " + reason);
  if (std::string_view(element) == "skipped") {
    return "      <skipped" + attribute("message", message) + "/>\n";
  }
  return "      <" + std::string(element) + attribute("type", status) +
         attribute("message", message) + ">" +
         xml_text(message + "\n" + (worst.empty() ? "" : worst + "\n") +
                  "repro: " + text_of(record, "repro") + "\n") +
         "</" + element + ">\n";
}

/// Element of a testcase for a status; nullptr where it passed. What is not to be trusted or did
/// not run must not look green.
const char* outcome_element(const std::string& status) {
  if (status == "passed") return nullptr;
  if (status == "error") return "error";
  return is_red(status) ? "failure" : "skipped";
}

class JunitRenderer : public Renderer {
 public:
  explicit JunitRenderer(std::ostream& target) : target_(target) {}

  void header(const json& header) override { rollup_.header(header); }
  void summary(const json& summary) override { rollup_.summary(summary); }

  void record(const json& record) override {
    rollup_.record(record);
    const std::string op = text_of(record, "op");
    Suite& suite = suites_[op];
    const char* element = outcome_element(text_of(record, "status"));
    SuiteCounts counts{.tests = 1};
    if (element != nullptr) {
      const std::string_view word(element);
      ++(word == "failure" ? counts.failures : word == "error" ? counts.errors : counts.skipped);
    }
    const double seconds = number_of(object_of(record, "timing"), "median_ns") / 1e9;
    counts.seconds = std::isfinite(seconds) ? seconds : 0;
    suite.counts.add(counts);
    suite.cases.write(testcase(record, op, counts.seconds, element));
  }

  void end() override {
    SuiteCounts all;
    for (const auto& [op, suite] : suites_) all.add(suite.counts);
    const bool cut = !rollup_.has_summary();
    if (cut) {
      ++all.tests;
      ++all.errors;
    }
    const std::string name = text_of(rollup_.header(), "name");
    target_ << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites"
            << attribute("name", name.empty() ? "warpmark" : name) << count_attributes(all, false)
            << ">\n";
    for (auto& [op, suite] : suites_) {
      target_ << "  <testsuite" << attribute("name", op) << count_attributes(suite.counts, true)
              << ">\n"
              << suite_properties(op);
      suite.cases.copy_to(target_);
      target_ << "  </testsuite>\n";
    }
    if (cut) target_ << cut_short_suite();
    target_ << "</testsuites>\n";
  }

 private:
  /// A report whose run was killed must not look green.
  static std::string cut_short_suite() {
    return "  <testsuite name=\"report\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\" "
           "time=\"0\">\n    <testcase classname=\"report\" name=\"complete\" time=\"0\">\n"
           "      <error type=\"error\" message=\"no summary: the run was cut short, the records "
           "that it had not made are not here\"/>\n    </testcase>\n  </testsuite>\n";
  }

  std::string testcase(const json& record, const std::string& op, double seconds,
                       const char* element) {
    std::string classname = op + "." + variant_types(record);
    for (char& c : classname) c = c == '/' ? '.' : c;
    const std::string name = names_.unique(text_of(record, "variant") + ": " + short_case(record));
    return "    <testcase" + attribute("classname", classname) + attribute("name", name) +
           attribute("time", seconds_text(seconds)) + ">\n" + case_properties(record) +
           (element == nullptr ? "" : outcome(element, record)) + "    </testcase>\n";
  }

  /// The roll-up of the op's algorithms and what the report was made of.
  std::string suite_properties(const std::string& op) const {
    std::string text = "    <properties>\n";
    const std::string hash = text_of(rollup_.header(), "plan_hash");
    if (!hash.empty()) text += "      " + property("plan_hash", hash) + "\n";
    for (const auto& key : rollup_.algorithm_order()) {
      if (key.first != op) continue;
      const AlgorithmRow& each = rollup_.algorithm(key);
      std::vector<std::string> parts;
      for (const auto& [status, count] : each.by_status)
        parts.push_back(std::to_string(count) + " " + status);
      if (!(each.worst_utilisation < 0))
        parts.push_back("worst error / bound " + short_number(each.worst_utilisation));
      if (each.probed > 0) parts.push_back(observed_text(each));
      text += "      " + property("algorithm." + key.second, join(parts, ", ")) + "\n";
    }
    return text + "    </properties>\n";
  }

  std::ostream& target_;
  Rollup rollup_;
  std::map<std::string, Suite> suites_;
  UniqueNames names_;
};

}  // namespace

std::unique_ptr<Renderer> make_junit(std::ostream& target) {
  return std::make_unique<JunitRenderer>(target);
}

}  // namespace wm::report
