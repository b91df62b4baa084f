#pragma once
// Release and acquire by fences and atomics, over one launch.
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emu/race/knowledge.hpp"

namespace wm::emu::race {

/// A fence before an atomic releases: whoever has performed an atomic on the same address later and
/// a fence after that has acquired. A fence or atomic may lie on the other side of a __syncthreads
/// than its partner, in another thread of the block. Blocks are named by the number of their turn.
class Fences {
 public:
  void begin_launch();
  void begin_block();
  void barrier();
  /// `before`: what the thread's own fence covers besides what it has acquired.
  void fence(unsigned thread, const Knowledge& before);
  void atomic(unsigned thread, const void* address);
  /// Lanes of a __syncwarp share what each of them has acquired and released.
  void sync_lanes(unsigned warp, unsigned mask);
  bool acquired(unsigned thread, std::uint64_t block, std::uint64_t stamp) const;

 private:
  struct Share {
    Knowledge acquired;                ///< by an atomic and a fence after it
    Knowledge fenced;                  ///< will be released by the next atomic
    std::vector<const void*> touched;  ///< atomics that a fence has not followed yet
    void add(const Share& other);
    void clear();
  };

  std::unordered_map<const void*, Knowledge> released_;  ///< by the address of the atomic
  Share block_;
  std::unordered_map<unsigned, Share> threads_;  ///< since the last barrier
};

}  // namespace wm::emu::race
