#pragma once
// Which products an output of a linear op sums, and how to put masks and units there: one operand
// carries them, every element of the other is the same number.
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ops/claims.hpp"
#include "ops/op.hpp"
#include "tree/discover.hpp"

namespace wm {

/// Why the problem has no summation tree to be found; empty where it has one.
std::string why_no_tree(const Problem& problem, const Claims& claims);

/// Sums that share a tree, if the algorithm is regular: each lane has its own elements of the
/// carrying operand, so that a launch computes one masked sum a lane. Replicas are further outputs
/// of a lane's products.
struct LinearSum {
  std::string carrier, constant, output;  ///< tensor names
  std::string leaf_axes;                  ///< what the leaves count through, slowest first: "c,r,s"
  std::int64_t leaves = 0, lanes = 0, replicas = 0;
  /// Logical index in the carrying tensor of a lane's leaf.
  std::function<std::int64_t(std::int64_t lane, std::int64_t leaf)> element;
  /// Logical index in the output tensor.
  std::function<std::int64_t(std::int64_t lane, std::int64_t replica)> result;
};

/// The sum behind the output element with the most products (the first of them; convolutions have
/// fewer near the border). `why_no_tree` is empty.
LinearSum linear_sum(const Problem& problem);

/// What masks and units are: powers of two that the types hold, masks so large that `most_units`
/// units together vanish beside one, results that the output type counts exactly.
struct MaskScale {
  double mask = 0, unit = 0;  ///< in the carrying operand
  double constant = 1;        ///< the other operand
  std::int64_t most_units = 0;
};
MaskScale mask_scale(DType carrier, DType acc, DType out);

/// Values of the carrying tensor, in logical order, with sums[i] in lane i; lanes past the last
/// repeat them from the first on.
std::vector<double> carrier_values(const LinearSum& sum, std::int64_t elements,
                                   const MaskScale& scale, std::span<const MaskedSum> sums);

/// Units left of each of `sums`, read from the output in logical order. Throws NoTreeError where a
/// result is no number of units, or where outputs that should agree do not.
std::vector<std::int64_t> units_left(const LinearSum& sum, const std::vector<double>& output,
                                     const MaskScale& scale, std::span<const MaskedSum> sums);

}  // namespace wm
