#include "cli/golden.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "cli/exit_code.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "report/text.hpp"

namespace wm {
namespace {

constexpr std::size_t kDigits = 16;

std::string text_of_key(const std::tuple<std::string, std::string, std::string>& key) {
  return std::get<0>(key) + ' ' + std::get<1>(key) + ' ' + std::get<2>(key);
}

}  // namespace

GoldenDigests GoldenDigests::read(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw UsageError(file + ": cannot be read");
  GoldenDigests golden;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    std::istringstream words(line);
    std::string id, variant, tensor, digest, more;
    if (!(words >> id >> variant >> tensor >> digest) || words >> more || digest.size() != kDigits)
      throw UsageError(file + ":" + std::to_string(number) +
                       ": expected 'case_id variant tensor digest'");
    golden.entries_[{id, variant, tensor}] = {digest, {}};
  }
  return golden;
}

void GoldenDigests::add(const nlohmann::ordered_json& record) {
  const auto& determinism = report::object_of(record, "determinism");
  for (const auto& [tensor, digest] : report::object_of(determinism, "canonical_digests").items())
    entries_[{report::text_of(record, "case_id"), report::text_of(record, "variant"), tensor}] = {
        digest.get<std::string>().substr(0, kDigits), report::text_of(record, "repro")};
}

void GoldenDigests::write(const std::string& file) const {
  std::ofstream stream(file, std::ios::trunc);
  for (const auto& [key, entry] : entries_)
    stream << text_of_key(key) << ' ' << entry.digest << '\n';
  stream.close();
  if (!stream) throw EnvironmentError("cannot write " + file);
}

int GoldenDigests::check(const GoldenDigests& golden, const std::string& filter,
                         std::ostream& errors) const {
  int code = kGood;
  for (const auto& [key, entry] : entries_) {
    const auto found = golden.entries_.find(key);
    if (found == golden.entries_.end()) {
      errors << "golden: " << text_of_key(key) << ": no golden digest\n  " << entry.repro << "\n";
      code = combined_exit_code(code, kRegression);
    } else if (found->second.digest != entry.digest) {
      errors << "golden: " << text_of_key(key) << ": " << entry.digest << ", golden "
             << found->second.digest << "\n  " << entry.repro << "\n";
      code = combined_exit_code(code, kFinding);
    }
  }
  for (const auto& [key, entry] : golden.entries_) {
    if (entries_.contains(key) || (!filter.empty() && !glob_match(filter, std::get<1>(key))))
      continue;
    errors << "golden: " << text_of_key(key) << ": golden, but the run has no such digest\n";
    code = combined_exit_code(code, kRegression);
  }
  return code;
}

}  // namespace wm
