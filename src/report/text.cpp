#include "report/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>
#include <vector>

#include "core/text.hpp"
#include "report/escape.hpp"

namespace wm::report {
namespace {

using json = nlohmann::ordered_json;

std::string formatted(const char* format, double value) {
  std::array<char, 64> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), format, value);
  return {buffer.data(), static_cast<std::size_t>(length)};
}

}  // namespace

std::string text_of(const json& object, std::string_view key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

double number_of(const json& object, std::string_view key, double fallback) {
  const auto found = object.find(key);
  if (found == object.end()) return fallback;
  if (found->is_number()) return found->get<double>();
  if (*found == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (*found == "Infinity") return std::numeric_limits<double>::infinity();
  if (*found == "-Infinity") return -std::numeric_limits<double>::infinity();
  return fallback;
}

bool flag_of(const json& object, std::string_view key, bool fallback) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() ? found->get<bool>() : fallback;
}

const json& object_of(const json& object, std::string_view key) {
  static const json empty = json::object();
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? *found : empty;
}

std::string short_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return formatted("%.3g", value);
}

std::string duration(double nanoseconds) {
  if (nanoseconds < 1e3) return formatted("%.0f ns", nanoseconds);
  if (nanoseconds < 1e6) return formatted("%.3g us", nanoseconds / 1e3);
  if (nanoseconds < 1e9) return formatted("%.3g ms", nanoseconds / 1e6);
  return formatted("%.2f s", nanoseconds / 1e9);
}

std::string short_problem(const json& record) {
  static const std::set<std::string> variant_keys{"dtype", "acc", "math", "layout"};
  static const std::set<std::string> usual{"batch=1",
                                           "transpose_a=0",
                                           "transpose_b=0",
                                           "alpha=1",
                                           "beta=0",
                                           "pad=0",
                                           "stride=1",
                                           "dil=1",
                                           "groups=1",
                                           "bias=0",
                                           "act=none",
                                           "residual=0",
                                           "epilogue=none",
                                           "mode=channel",
                                           "kind=accurate",
                                           "act=identity",
                                           "mode=cross_correlation"};
  // The case keeps the op's order of keys, which a JSON object does not.
  std::string result;
  const json& problem = object_of(record, "problem");
  const std::string text = text_of(record, "case");
  for (std::size_t at = text.find(' '); at != std::string::npos;) {
    const std::size_t next = text.find(' ', at + 1);
    const std::string item = text.substr(at + 1, next == std::string::npos ? next : next - at - 1);
    const std::string key = item.substr(0, item.find('='));
    if (!problem.contains(key)) break;
    if (!variant_keys.contains(key) && !usual.contains(item)) {
      result += (result.empty() ? "" : " ") + item;
    }
    at = next;
  }
  return result;
}

std::string short_case(const json& record) {
  constexpr std::size_t kLongest = 200;
  static const std::set<std::string> elsewhere{"dtype", "acc", "math", "layout", "algo", "device"};
  const json& problem = object_of(record, "problem");
  std::string result = short_problem(record);
  const std::vector<std::string> words = split(text_of(record, "case"), ' ');
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string key = words[i].substr(0, words[i].find('='));
    if (problem.contains(key) || elsewhere.contains(key) || words[i] == "seed=1") continue;
    result += (result.empty() ? "" : " ") + words[i];
  }
  if (result.size() <= kLongest) return result;
  return cut_text(result, kLongest) + " [" + text_of(record, "case_id") + "]";
}

std::string variant_types(const json& record) {
  const std::string variant = text_of(record, "variant");
  const std::string algorithm = "/" + text_of(record, "algorithm") + "/";
  const std::size_t at = variant.find(algorithm);
  return at == std::string::npos ? std::string() : variant.substr(at + algorithm.size());
}

double largest_accuracy(const json& record, std::string_view field) {
  double worst = -1;
  for (const json& tensor : object_of(record, "accuracy")) {
    const double value = number_of(tensor, field);
    if (std::isnan(value)) return value;
    worst = std::max(worst, value);
  }
  return worst;
}

double worst_utilisation(const json& record) {
  return largest_accuracy(record, "bound_utilisation");
}

double least_detectability(const json& record) {
  double least = -1;
  for (const json& tensor : object_of(record, "accuracy")) {
    if (!tensor.contains("detectability")) continue;
    const double value = number_of(tensor, "detectability");
    least = least < 0 ? value : std::min(least, value);
  }
  return least;
}

std::string worst_element(const json& record) {
  double worst = -1;
  std::string text;
  for (const auto& [name, tensor] : object_of(record, "accuracy").items()) {
    const auto listed = tensor.find("worst");
    if (listed == tensor.end() || !listed->is_array() || listed->empty()) continue;
    const double value = number_of(tensor, "bound_utilisation");
    if (!std::isnan(value) && value <= worst) continue;
    worst = std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
    const json& element = listed->front();
    const auto index = element.find("index");
    text = "'" + name + "' worst at " + (index == element.end() ? "?" : index->dump()) + ": got " +
           format_real(number_of(element, "got")) + ", want " +
           format_real(number_of(element, "want")) + ", bound " +
           format_real(number_of(element, "bound"));
  }
  return text;
}

std::string probe_verdict(const json& tensors) {
  std::string verdict = "not_run";
  for (const json& tensor : tensors) {
    const std::string word = text_of(tensor, "verdict");
    if (word == "differs" || verdict == "not_run") verdict = word;
    if (word == "differs") break;
  }
  return verdict;
}

std::string probes_text(const json& record) {
  std::vector<std::string> parts;
  for (const auto& [name, tensors] :
       object_of(object_of(record, "determinism"), "probes").items()) {
    const std::string verdict = probe_verdict(tensors);
    double count = 0;
    for (const json& tensor : tensors) count += number_of(tensor, "count");
    parts.push_back(name + (verdict == "not_run" ? " not run"
                            : verdict == "differs"
                                ? " differs (" + format_real(count) + " elements)"
                                : " " + verdict));
  }
  return join(parts, ", ");
}

std::string observed_word(const json& record) {
  const json& determinism = object_of(record, "determinism");
  if (!determinism.contains("observed")) return "-";
  return flag_of(determinism, "observed", true) ? "same" : "differs";
}

std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

bool is_red(std::string_view status) {
  constexpr std::array<std::string_view, 5> kRed{"failed", "convention", "nondeterministic",
                                                 "error", "mistrusted"};
  return std::find(kRed.begin(), kRed.end(), status) != kRed.end();
}

}  // namespace wm::report
