#pragma once
// Sums of chosen products through an mma.sync, many in one launch.
#include <utility>
#include <vector>

#include "probe/mma_probe.hpp"

namespace wm {

/// c + sum a b; products not given are zero.
struct ChosenSum {
  double c = 0;
  std::vector<std::pair<double, double>> products;

  /// Adds factor 2^exponent as a product of normal numbers of the operand's format; `factor` has
  /// few enough bits for one of them.
  ChosenSum& add(const MmaFormat& format, int exponent, double factor = 1);
};

/// The largest and smallest exponents of products of normal numbers that the probes use: the types
/// with f32's exponents stay where nothing overflows or becomes subnormal.
struct ProductRange {
  int largest, smallest;
};
ProductRange product_range(const MmaFormat& format);

/// Results of the sums, eight in a tile (on its diagonal).
std::vector<double> chosen_sums(MmaOperand operand, const MultiplyTiles& multiply,
                                const std::vector<ChosenSum>& sums);

/// Random multiplications: exponents far apart and close together, cancellation, zeros, subnormals.
std::vector<MmaTile> random_tiles(MmaOperand operand, int count);

}  // namespace wm
