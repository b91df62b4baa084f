#pragma once
// Philox4x32-10 (Salmon et al., SC'11): counter-based, so element i of a tensor has the same random
// bits whatever the thread count, the order, or the subset that is generated.
#include <array>
#include <cstdint>

namespace wm {

/// The Philox4x32-10 block function; known-answer tests are those of the Random123 distribution.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

/// A stream of random numbers addressed by element index.
class Random {
 public:
  /// `stream` separates tensors of one case (hash of the tensor name).
  Random(std::uint64_t seed, std::uint64_t stream);
  std::uint32_t bits(std::uint64_t index) const;
  double uniform(std::uint64_t index) const;  ///< [0, 1), 53 bits
  double normal(std::uint64_t index) const;   ///< mean 0, deviation 1, Box-Muller in double
  /// Uniform integer in [lo, hi], unbiased to 2^-32 * (hi - lo + 1).
  std::int64_t integer(std::uint64_t index, std::int64_t lo, std::int64_t hi) const;

 private:
  std::array<std::uint32_t, 4> block(std::uint64_t index) const;
  std::array<std::uint32_t, 2> key_;
  std::uint64_t stream_;
};

}  // namespace wm
