#pragma once
// The summation tree of one variant on one case, found by running it.
#include <cstdint>
#include <optional>
#include <string>

#include "config/case.hpp"
#include "gpu/device.hpp"
#include "registry/variant.hpp"
#include "tree/tree.hpp"

namespace wm {

struct CaseTree {
  std::string why_not;  ///< why there is none; the rest is then empty
  std::string tensor;   ///< output it belongs to
  std::string leaf_axes;
  std::string config;
  SummationTree tree;
  std::int64_t height = 0;  ///< roundings from the deepest product to the sum
  double claimed = 0;       ///< largest height by the variant's claims
  std::string hash;
  bool shared =
      true;  ///< all outputs of the launch have this tree; false: the first was asked alone
  std::int64_t sums = 0, launches = 0;  ///< masked sums asked for, and launches that took

  bool taller_than_claimed() const { return static_cast<double>(height) > claimed; }
  /// "the tree of 'd' has height 300, taller than the claimed 9".
  std::string height_text() const;
};

/// Runs the variant under the case's schedule with masks for inputs (the case's recipe and inputs
/// do not matter). Throws KernelError, EnvironmentError.
CaseTree discover_case_tree(Device& device, const Variant& variant, const Case& item);

/// The same for an audit: nothing where there is no tree or finding it would take long.
std::optional<CaseTree> audit_tree(Device& device, const Variant& variant, const Case& item);

}  // namespace wm
