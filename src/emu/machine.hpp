#pragma once
// One OS thread's share of the emulator: runs blocks one after another, a block's threads as
// fibers.
//
// A fiber ("worker") runs threads one after another on one stack (run_threads of gpu/launch.hpp).
// When a thread blocks, its worker becomes that thread's own fiber and a new worker goes on with
// the threads that have not started: a thread that never blocks costs a function call. A block's
// bookkeeping exists only once one of its threads has blocked (`scheduling`), or always when the
// schedule is not in order.
#include <array>
#include <cstdint>
#include <string>

#include "emu/arena.hpp"
#include "emu/async_copies.hpp"
#include "emu/fiber.hpp"
#include "emu/grid.hpp"
#include "emu/runtime.hpp"
#include "emu/tensor_runtime.hpp"
#include "emu/thread_set.hpp"

namespace wm::emu {

namespace race {
class Detector;
}
namespace count {
class Counter;
}

/// What the fault handler saw.
struct Fault {
  int signal = 0;
  int code = 0;
  const void* address = nullptr;
  enum class Access { unknown, read, write } access = Access::unknown;
};

class Machine {
 public:
  /// With a detector, blocks run thread by thread and everything is reported to it. `stack_guards`
  /// as of FiberPool.
  explicit Machine(race::Detector* race = nullptr, bool stack_guards = true);
  /// Launches from here on are counted instead of checked for races; null ends that.
  void set_counter(count::Counter* counter) {
    counter_ = counter;
    race_ = counter == nullptr ? detector_ : nullptr;
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine();

  /// Runs blocks of the grid on the calling OS thread until none are left or one has failed.
  void run(Grid& grid);

  /// How a block of a cooperative launch stands.
  enum class Progress : std::uint8_t { ended, waits, failed };
  /// Runs one block, alone on this machine, up to its first grid_sync.
  Progress start_block(Grid& grid, std::uint64_t block);
  /// Goes on with a block whose threads wait in grid_sync.
  Progress resume_block();
  const std::string& failure() const { return failure_; }
  /// Where the block waits.
  Site grid_site() const { return grid_site_; }

  bool row_finished();
  int barrier(BarrierOp op, int predicate, Site site);
  void grid_barrier(Site site);
  /// __syncthreads of the running thread, whose stack stands at `saved`: gives the stack to go on
  /// with.
  void* synchronize(Site site, void* saved);
  std::uint64_t collective(WarpOp op, unsigned mask, std::uint64_t value, unsigned source,
                           Site site);
  bool atomic_begin(const void* address, std::size_t bytes, const char* operation, Site site);
  void fence(Site site);
  void check_matrix_row(const MatrixLoadLane& own, Site site);
  void copy_async(void* shared, const void* global, unsigned bytes, unsigned read, Site site);
  void commit_copies() { copies_.commit(linear(threadIdx)); }
  void wait_copies(unsigned left) { copies_.wait(linear(threadIdx), left, race_); }
  void fence_block();
  unsigned lane() const { return linear(threadIdx) % 32; }
  Arena& arena() { return arena_; }

  /// Ends the block with the message that `make` returns. A function, so that nothing that owns
  /// memory is left behind on the fiber's stack.
  template <class Make>
  [[noreturn]] void fail(const Make& make) {
    failing_ = true;
    failure_ = make();
    abandon();
  }
  /// "<what> at <site> in kernel <name>, block <index>, thread <index>: <detail>"
  std::string thread_message(const std::string& what, Site site, const std::string& detail) const;
  /// "<what> in kernel <name>, block <index>: <detail>"
  std::string block_message(const std::string& what, const std::string& detail) const;
  /// Names the buffer or shared array of an address.
  std::string describe(const void* address) const;
  /// Runs on the rescue stack, instead of the instruction that faulted.
  [[noreturn]] void fail_fault();

  bool in_kernel() const { return running_ != nullptr && running_ != &main_ && !failing_; }
  std::byte* rescue_top() const { return rescue_fiber_.top; }
  void clear_rescue_stack() const { forget_variables(rescue_fiber_); }
  Fault fault;
  std::size_t stacks() const { return pool_.size(); }

 private:
  enum class Wait : std::uint8_t { none, barrier, warp, grid };
  struct Thread {
    Fiber* fiber;
    Site site;
    unsigned mask;
    Wait wait;
    std::uint8_t op;
  };
  /// Lanes that wait for each other: same mask, operation and place.
  struct Group {
    unsigned mask, arrived;
    WarpOp op;
    Site site;
  };
  struct Warp {
    std::array<std::uint64_t, 32> value, result;
    std::array<std::uint8_t, 32> source;
    std::array<Group, 32> groups;
    unsigned group_count;
  };

  static void fiber_entry();
  void begin_grid(Grid& grid);
  bool next_block();
  bool next_row();
  void begin_block(std::uint64_t block);
  void end_block();
  bool thread_finished();
  void ensure_scheduling();
  void begin_scheduling(unsigned first_running);
  void run_worker();
  void run_fibers(Fiber& first);
  Progress progress();
  void leave_block();
  uint3 index_of(unsigned thread) const;
  uint3 block_index(std::uint64_t block) const;
  unsigned linear(const uint3& index) const;
  void enter(unsigned thread);
  unsigned pick_after(unsigned thread);
  unsigned pick_from(unsigned lowest, unsigned highest);
  unsigned pick_random();
  void prepare(unsigned thread);
  void resume(unsigned thread);
  void prefetch_stack(unsigned thread) const;
  void switch_to_thread(unsigned thread);
  void give_turn();
  unsigned arrive_at_barrier(BarrierOp op, int predicate, Site site);
  void release_barrier();
  Group& join_group(Warp& warp, unsigned lane, WarpOp op, unsigned mask, Site site);
  void complete(Warp& warp, const Group& group);
  void multiply(const Warp& warp, Site site);
  void load_matrices(const Warp& warp, Site site);
  void check_no_lane_waits_for(unsigned thread);

  [[noreturn]] void fail_divergent();
  [[noreturn]] void fail_deadlock();
  [[noreturn]] void fail_grid_barrier();
  [[noreturn]] void abandon();
  std::string fault_message() const;
  std::string race_message() const;
  bool one_by_one() const {
    return precise_ || race_ != nullptr || counter_ != nullptr || grid_->launch.cooperative;
  }
  std::string place(bool with_thread) const;
  std::string waiting_threads(const ThreadSet& threads, bool name_operations) const;

  race::Detector* const detector_;
  race::Detector* race_;               ///< null while counting
  count::Counter* counter_ = nullptr;  ///< everything is reported to it as well
  Grid* grid_ = nullptr;
  std::uint64_t next_position_ = 0, last_position_ = 0, position_ = 0;
  Fiber main_;
  Fiber* running_ = nullptr;
  FiberPool pool_;
  Arena arena_;
  AsyncCopies copies_;

  unsigned current_ = 0;  ///< the running thread, while `scheduling`
  std::array<Thread, kMaxThreads> threads_{};
  ThreadSet alive_;    ///< have not ended
  ThreadSet ready_;    ///< can run and do not; have a fiber once started
  ThreadSet waiting_;  ///< at a barrier
  unsigned live_ = 0, arrived_ = 0;
  BarrierOp barrier_op_ = BarrierOp::sync;
  Site barrier_site_;
  bool barrier_mixed_ = false;
  int barrier_sum_ = 0, barrier_result_ = 0;
  ThreadSet grid_waiting_;  ///< in grid_sync
  unsigned grid_arrived_ = 0;
  Site grid_site_;
  bool grid_mixed_ = false;
  bool suspended_ = false;   ///< all threads are in grid_sync
  std::uint64_t block_ = 0;  ///< linear index, of a cooperative launch
  std::array<Warp, kMaxThreads / 32> warps_;
  std::uint64_t random_ = 0;

  Fiber rescue_fiber_;  ///< only its stack: `fail_fault` runs there
  bool failing_ = false;
  std::string failure_;
  /// Inside a row the compiler may keep threadIdx in a register. A block that faults there runs
  /// again, one thread a row, to find the thread.
  bool precise_ = false;
  bool imprecise_failure_ = false;
};

/// The machine that runs on this OS thread; null outside `Machine::run`.
extern __thread Machine* current_machine;

}  // namespace wm::emu
