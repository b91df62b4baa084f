#pragma once
// Philox4x32-10 (Salmon et al., SC'11): counter-based, so element i of a tensor has the same random
// bits whatever the thread count, the order, or the subset that is generated.
#include <array>
#include <cstdint>

namespace wm {

/// The Philox4x32-10 block function; known-answer tests are those of the Random123 distribution.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

/// A stream of random numbers addressed by element index. Every number is defined down to its bits:
/// integer arithmetic and correctly rounded + - * / sqrt fma only, so no libm or compiler changes
/// it.
class Random {
 public:
  /// `stream` separates tensors of one case (hash of the tensor name).
  Random(std::uint64_t seed, std::uint64_t stream);
  std::uint32_t bits(std::uint64_t index) const;
  double uniform(std::uint64_t index) const;  ///< [0, 1), 53 bits
  /// Mean 0, deviation 1, magnitude below 8.6: Box-Muller in double, the cosine of one pair an
  /// index.
  double normal(std::uint64_t index) const;
  /// Uniform integer in [lo, hi] by a 64-bit multiply and shift: a probability is off by at most
  /// 2^-64. Throws UsageError when lo > hi.
  std::int64_t integer(std::uint64_t index, std::int64_t lo, std::int64_t hi) const;

 private:
  std::array<std::uint32_t, 4> block(std::uint64_t index) const;
  std::array<std::uint32_t, 2> key_;
  std::uint64_t stream_;
};

}  // namespace wm
