#include "emu/race/fences.hpp"

#include <algorithm>

namespace wm::emu::race {

void Fences::Share::add(const Share& other) {
  acquired.add(other.acquired);
  fenced.add(other.fenced);
  for (const void* address : other.touched)
    if (std::find(touched.begin(), touched.end(), address) == touched.end())
      touched.push_back(address);
}

void Fences::Share::clear() {
  acquired.clear();
  fenced.clear();
  touched.clear();
}

void Fences::begin_launch() {
  released_.clear();
  threads_.clear();
  block_.clear();
}

void Fences::begin_block() {
  threads_.clear();
  block_.clear();
}

void Fences::barrier() {
  for (const auto& [thread, share] : threads_) block_.add(share);
  threads_.clear();
}

void Fences::fence(unsigned thread, const Knowledge& before) {
  Share& own = threads_[thread];
  const auto acquire = [&](const std::vector<const void*>& touched) {
    for (const void* address : touched)
      if (const auto found = released_.find(address); found != released_.end())
        own.acquired.add(found->second);
  };
  acquire(own.touched);
  acquire(block_.touched);
  own.touched.clear();
  own.fenced.add(before);
  own.fenced.add(own.acquired);
  own.fenced.add(block_.acquired);
}

void Fences::atomic(unsigned thread, const void* address) {
  Share& own = threads_[thread];
  if (!own.fenced.empty()) released_[address].add(own.fenced);
  if (!block_.fenced.empty()) released_[address].add(block_.fenced);
  if (std::find(own.touched.begin(), own.touched.end(), address) == own.touched.end())
    own.touched.push_back(address);
}

void Fences::sync_lanes(unsigned warp, unsigned mask) {
  if (threads_.empty()) return;
  Share together;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (const auto found = threads_.find(warp * 32 + lane);
        (mask >> lane & 1) != 0 && found != threads_.end())
      together.add(found->second);
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((mask >> lane & 1) != 0) threads_[warp * 32 + lane] = together;
}

bool Fences::acquired(unsigned thread, std::uint64_t block, std::uint64_t stamp) const {
  if (block_.acquired.contains(block, stamp)) return true;
  const auto own = threads_.find(thread);
  return own != threads_.end() && own->second.acquired.contains(block, stamp);
}

}  // namespace wm::emu::race
