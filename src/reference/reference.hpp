#pragma once
// The CPU reference: float64 (long double for f64 problems) on inputs already rounded to their
// storage type, with the magnitude every error bound needs. Uses all cores.
#include <vector>

#include "ops/claims.hpp"
#include "ops/op.hpp"

namespace wm {

/// Values of one input in logical order, exactly representable in desc.dtype.
struct HostTensor {
  TensorDesc desc;
  std::vector<double> values;
};

/// One output in logical order. `magnitude` is S = |alpha| sum |a||b| + epilogue terms for sums of
/// products, or the tracked error before the final rounding for the other ops (Op::bound_rule).
struct Expected {
  std::string name;
  std::vector<double> value;
  std::vector<double> magnitude;
};

/// Outputs of the problem in the order of problem.tensors. `claims` matters only where
/// reference_depends_on_claims() (running-error references). Throws UsageError for an op without
/// one.
std::vector<Expected> run_reference(const Problem& problem, const std::vector<HostTensor>& inputs,
                                    const Claims& claims);
bool reference_depends_on_claims(const Op& op);

/// Threads used by the references (0: all cores).
void set_reference_threads(unsigned threads);

}  // namespace wm
