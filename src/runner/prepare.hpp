#pragma once
// Inputs and reference of a problem, shared by the algorithms that run it one after another.
#include <string>
#include <vector>

#include "config/case.hpp"
#include "reference/reference.hpp"

namespace wm {

class Prepared {
 public:
  /// Makes the inputs of the case current; does nothing when they already are.
  void use(const Case& item);
  const std::vector<HostTensor>& inputs() const { return inputs_; }
  /// Reference outputs under the claims; computed once a problem unless the op's reference depends
  /// on the claims.
  const std::vector<Expected>& expected(const Claims& claims);

 private:
  std::string key_;
  Problem problem_;
  std::vector<HostTensor> inputs_;
  std::vector<Expected> expected_;
  bool has_expected_ = false;
};

/// Values of one source for a tensor, rounded to its type. Throws UsageError on a wrong count.
std::vector<double> source_values(const TensorSource& source, const std::string& what,
                                  const TensorDesc& desc);

}  // namespace wm
