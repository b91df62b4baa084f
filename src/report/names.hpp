#pragma once
// Names of records that tools key their history by: readable, the same in every run, each once.
#include <cstdint>
#include <string>
#include <unordered_map>

namespace wm::report {

class UniqueNames {
 public:
  /// `name`, or "name #2", "name #3", ... where it was given before.
  std::string unique(const std::string& name) {
    const std::int64_t times = ++seen_[std::hash<std::string>{}(name)];
    return times == 1 ? name : name + " #" + std::to_string(times);
  }

 private:
  std::unordered_map<std::size_t, std::int64_t> seen_;  // by hash: a million names in 40 MB
};

}  // namespace wm::report
