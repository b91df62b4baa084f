#pragma once
// The members of Machine that choose the next thread and switch to it: every barrier and warp
// operation spends its time here, so they are inline.
#include "emu/machine.hpp"
#include "emu/race/detector.hpp"

namespace wm::emu {

inline uint3 Machine::index_of(unsigned thread) const {
  const dim3& block = grid_->launch.block;
  if (block.y == 1 && block.z == 1) return {thread, 0, 0};
  const unsigned row = thread / block.x;
  return {thread % block.x, row % block.y, row / block.y};
}

inline uint3 Machine::block_index(std::uint64_t block) const {
  const dim3& grid = grid_->launch.grid;
  if (grid.y == 1 && grid.z == 1) return {static_cast<unsigned>(block), 0, 0};
  const std::uint64_t row = block / grid.x;
  return {static_cast<unsigned>(block % grid.x), static_cast<unsigned>(row % grid.y),
          static_cast<unsigned>(row / grid.y)};
}

inline unsigned Machine::linear(const uint3& index) const {
  return index.x + blockDim.x * (index.y + blockDim.y * index.z);
}

/// Makes `thread` the running one, except for the stack.
inline void Machine::enter(unsigned thread) {
  ready_.remove(thread);
  current_ = thread;
  threadIdx = index_of(thread);
  row_end = 0;
  if (race_ != nullptr) [[unlikely]]
    race_->enter(thread);
}

/// The stacks of a block's threads do not fit the first-level cache together: the next thread's
/// innermost frames are fetched while this one runs (a fifth of a tiled matrix product's time).
inline void Machine::prefetch_stack(unsigned thread) const {
  constexpr int kLines = 14;
  if (thread >= kMaxThreads || threads_[thread].fiber == nullptr) return;
  const auto* frame = static_cast<const char*>(threads_[thread].fiber->context);
  for (int line = 0; line < kLines; ++line) __builtin_prefetch(frame + 64 * line);
}

inline void Machine::switch_to_thread(unsigned thread) {
  prefetch_stack(thread + 1);
  Fiber* self = running_;
  running_ = threads_[thread].fiber;
  if (running_ != self) switch_fiber(*self, *running_);
}

/// Makes `thread` the running one, with a fiber, except for the stack.
inline void Machine::prepare(unsigned thread) {
  if (thread == kNoThread) fail_deadlock();
  enter(thread);
  if (threads_[thread].fiber == nullptr) [[unlikely]] {
    threads_[thread].fiber = pool_.start(fiber_entry);
    if (threads_[thread].fiber == nullptr)
      fail([&] { return thread_message("no memory for a stack", {}, ""); });
  }
}

/// Suspends the running thread and lets `thread` run.
inline void Machine::resume(unsigned thread) {
  prepare(thread);
  switch_to_thread(thread);
}

inline unsigned Machine::pick_after(unsigned thread) {
  switch (grid_->schedule.kind) {
    case Schedule::Kind::in_order:
      return ready_.next(thread + 1);
    case Schedule::Kind::reverse:
      return ready_.previous(thread == 0 ? kMaxThreads - 1 : thread - 1);
    case Schedule::Kind::random:
      break;
  }
  return pick_random();
}

/// The first of a range that may run, in the order of the schedule.
inline unsigned Machine::pick_from(unsigned lowest, unsigned highest) {
  switch (grid_->schedule.kind) {
    case Schedule::Kind::in_order:
      return ready_.next(lowest);
    case Schedule::Kind::reverse:
      return ready_.previous(highest);
    case Schedule::Kind::random:
      break;
  }
  return pick_random();
}

}  // namespace wm::emu
