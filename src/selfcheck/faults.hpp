#pragma once
// The faults that `warpmark selfcheck` plants, and which gate must see each.
#include <optional>
#include <string>
#include <vector>

#include "selfcheck/corruption.hpp"

namespace wm::selfcheck {

struct Fault {
  std::string name;
  std::string problem;    ///< a case string without algorithm and recipe
  std::string algorithm;  ///< `faulty_...` of the selfcheck's catalog; empty: a corruption
  std::optional<Corruption> corruption;
  std::string exact_gate;   ///< which must see it under recipe exact; empty: none can
  std::string normal_gate;  ///< the same under normal
  std::string why_blind;    ///< of the recipe whose gate is empty
  bool audit = false;       ///< seen by a probe that only an audit runs
  bool race = false;        ///< on emu-race
};

const std::vector<Fault>& faults();

}  // namespace wm::selfcheck
