#pragma once
// Faults planted into what the judge sees: a right product, changed after its kernel has ended.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reference/reference.hpp"
#include "registry/variant.hpp"
#include "verify/judge.hpp"

namespace wm::selfcheck {

enum class Corruption {
  just_outside,   ///< one element off by just over its bound
  just_inside,    ///< one element as far off as its bound allows: no fault
  lost_term,      ///< one product missing from one sum
  swapped_index,  ///< two elements in each other's place
  zero_tile,      ///< 16 x 16 elements of zero
  all_zero,
  stale,  ///< the answer to another input
  nan,    ///< NaN for a finite value
};

/// What a corruption needs to know about a product d = a b.
struct Planted {
  Problem problem;
  std::vector<HostTensor> inputs;
  Expected expected;   ///< of d
  Expected elsewhere;  ///< of d, for inputs of another seed
  BoundRule rule;
  Gate gate = Gate::precision;
};

/// `sound` (an f32 matmul on the emulator, whose memory is the host's) with d corrupted after each
/// launch.
Variant corrupted(const Variant& sound, Corruption corruption, Planted planted);

}  // namespace wm::selfcheck
