#pragma once
// The tensors of a case as files: FOLDER/<case_id>/case.json and a .npy a tensor in logical order,
// with each output's reference and bound. The files are valid inputs of a case.
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "config/case.hpp"
#include "core/error.hpp"
#include "reference/reference.hpp"
#include "registry/variant.hpp"

namespace wm {

/// A file of a dump cannot be written: a matter of the machine, not of the case.
struct DumpError : EnvironmentError {
  using EnvironmentError::EnvironmentError;
};

class CaseDump {
 public:
  /// Throws DumpError, as all members do, when a file cannot be written.
  CaseDump(const std::string& folder, const Case& item, const VariantId& id,
           const std::string& config);
  /// x.npy
  void tensor(const TensorDesc& desc, std::span<const double> values);
  /// y.ref.npy and y.bound.npy in float64; with `exact` the bound is 0: bit equality.
  void reference(const TensorDesc& desc, const Expected& expected, const BoundRule& rule,
                 bool exact);
  /// Writes case.json, last: where it is, the tensors are whole.
  void finish();

 private:
  std::string folder_;
  nlohmann::ordered_json text_;
};

/// The case with every long list of values in a file FOLDER/<case_id>/<tensor>.npy, and with the
/// paths of all files absolute: what a repro line is made of.
Case with_inputs_in_files(Case item, const std::string& folder);

}  // namespace wm
