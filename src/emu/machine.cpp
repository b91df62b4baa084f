#include "emu/switching.hpp"

#include <sys/mman.h>

#include "core/error.hpp"
#include "emu/count/counter.hpp"

constinit __thread uint3 threadIdx{};
constinit __thread uint3 blockIdx{};
constinit __thread uint3 blockDim{};
constinit __thread uint3 gridDim{};

namespace wm::emu {

constinit __thread unsigned row_end = 0;
constinit __thread int scheduling = 0;
constinit __thread Machine* current_machine = nullptr;

namespace {

constexpr std::size_t kRescueBytes = 64 * 1024;

uint3 as_uint3(const dim3& d) { return {d.x, d.y, d.z}; }

}  // namespace

Machine::Machine(race::Detector* race, bool stack_guards)
    : detector_(race), race_(race), pool_(stack_guards) {
  void* memory =
      mmap(nullptr, kRescueBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw EnvironmentError("no memory for the emulator's rescue stack");
  if (race_ != nullptr) arena_.add_shadow();
  rescue_fiber_.bottom = memory;
  rescue_fiber_.bytes = kRescueBytes;
  rescue_fiber_.top = static_cast<std::byte*>(memory) + kRescueBytes;
}

Machine::~Machine() {
  forget_variables(rescue_fiber_);
  munmap(rescue_fiber_.top - kRescueBytes, kRescueBytes);
}

void Machine::begin_grid(Grid& grid) {
  grid_ = &grid;
  next_position_ = last_position_ = 0;
  arena_.begin_launch(grid.shared_limits, grid.launch.shared_bytes, grid.poison);
  gridDim = as_uint3(grid.launch.grid);
  blockDim = as_uint3(grid.launch.block);
  current_machine = this;
  failure_.clear();
  precise_ = imprecise_failure_ = false;
}

void Machine::run(Grid& grid) {
  begin_grid(grid);
  if (race_ != nullptr)
    race_->begin_launch(arena_.begin(), arena_.bytes(), arena_.shadow().tokens());
  if (counter_ != nullptr) counter_->begin_launch(grid.launch, arena_);
  if (next_block()) run_worker();
  if (imprecise_failure_) {
    precise_ = true;
    imprecise_failure_ = false;
    begin_block(grid.block_at(position_));
    run_worker();
  }
  if (race_ != nullptr) {
    if (race_->found()) failure_ = race_message();
    race_->end_launch();
  }
  if (counter_ != nullptr) counter_->end_launch();
  if (!failure_.empty()) grid.report_failure(position_, failure_);
  scheduling = 0;
  current_machine = nullptr;
}

/// Runs the current block and those behind it; returns when none are left or one has failed.
void Machine::run_worker() {
  Fiber* worker = pool_.start(fiber_entry);
  if (worker == nullptr) {
    failure_ = "no memory for a stack" + place(false);
    return;
  }
  if (scheduling != 0) threads_[current_].fiber = worker;
  run_fibers(*worker);
}

/// Returns when no block is left, one has failed, or the block waits for the others of its grid.
void Machine::run_fibers(Fiber& first) {
  running_ = &first;
  switch_fiber(main_, first);
  running_ = nullptr;
  failing_ = false;
  if (!suspended_) pool_.release_all();
}

void Machine::fiber_entry() {
  arrive(nullptr);
  Machine& machine = *current_machine;
  machine.grid_->worker(machine.grid_->args);
  // The worker found no more blocks.
  Fiber* self = machine.running_;
  machine.running_ = &machine.main_;
  switch_fiber(*self, machine.main_);
}

bool Machine::next_block() {
  if (grid_->launch.cooperative) return false;
  if (next_position_ == last_position_ && !grid_->claim(next_position_, last_position_))
    return false;
  if (grid_->cancelled(next_position_)) return false;
  position_ = next_position_++;
  begin_block(grid_->block_at(position_));
  return true;
}

void Machine::begin_block(std::uint64_t block) {
  blockIdx = block_index(block);
  arena_.begin_block();
  copies_.begin_block();
  if (race_ != nullptr) race_->begin_block(block);
  if (counter_ != nullptr) counter_->begin_block();
  if (grid_->schedule.kind == Schedule::Kind::in_order) {
    scheduling = 0;
    threadIdx = {0, 0, 0};
    row_end = one_by_one() ? 1 : blockDim.x;
    if (race_ != nullptr) race_->enter(0);
    return;
  }
  random_ = mix(grid_->schedule.seed, block);
  begin_scheduling(0);
  ready_.assign_range(0, grid_->threads);
  enter(grid_->schedule.kind == Schedule::Kind::reverse ? grid_->threads - 1 : pick_random());
}

/// The block's bookkeeping, when threads below `first_running` have ended, that one runs and the
/// others have not started.
void Machine::begin_scheduling(unsigned first_running) {
  scheduling = 1;
  const unsigned threads = grid_->threads;
  alive_.assign_range(first_running, threads);
  ready_.assign_range(first_running + 1, threads);
  waiting_.clear();
  live_ = threads - first_running;
  arrived_ = 0;
  grid_arrived_ = 0;
  for (unsigned t = first_running; t < threads; ++t) {
    threads_[t].fiber = nullptr;
    threads_[t].wait = Wait::none;
  }
  for (unsigned w = first_running / 32; w * 32 < threads; ++w) warps_[w].group_count = 0;
}

/// A thread is about to wait: from here on the block's threads are scheduled one by one.
void Machine::ensure_scheduling() {
  if (scheduling != 0) [[likely]]
    return;
  current_ = linear(threadIdx);
  begin_scheduling(current_);
}

bool Machine::row_finished() {
  if (scheduling != 0) return thread_finished();
  if (counter_ != nullptr) counter_->finish(linear(threadIdx));
  if (next_row()) {
    if (race_ != nullptr) race_->enter(linear(threadIdx));
    return true;
  }
  end_block();
  return next_block();
}

/// Moves threadIdx and row_end on to the block's next row; false behind the last.
inline bool Machine::next_row() {
  if (one_by_one()) {
    row_end = threadIdx.x + 2;
    if (++threadIdx.x < blockDim.x) return true;
    row_end = 1;
  }
  threadIdx.x = 0;
  if (++threadIdx.y < blockDim.y) return true;
  threadIdx.y = 0;
  return ++threadIdx.z < blockDim.z;
}

void Machine::end_block() {
  if (precise_) abandon();  // with the first report: this time the block did not fault
  if (!arena_.intact()) [[unlikely]]
    fail([&] { return block_message("out-of-bounds write", arena_.damage()); });
}

bool Machine::thread_finished() {
  const unsigned thread = current_;
  if (counter_ != nullptr) counter_->finish(thread);
  alive_.remove(thread);
  check_no_lane_waits_for(thread);
  if (--live_ == 0) {
    end_block();
    if (!next_block()) return false;
    if (scheduling != 0) threads_[current_].fiber = running_;
    return true;
  }
  if (grid_arrived_ == live_) [[unlikely]]
    fail_grid_barrier();
  const bool released = arrived_ == live_;
  if (released) release_barrier();
  const unsigned next = released ? pick_from(0, kMaxThreads - 1) : pick_after(thread);
  if (next == kNoThread) fail_deadlock();
  enter(next);
  if (threads_[next].fiber == nullptr) {
    threads_[next].fiber = running_;
    return true;
  }
  pool_.release(running_);
  switch_to_thread(next);
  __builtin_unreachable();
}

unsigned Machine::pick_random() {
  const unsigned count = ready_.size();
  if (count == 0) return kNoThread;
  random_ = mix(random_, 1);
  return ready_.nth(static_cast<unsigned>(random_ % count));
}

/// A point where a random schedule may let another thread run.
void Machine::give_turn() {
  if (grid_->schedule.kind != Schedule::Kind::random) return;
  const unsigned self = current_;
  threads_[self].fiber = running_;
  ready_.add(self);
  resume(pick_random());
}

/// Gives the thread that runs next.
inline unsigned Machine::arrive_at_barrier(BarrierOp op, int predicate, Site site) {
  ensure_scheduling();
  const unsigned self = current_;
  Thread& thread = threads_[self];
  thread.fiber = running_;
  thread.site = site;
  thread.op = static_cast<std::uint8_t>(op);
  thread.wait = Wait::barrier;
  if (arrived_ == 0) {
    barrier_site_ = site;
    barrier_op_ = op;
    barrier_mixed_ = false;
    barrier_sum_ = 0;
  } else if (site.line != barrier_site_.line || site.file != barrier_site_.file ||
             op != barrier_op_) {
    barrier_mixed_ = true;
  }
  waiting_.add(self);
  if (counter_ != nullptr) [[unlikely]]
    counter_->arrive(self);
  barrier_sum_ += predicate;
  if (++arrived_ != live_) return pick_after(self);
  release_barrier();
  return pick_from(0, kMaxThreads - 1);
}

int Machine::barrier(BarrierOp op, int predicate, Site site) {
  resume(arrive_at_barrier(op, predicate, site));
  return barrier_result_;
}

void* Machine::synchronize(Site site, void* saved) {
  const unsigned next = arrive_at_barrier(BarrierOp::sync, 0, site);
  prepare(next);
  prefetch_stack(next + 1);
  running_->context = saved;
  running_ = threads_[next].fiber;
  return running_->context;
}

void Machine::release_barrier() {
  if (barrier_mixed_) fail_divergent();
  switch (barrier_op_) {
    case BarrierOp::sync:
    case BarrierOp::count:
      barrier_result_ = barrier_sum_;
      break;
    case BarrierOp::all:
      barrier_result_ = barrier_sum_ == static_cast<int>(arrived_);
      break;
    case BarrierOp::any:
      barrier_result_ = barrier_sum_ != 0;
      break;
  }
  arrived_ = 0;
  if (race_ != nullptr) race_->barrier();
  if (counter_ != nullptr) counter_->barrier();
  ready_.take(waiting_);
}

bool Machine::atomic_begin(const void* address, std::size_t bytes, const char* operation,
                           Site site) {
  if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0)
    fail_misaligned(address, bytes, operation, site);
  const bool global = !arena_.contains(address);
  if (global && !grid_->launch.blocks_communicate)
    fail([&] {
      return thread_message(
          std::string(operation) +
              " on global memory in a launch that does not set blocks_communicate",
          site, describe(address));
    });
  give_turn();
  if (race_ != nullptr) race_->atomic(address, bytes, site);
  if (counter_ != nullptr) counter_->atomic(address, static_cast<unsigned>(bytes), site);
  return global;
}

void Machine::fence(Site site) {
  if (!grid_->launch.blocks_communicate)
    fail([&] {
      return thread_message("__threadfence in a launch that does not set blocks_communicate", site,
                            "");
    });
  give_turn();
  fence_block();
}

void Machine::fence_block() {
  if (race_ != nullptr) race_->fence();
  if (counter_ != nullptr) counter_->fence();
}

}  // namespace wm::emu
