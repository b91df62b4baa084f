// benchdnn batch files and command lines: a state machine of options, each a list, and problem
// strings that stand for the product of all lists.
#include "import/benchdnn.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/text.hpp"
#include "import/benchdnn_ops.hpp"
#include "import/collector.hpp"

namespace wm::importing {
namespace {

constexpr std::size_t kMaxDepth = 16;                          // nested batch files
constexpr std::int64_t kMaxCombinations = 10000;               // of one problem string
constexpr std::size_t kMaxLogicalLine = std::size_t{1} << 20;  // over continued lines
constexpr std::int64_t kMaxLines = 20'000'000;                 // over all nested files

/// Drivers that benchdnn has; those of driver_names() are read.
const std::set<std::string, std::less<>>& known_drivers() {
  static const std::set<std::string, std::less<>> drivers{
      "conv",  "deconv",    "ip",      "matmul",  "pool",       "bnorm",   "gnorm",
      "lnorm", "lrn",       "softmax", "eltwise", "binary",     "prelu",   "sum",
      "rnn",   "reduction", "reorder", "concat",  "resampling", "shuffle", "zeropad",
      "sdpa",  "graph",     "brgemm",  "self"};
  return drivers;
}

/// Options that say how to run or measure, not what.
bool is_ignored(std::string_view option) {
  static const std::set<std::string, std::less<>> names{"mode",
                                                        "engine",
                                                        "perf-template",
                                                        "max-ms-per-prb",
                                                        "fix-times-per-prb",
                                                        "repeats-per-prb",
                                                        "num-streams",
                                                        "verbose",
                                                        "skip-impl",
                                                        "impl",
                                                        "global-impl",
                                                        "allow-enum-tags-only",
                                                        "attr-scratchpad",
                                                        "attr-deterministic",
                                                        "inplace",
                                                        "ctx-init",
                                                        "ctx-exe",
                                                        "cpu-isa-hints",
                                                        "memory-kind",
                                                        "fast-ref",
                                                        "fast-ref-gpu",
                                                        "mem-check",
                                                        "cold-cache",
                                                        "canonical",
                                                        "execution-mode",
                                                        "summary",
                                                        "start",
                                                        "runtime-dims-masks",
                                                        "attr-same-pd-check",
                                                        "check-ref-impl",
                                                        "mode-modifier"};
  return names.contains(option);
}

class BatchReader {
 public:
  BatchReader(std::string driver, Collector& out) : out_(out), given_driver_(std::move(driver)) {}

  void read(std::istream& stream, const std::string& file) {
    std::error_code ignored;
    open_.push_back(std::filesystem::weakly_canonical(file, ignored).string());
    LineReader reader(stream);
    std::string pending;
    Place place{file, 1, ""};
    for (std::string line; reader.next(line);) {
      if (++lines_ > kMaxLines) break;
      if (pending.empty()) place.line = reader.number();
      if (reader.too_long()) {
        out_.unread(place, "line longer than 1 MiB");
      } else if (!continues(line, pending)) {
        read_words(place, pending);
        pending.clear();
      }
    }
    read_words(place, pending);
    open_.pop_back();
  }

 private:
  /// Adds a line to `pending`; true where it ends with a backslash. A list goes on after a comma.
  static bool continues(std::string_view line, std::string& pending) {
    std::string_view content = trimmed(line.substr(0, line.find('#')));
    const bool more = content.ends_with('\\');
    if (more) content = trimmed(content.substr(0, content.size() - 1));
    if (!pending.empty() && !pending.ends_with(',')) pending += ' ';
    pending += content;
    return more && pending.size() < kMaxLogicalLine;
  }

  void read_words(Place place, std::string_view content) {
    for (const std::string& word : words_of(content)) {
      place.text = word.substr(0, 1000);
      read_word(place, word);
    }
  }

  /// Blanks separate; quotes stay, since they begin the name of a problem.
  static std::vector<std::string> words_of(std::string_view line) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : line) {
      if (c != ' ' && c != '\t' && c != '\r') {
        word += c;
      } else if (!word.empty()) {
        words.push_back(std::move(word));
        word.clear();
      }
    }
    if (!word.empty()) words.push_back(std::move(word));
    return words;
  }

  void read_word(const Place& place, const std::string& word) {
    if (word.ends_with("benchdnn")) return;  // a command line
    if (word.starts_with("--")) return read_option(place, word);
    if (word.starts_with("-")) return;  // -v1
    try {
      read_problem(place, word);
    } catch (const UnreadProblem& why) {
      out_.unread(place, why.reason);
    }
  }

  void read_option(const Place& place, const std::string& word) {
    const std::size_t equals = word.find('=');
    std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    std::replace(name.begin(), name.end(), '_', '-');
    std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    std::erase_if(value, [](char c) { return c == '"' || c == '\''; });
    if (name == "reset") {
      lists_.clear();
      foreign_.clear();
    } else if (equals == std::string::npos && known_drivers().contains(name)) {
      driver_ = name;
      lists_.clear();
      foreign_.clear();
    } else if (name == "batch") {
      read_nested(place, value);
    } else if (name == "match" && !value.empty()) {
      out_.note(place, "the filter --match is not applied");
    } else if (!is_ignored(name)) {
      set_option(name, value);
    }
  }

