// The machine's part of grid_sync: a block runs until all its threads wait there, gives the OS
// thread to the other blocks, and goes on later.
#include "emu/names.hpp"
#include "emu/switching.hpp"

namespace wm::emu {

Machine::Progress Machine::start_block(Grid& grid, std::uint64_t block) {
  begin_grid(grid);
  block_ = block;
  suspended_ = false;
  if (race_ != nullptr) race_->set_shared(arena_.begin(), arena_.bytes(), arena_.shadow().tokens());
  begin_block(block);
  run_worker();
  return progress();
}

Machine::Progress Machine::resume_block() {
  current_machine = this;
  blockIdx = block_index(block_);
  scheduling = 1;
  suspended_ = false;
  grid_arrived_ = 0;
  if (race_ != nullptr) {
    race_->set_shared(arena_.begin(), arena_.bytes(), arena_.shadow().tokens());
    race_->begin_block(block_);
  }
  ready_.take(grid_waiting_);
  const unsigned first = pick_from(0, kMaxThreads - 1);
  enter(first);
  run_fibers(*threads_[first].fiber);
  return progress();
}

Machine::Progress Machine::progress() {
  if (race_ != nullptr && race_->found()) failure_ = race_message();
  if (!failure_.empty()) return Progress::failed;
  return suspended_ ? Progress::waits : Progress::ended;
}

void Machine::grid_barrier(Site site) {
  if (!grid_->launch.cooperative)
    fail([&] { return thread_message("grid_sync in a launch that is not cooperative", site, ""); });
  ensure_scheduling();
  const unsigned self = current_;
  Thread& thread = threads_[self];
  thread.fiber = running_;
  thread.site = site;
  thread.wait = Wait::grid;
  if (grid_arrived_ == 0) {
    grid_waiting_.clear();
    grid_site_ = site;
    grid_mixed_ = false;
  } else if (site.line != grid_site_.line || site.file != grid_site_.file) {
    grid_mixed_ = true;
  }
  grid_waiting_.add(self);
  if (pool_.overrun(*running_, __builtin_frame_address(0)))
    fail([&] {
      return thread_message("stack overflow", site,
                            std::to_string(kStackBytes) + " bytes a thread");
    });
  if (++grid_arrived_ != live_) return resume(pick_after(self));
  if (grid_mixed_ || live_ != grid_->threads) fail_grid_barrier();
  leave_block();
}

/// All threads of the block wait: back to whoever runs the grid.
void Machine::leave_block() {
  suspended_ = true;
  Fiber* self = running_;
  running_ = &main_;
  switch_fiber(*self, main_);
}

/// The block's threads wait at different places, or some have ended.
void Machine::fail_grid_barrier() {
  fail([&] {
    const std::string waiting = waiting_threads(grid_waiting_, false);
    if (live_ == grid_->threads) return block_message("divergent grid_sync", waiting);
    Ranges ended;
    for (unsigned t = 0; t < grid_->threads; ++t)
      if (!alive_.contains(t)) ended.add(t);
    return block_message(
        "grid_sync that not all threads reach",
        waiting + "; ended: " + (ended.single() ? "thread " : "threads ") + ended.text());
  });
}

}  // namespace wm::emu
