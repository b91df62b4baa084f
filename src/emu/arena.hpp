#pragma once
// Shared memory of the block that runs on one OS thread: WM_SHARED slots between canaries, and
// dynamic shared memory of exact size, each region between inaccessible pages.
#include <cstddef>
#include <string>
#include <vector>

#include "emu/race/shadow.hpp"
#include "emu/runtime.hpp"

namespace wm::emu {

class Arena {
 public:
  struct Limits {
    std::size_t statically = 0;  ///< all WM_SHARED of a block
    std::size_t together = 0;    ///< with dynamic shared memory
  };

  Arena();  ///< throws EnvironmentError
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  void begin_launch(const Limits& limits, std::size_t dynamic_bytes, unsigned char poison);
  /// Everything is poison again.
  void begin_block();
  /// The slot of a declaration; null when a limit is exceeded (`error` says which).
  void* slot(const SharedTag& tag) {
    for (const auto& known : slots_)
      if (known.tag == &tag) return known.data;
    return add_slot(tag);
  }
  void* dynamic() const { return dynamic_; }
  std::size_t dynamic_bytes() const { return dynamic_bytes_; }
  /// Static memory of the slots so far, and dynamic.
  std::size_t used_bytes() const { return static_bytes_ + dynamic_bytes_; }
  const std::string& error() const { return error_; }

  /// Whether nothing was written outside the slots in this block.
  bool intact() const;
  /// What was, as one sentence.
  std::string damage() const;
  bool contains(const void* address) const;
  /// All memory that may belong to a block, inaccessible parts included.
  const void* begin() const { return region_; }
  std::size_t bytes() const;
  /// Of all of it; empty without `add_shadow`.
  const race::ShadowRange& shadow() const { return shadow_; }
  /// Gives the memory a shadow for the race detector. Throws EnvironmentError.
  void add_shadow();
  /// "byte 36 of shared array "tile" (32 bytes)" for an address the arena contains.
  std::string describe(const void* address) const;

 private:
  struct Slot {
    const SharedTag* tag;
    std::byte* data;
  };
  void* add_slot(const SharedTag& tag);
  std::size_t dynamic_tail() const;

  std::byte* region_ = nullptr;
  race::ShadowRange shadow_;
  std::vector<Slot> slots_;
  std::byte* next_ = nullptr;  ///< end of the canary after the last slot
  std::size_t static_bytes_ = 0;
  std::byte* dynamic_ = nullptr;
  std::size_t dynamic_bytes_ = 0;
  Limits limits_;
  unsigned char poison_ = 0xff;
  std::string error_;
};

}  // namespace wm::emu
