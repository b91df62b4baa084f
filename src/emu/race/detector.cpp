#include "emu/race/detector.hpp"

#include <algorithm>

#include "emu/machine.hpp"
#include "emu/names.hpp"
#include "emu/race/source_line.hpp"

namespace wm::emu::race {

constinit __thread Now now{};
constinit __thread Detector* active = nullptr;

Detector::Detector(std::uint64_t epoch)
    : epoch_(epoch), warps_(std::make_unique<std::array<WarpOrder, 32>>()) {}

void Detector::begin_launch(const void* shared, std::size_t shared_bytes,
                            const Token* shared_tokens) {
  conflict_ = {};
  blocks_.clear();
  fences_.begin_launch();
  if (++epoch_ > Stamp::kLastFirstEpoch) {
    forget_all_accesses();
    epoch_ = 1;
  }
  now = {};
  now.grid_floor = Stamp::first_of(epoch_);
  now.grid_token = Tokens::grid(now.grid_floor);
  set_shared(shared, shared_bytes, shared_tokens);
  active = this;
}

void Detector::set_shared(const void* shared, std::size_t bytes, const Token* tokens) {
  now.shared_begin = reinterpret_cast<std::uintptr_t>(shared);
  now.shared_bytes = bytes;
  now.shared_tokens = tokens;
}

void Detector::end_launch() {
  active = nullptr;
  now = {};
}

void Detector::begin_block(std::uint64_t block) {
  next_epoch();
  now.block_floor = now.epoch_floor;
  blocks_.push_back({epoch_, block});
  fences_.begin_block();
  synced_warps_ = 0;
  if (ticked_) clock_.fill(0);
  ticked_ = false;
}

void Detector::next_epoch() {
  ++epoch_;
  now.epoch_floor = Stamp::first_of(epoch_);
  now.epoch_token = Tokens::epoch(now.epoch_floor);
}

void Detector::barrier() {
  next_epoch();
  fences_.barrier();
}

void Detector::grid_barrier() {
  next_epoch();
  now.grid_floor = now.epoch_floor;
  now.grid_token = Tokens::grid(now.grid_floor);
  blocks_.clear();
  fences_.begin_launch();
}

void Detector::tick(unsigned thread) {
  if (clock_[thread] < Stamp::kMaxClock) ++clock_[thread];
  ticked_ = true;
}

void Detector::sync_warp(unsigned warp, unsigned mask) {
  auto& known = (*warps_)[warp].known;
  if ((synced_warps_ >> warp & 1) == 0) known = {};
  synced_warps_ |= 1U << warp;
  std::array<std::uint32_t, 32> together{};
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    for (unsigned other = 0; other < 32; ++other)
      together[other] = std::max(together[other], known[lane][other]);
    together[lane] = std::max(together[lane], clock_[warp * 32 + lane] + 1);
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    known[lane] = together;
    tick(warp * 32 + lane);
  }
  fences_.sync_lanes(warp, mask);
}

void Detector::fence() {
  const unsigned thread = Stamp::thread(now.stamp), warp = thread / 32;
  tick(thread);
  enter(thread);
  Knowledge before;
  const std::uint64_t block = blocks_.size();
  before.add_epochs(block, epoch_);
  before.add_thread(block, thread, now.stamp);
  if ((synced_warps_ >> warp & 1) != 0) {
    const auto& known = (*warps_)[warp].known[thread % 32];
    for (unsigned lane = 0; lane < 32; ++lane)
      if (known[lane] > 0)
        before.add_thread(block, warp * 32 + lane, Stamp::make(epoch_, known[lane], 0));
  }
  fences_.fence(thread, before);
}

std::uint32_t Detector::place_of(Site site) {
  for (std::size_t i = 0; i < sites_.size(); ++i)
    if (sites_[i].line == site.line && sites_[i].file == site.file)
      return kSite | static_cast<std::uint32_t>(i);
  sites_.push_back(site);
  return kSite | static_cast<std::uint32_t>(sites_.size() - 1);
}

std::string Detector::line_of(const Access& access) const {
  if ((access.place & kSite) != 0) return site_text(sites_[access.place & ~kSite]);
  return source_line(access.place);
}

const Detector::Block& Detector::block_of(std::uint64_t stamp) const {
  const auto behind = std::upper_bound(
      blocks_.begin(), blocks_.end(), Stamp::epoch(stamp),
      [](std::uint64_t epoch, const Block& block) { return epoch < block.first_epoch; });
  return *std::prev(behind);
}

bool Detector::ordered(const Access& earlier, bool shared) const {
  const std::uint64_t stamp = earlier.stamp;
  if (stamp < (shared ? now.block_floor : now.grid_floor)) return true;
  const unsigned thread = Stamp::thread(now.stamp), before = Stamp::thread(stamp);
  if (stamp >= now.block_floor) {
    if (stamp < now.epoch_floor || before == thread) return true;
    const unsigned warp = thread / 32;
    if (before / 32 == warp && (synced_warps_ >> warp & 1) != 0 &&
        Stamp::clock(stamp) < (*warps_)[warp].known[thread % 32][before % 32])
      return true;
  }
  const auto turn = static_cast<std::uint64_t>(&block_of(stamp) - blocks_.data()) + 1;
  return fences_.acquired(thread, turn, stamp);
}

void Detector::report(const void* address, const Access& first, const Access& second) {
  conflict_ = {address, first, second, block_of(first.stamp).index};
  now = {};
  current_machine->fail([] { return std::string("race"); });  // put into words by Machine::run
}

}  // namespace wm::emu::race