  /// Lists of the driver's own options; anything else that is not empty changes the problem in a
  /// way that cannot be said here.
  void set_option(const std::string& name, const std::string& value) {
    static const std::set<std::string, std::less<>> lists{
        "dir", "dt",     "cfg",      "stag",          "wtag",  "dtag", "mb",  "tag", "axis",
        "alg", "bia-dt", "bia-mask", "attr-post-ops", "alpha", "beta", "sdt", "ddt"};
    const bool strict = (name == "attr-fpmath" || name == "attr-acc-mode") && value == "strict";
    if (lists.contains(name)) {
      lists_[name] = split(value, ',');
    } else if (value.empty() || strict) {
      foreign_.erase(name);
    } else {
      foreign_[name] = value;
    }
  }

  void read_nested(const Place& place, const std::string& name) {
    namespace fs = std::filesystem;
    if (open_.size() >= kMaxDepth) return out_.unread(place, "batch files nested too deeply");
    std::error_code error;
    fs::path path = fs::path(place.file).parent_path() / name;
    if (!fs::is_regular_file(path, error)) path = name;
    if (!fs::is_regular_file(path, error)) return out_.unread(place, "no such batch file");
    const std::string canonical = fs::weakly_canonical(path, error).string();
    if (std::find(open_.begin(), open_.end(), canonical) != open_.end()) {
      return out_.unread(place, "the batch file includes itself");
    }
    std::ifstream stream(path, std::ios::binary);
    if (!stream) return out_.unread(place, "the batch file cannot be read");
    read(stream, path.string());
  }

  /// The driver a problem string is for.
  std::string driver_of(const Place& place, std::string_view problem) const {
    if (!driver_.empty()) return driver_;
    if (!given_driver_.empty()) return given_driver_;
    const std::string folder = std::filesystem::path(place.file).parent_path().filename().string();
    if (known_drivers().contains(folder)) return folder;
    if (problem.find(':') != std::string_view::npos) return "matmul";
    const bool filter = problem.find("kh") != std::string_view::npos ||
                        problem.find("kw") != std::string_view::npos ||
                        problem.find("kd") != std::string_view::npos;
    if (filter && problem.find("oc") != std::string_view::npos) return "conv";
    throw UnreadProblem{"the driver is not known; name it (conv, matmul, softmax, eltwise)"};
  }

  void read_problem(const Place& place, const std::string& word) {
    std::string_view problem = word;
    const ProblemName name = split_name(problem);
    const std::string driver = driver_of(place, problem);
    const auto& drivers = driver_names();
    if (std::find(drivers.begin(), drivers.end(), driver) == drivers.end()) {
      throw UnreadProblem{"op " + driver + " not in this library"};
    }
    std::map<std::string, std::int64_t> refused;  // reason -> combinations
    for (const auto& [option, value] : foreign_) {
      const std::string reason = "option --" + option + "=" + value + " not in this library";
      const std::vector<std::string> values = split(value, ',');
      // An empty entry of a list is the default, which is read.
      const bool has_default = std::find(values.begin(), values.end(), "") != values.end();
      if (!has_default) throw UnreadProblem{reason};
      refused[reason + " (the default is read)"] = 1;
    }
    if (driver == "conv") (void)conv_descriptor(problem, 0);  // one remark, not one a combination
    for_each_combination(driver, [&](const BenchdnnSettings& settings) {
      try {
        add_benchdnn_problem(place, driver, problem, name, settings, out_);
      } catch (const UnreadProblem& why) {
        ++refused[why.reason];
      }
    });
    for (const auto& [reason, combinations] : refused) {
      out_.unread(place, combinations == 1 ? reason
                                           : reason + " (" + std::to_string(combinations) +
                                                 " combinations of options)");
    }
  }

  template <class Visit>
  void for_each_combination(const std::string& driver, const Visit& visit) const {
    std::vector<std::pair<std::string, std::vector<std::string>>> axes;
    std::int64_t total = 1;
    for (const auto& [option, fallback] : benchdnn_defaults(driver)) {
      const auto given = lists_.find(option);
      axes.emplace_back(option,
                        given == lists_.end() ? std::vector<std::string>{fallback} : given->second);
      total *= static_cast<std::int64_t>(axes.back().second.size());
      if (total > kMaxCombinations) throw UnreadProblem{"more than 10000 combinations of options"};
    }
    for (std::int64_t i = 0; i < total; ++i) {
      BenchdnnSettings settings;
      std::int64_t rest = i;
      for (const auto& [option, values] : axes) {
        const auto size = static_cast<std::int64_t>(values.size());
        settings[option] = values[static_cast<std::size_t>(rest % size)];
        rest /= size;
      }
      visit(settings);
    }
  }

  Collector& out_;
  std::string given_driver_;  // --driver
  std::string driver_;        // --conv and the like
  std::map<std::string, std::vector<std::string>, std::less<>> lists_;
  std::map<std::string, std::string, std::less<>> foreign_;
  std::vector<std::string> open_;
  std::int64_t lines_ = 0;
};

}  // namespace

void read_benchdnn(std::istream& stream, const std::string& file, const std::string& driver,
                   Collector& out) {
  BatchReader(driver, out).read(stream, file);
}

}  // namespace wm::importing
