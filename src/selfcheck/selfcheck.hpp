#pragma once
// The verifier verifies itself: known faults are planted, and each must turn the verdict red by the
// right gate; the same kernel without its fault must stay green (docs/verification.md).
#include <functional>
#include <string>
#include <vector>

#include "registry/catalog_set.hpp"

namespace wm::selfcheck {

/// One fault, or one control, under one recipe.
struct Row {
  std::string fault;
  std::string recipe;     ///< exact or normal
  bool control = false;   ///< no fault is there: nothing may be caught
  bool expected = false;  ///< the recipe must see the fault
  bool caught = false;    ///< the verdict is red, by the gate that is expected
  bool ran = true;        ///< false: this build cannot
  std::string gate;       ///< that turned the verdict red
  std::string reason;     ///< of the verdict; of a recipe that need not see it: why not

  /// Whether the verifier did what it must.
  bool good() const { return control ? !caught && gate.empty() : !ran || !expected || caught; }
};

/// Runs everything on the emulator; `visit` gets each row as it is finished.
void run(const CatalogSet& catalogs, const std::function<void(const Row&)>& visit);

}  // namespace wm::selfcheck
