#include "emu/async_copies.hpp"

#include <algorithm>
#include <cstring>

#include "emu/race/detector.hpp"

namespace wm::emu {

AsyncCopies::Thread& AsyncCopies::of(unsigned thread) {
  if (threads_.empty()) threads_.resize(kMaxThreads);
  Thread& found = threads_[thread];
  if (found.block != block_) {
    found.block = block_;
    found.committed = 0;
    found.copies.clear();
  }
  return found;
}

void AsyncCopies::begin(unsigned thread, void* to, const void* from, unsigned bytes, unsigned read,
                        unsigned char poison) {
  Thread& own = of(thread);
  Copy copy{to, own.committed, bytes, {}};
  if (read > 0) std::memcpy(copy.data.data(), from, read);
  std::memset(to, poison, bytes);
  own.copies.push_back(copy);
}

void AsyncCopies::commit(unsigned thread) { ++of(thread).committed; }

void AsyncCopies::wait(unsigned thread, unsigned left, race::Detector* race) {
  Thread& own = of(thread);
  const std::uint64_t landed = own.committed > left ? own.committed - left : 0;
  const auto end = std::find_if(own.copies.begin(), own.copies.end(),
                                [&](const Copy& copy) { return copy.group >= landed; });
  for (auto copy = own.copies.begin(); copy != end; ++copy) {
    std::memcpy(copy->to, copy->data.data(), copy->bytes);
    if (race != nullptr) race->copy_landed(copy->to, copy->bytes);
  }
  own.copies.erase(own.copies.begin(), end);
}

}  // namespace wm::emu
