#pragma once
// The older report, held in memory and found by case; and reading of either report.
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "compare/comparability.hpp"
#include "compare/compare.hpp"
#include "compare/snapshot.hpp"

namespace wm::compare {

struct BaseRecord {
  Snapshot snapshot;
  bool seen = false;                  ///< a record of the other report matched it
  BaseRecord* next_device = nullptr;  ///< the same case and variant on another device
};

class Baseline {
 public:
  /// False, and nothing kept, for a further record of the same case, variant and device.
  bool add(Snapshot snapshot);
  /// The record of the case and variant on the same device, else on another; or nullptr.
  BaseRecord* find(const Snapshot& snapshot);

  std::deque<BaseRecord>& records() { return records_; }
  Pool& pool() { return pool_; }

 private:
  using Key = std::pair<std::string_view, std::string_view>;  // case id, variant
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      const std::hash<std::string_view> hash;
      return hash(key.first) * 31 + hash(key.second);
    }
  };

  Pool pool_;
  std::deque<BaseRecord> records_;  // elements do not move: the keys view into them
  std::unordered_map<Key, BaseRecord*, KeyHash> by_case_;
};

/// What a report's header says beyond its Side.
struct HeaderFacts {
  EnvironmentKey key;
  bool emulated = false;
};

/// Reads a report, a records.jsonl or the folder of a run: fills `side` and `facts` and hands over
/// each record. Throws UsageError "file:line: ..." for text that is no report.
void read_side(const std::string& path, Side& side, HeaderFacts& facts, Pool& pool,
               const std::function<void(Snapshot)>& record);

}  // namespace wm::compare
