#pragma once
// cp.async of one block's threads: what each has begun and not yet waited for.
#include <array>
#include <cstdint>
#include <vector>

#include "emu/thread_set.hpp"

namespace wm::emu {

namespace race {
class Detector;
}

class AsyncCopies {
 public:
  /// Copies that nobody waited for never land.
  void begin_block() { ++block_; }
  /// Reads the source now, poisons the destination, and lands when the thread waits.
  void begin(unsigned thread, void* to, const void* from, unsigned bytes, unsigned read,
             unsigned char poison);
  void commit(unsigned thread);
  /// Lands the copies of all but the latest `left` committed groups, and tells the detector if any.
  void wait(unsigned thread, unsigned left, race::Detector* race);

 private:
  struct Copy {
    void* to;
    std::uint64_t group;
    unsigned bytes;
    std::array<unsigned char, 16> data;
  };
  struct Thread {
    std::uint64_t block = 0;
    std::uint64_t committed = 0;  ///< groups; a copy belongs to the group of this number
    std::vector<Copy> copies;     ///< in the order they were begun
  };
  Thread& of(unsigned thread);

  std::uint64_t block_ = 1;
  std::vector<Thread> threads_;
};

}  // namespace wm::emu
