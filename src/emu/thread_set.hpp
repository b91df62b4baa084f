#pragma once
// A set of threads of one block (linear indices below 1024).
#include <array>
#include <bit>
#include <cstdint>

namespace wm::emu {

inline constexpr unsigned kMaxThreads = 1024;
inline constexpr unsigned kNoThread = ~0U;

class ThreadSet {
 public:
  void clear() { words_.fill(0); }
  void add(unsigned thread) { words_[thread / 64] |= std::uint64_t{1} << thread % 64; }
  void remove(unsigned thread) { words_[thread / 64] &= ~(std::uint64_t{1} << thread % 64); }
  bool contains(unsigned thread) const { return words_[thread / 64] >> thread % 64 & 1; }
  /// Makes it {first, ..., last - 1}.
  void assign_range(unsigned first, unsigned last) {
    for (unsigned w = 0; w < words_.size(); ++w) words_[w] = below(last, w) & ~below(first, w);
  }
  /// Adds all of `other` and empties it.
  void take(ThreadSet& other) {
    for (unsigned w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
    other.clear();
  }
  /// The 32 threads of a warp as a lane mask.
  unsigned lanes(unsigned warp) const {
    return static_cast<unsigned>(words_[warp / 2] >> warp % 2 * 32);
  }
  void add_lanes(unsigned warp, unsigned mask) {
    words_[warp / 2] |= std::uint64_t{mask} << warp % 2 * 32;
  }
  unsigned size() const {
    int count = 0;
    for (const auto word : words_) count += std::popcount(word);
    return static_cast<unsigned>(count);
  }

  /// The smallest member at or after `from`, else the smallest; kNoThread when empty.
  unsigned next(unsigned from) const {
    const unsigned found = from < kMaxThreads ? at_or_after(from) : kNoThread;
    return found != kNoThread ? found : at_or_after(0);
  }
  /// The largest member at or before `from`, else the largest; kNoThread when empty.
  unsigned previous(unsigned from) const {
    const unsigned found = at_or_before(from);
    return found != kNoThread ? found : at_or_before(kMaxThreads - 1);
  }
  /// The member with `rank` smaller ones.
  unsigned nth(unsigned rank) const {
    for (unsigned w = 0; w < words_.size(); ++w) {
      auto word = words_[w];
      const auto count = static_cast<unsigned>(std::popcount(word));
      if (rank >= count) {
        rank -= count;
        continue;
      }
      for (; rank > 0; --rank) word &= word - 1;
      return w * 64 + static_cast<unsigned>(std::countr_zero(word));
    }
    return kNoThread;
  }

 private:
  /// Bits of word `w` that stand for threads below `end`.
  static std::uint64_t below(unsigned end, unsigned w) {
    if (end <= w * 64) return 0;
    return end - w * 64 >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (end - w * 64)) - 1;
  }
  unsigned at_or_after(unsigned from) const {
    unsigned w = from / 64;
    auto word = words_[w] & (~std::uint64_t{0} << from % 64);
    while (word == 0) {
      if (++w == words_.size()) return kNoThread;
      word = words_[w];
    }
    return w * 64 + static_cast<unsigned>(std::countr_zero(word));
  }
  unsigned at_or_before(unsigned from) const {
    unsigned w = from / 64;
    auto word = words_[w] & (~std::uint64_t{0} >> (63 - from % 64));
    while (word == 0) {
      if (w-- == 0) return kNoThread;
      word = words_[w];
    }
    return w * 64 + 63 - static_cast<unsigned>(std::countl_zero(word));
  }

  std::array<std::uint64_t, kMaxThreads / 64> words_{};
};

}  // namespace wm::emu
