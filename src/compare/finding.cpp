#include "compare/finding.hpp"

namespace wm::compare {

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::worse:
      return "worse";
    case Verdict::changed:
      return "changed";
    case Verdict::regression:
      return "regression";
    case Verdict::better:
      return "better";
    case Verdict::info:
      return "info";
  }
  return "";
}

std::string_view name_of(Uncompared kind) {
  return kind == Uncompared::cross_environment ? "cross-environment" : "not compared";
}

}  // namespace wm::compare
