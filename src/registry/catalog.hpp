#pragma once
// All variants of one flavour (cuda, emu, emu-race) or of the CPU reference.
#include <string_view>
#include <vector>

#include "registry/variant.hpp"

namespace wm {

class Catalog {
 public:
  /// Throws std::logic_error on a duplicate id, an unknown op or a missing function.
  void add(Variant variant);
  const std::vector<Variant>& variants() const { return variants_; }
  /// Variants that could answer the problem by type: same op, dtypes, acc, math, layout.
  std::vector<const Variant*> matching(const Problem& problem) const;
  const Variant* find(const Problem& problem, std::string_view algorithm,
                      std::string_view provider = "warpmark") const;

 private:
  std::vector<Variant> variants_;
};

}  // namespace wm
