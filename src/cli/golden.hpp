#pragma once
// Golden digests: `case_id variant tensor digest`, one line a tensor, sorted. A digest is the first
// 16 digits of the canonical one of the record (every NaN the same), so that builds and devices
// with the same arithmetic agree.
#include <map>
#include <ostream>
#include <string>
#include <tuple>

#include "runner/runner.hpp"

namespace wm {

/// Collects the digests of a run's records.
class GoldenDigests {
 public:
  /// Throws UsageError for a file that is missing or has a line of another form.
  static GoldenDigests read(const std::string& file);
  void add(const nlohmann::ordered_json& record);
  /// Throws EnvironmentError.
  void write(const std::string& file) const;

  /// Compares with the golden ones, a line each difference; of those, only variants that `filter`
  /// (a glob; empty: all) lets through. The exit code: 1 for another digest, else 3 where one side
  /// lacks a case, else 0.
  int check(const GoldenDigests& golden, const std::string& filter, std::ostream& errors) const;

 private:
  struct Entry {
    std::string digest, repro;
  };
  std::map<std::tuple<std::string, std::string, std::string>, Entry> entries_;
};

}  // namespace wm
