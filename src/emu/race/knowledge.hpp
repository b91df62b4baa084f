#pragma once
// Order between threads that no barrier of their block gives: a fence followed by an atomic
// releases, an atomic followed by a fence acquires.
#include <cstdint>
#include <unordered_map>

#include "emu/race/stamp.hpp"

namespace wm::emu::race {

/// A set of accesses that happened before something: for each block those of its epochs before a
/// limit, for each thread those with stamps below a limit.
class Knowledge {
 public:
  void add_epochs(std::uint64_t block, std::uint64_t epoch_limit) {
    raise(epochs_[block], epoch_limit);
  }
  void add_thread(std::uint64_t block, unsigned thread, std::uint64_t stamp_limit) {
    raise(threads_[key(block, thread)], stamp_limit);
  }
  void add(const Knowledge& other) {
    for (const auto& [block, limit] : other.epochs_) raise(epochs_[block], limit);
    for (const auto& [thread, limit] : other.threads_) raise(threads_[thread], limit);
  }
  bool contains(std::uint64_t block, std::uint64_t stamp) const {
    const auto epoch = epochs_.find(block);
    if (epoch != epochs_.end() && Stamp::epoch(stamp) < epoch->second) return true;
    const auto thread = threads_.find(key(block, Stamp::thread(stamp)));
    return thread != threads_.end() && stamp < thread->second;
  }
  bool empty() const { return epochs_.empty() && threads_.empty(); }
  void clear() {
    epochs_.clear();
    threads_.clear();
  }

 private:
  static void raise(std::uint64_t& limit, std::uint64_t to) {
    if (limit < to) limit = to;
  }
  static std::uint64_t key(std::uint64_t block, unsigned thread) { return block << 10 | thread; }

  std::unordered_map<std::uint64_t, std::uint64_t> epochs_;
  std::unordered_map<std::uint64_t, std::uint64_t> threads_;
};

}  // namespace wm::emu::race
