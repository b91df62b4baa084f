// Failures: every one ends the block, goes back to the OS thread's own stack and is reported by
// the launch.
#include <csignal>
#include <vector>

#include "emu/buffers.hpp"
#include "emu/names.hpp"
#include "emu/switching.hpp"

namespace wm::emu {
namespace {

std::string at_site(Site site) {
  return site.file == nullptr ? std::string() : " at " + site_text(site);
}

std::string with_detail(const std::string& text, const std::string& detail) {
  return detail.empty() ? text : text + ": " + detail;
}

}  // namespace

std::string Machine::place(bool with_thread) const {
  std::string text =
      " in kernel " + kernel_name(grid_->launch.signature) + ", block " + index_text(blockIdx);
  if (with_thread && !imprecise_failure_)
    text += ", thread " + index_text(scheduling != 0 ? index_of(current_) : threadIdx);
  return text;
}

/// Back to the OS thread's own stack; nothing of the block's fibers runs again.
void Machine::abandon() {
  Fiber* self = running_;
  running_ = &main_;
  switch_fiber(*self, main_);
  __builtin_unreachable();
}

std::string Machine::thread_message(const std::string& what, Site site,
                                    const std::string& detail) const {
  return with_detail(what + at_site(site) + place(true), detail);
}

std::string Machine::block_message(const std::string& what, const std::string& detail) const {
  return with_detail(what + place(false), detail);
}

std::string Machine::describe(const void* address) const {
  return arena_.contains(address) ? arena_.describe(address) : describe_address(address);
}

/// "threads 0-15 at conv.cu:88, threads 16-31 in __syncwarp (mask 0x0000ffff) at conv.cu:95"
std::string Machine::waiting_threads(const ThreadSet& waiting, bool name_operations) const {
  struct Place {
    std::string text;
    Ranges threads;
  };
  std::vector<Place> places;
  for (unsigned t = 0; t < grid_->threads; ++t) {
    if (!waiting.contains(t) || threads_[t].wait == Wait::none) continue;
    const Thread& thread = threads_[t];
    std::string text;
    if (thread.wait == Wait::grid)
      text = name_operations ? " in grid_sync" : "";
    else if (thread.wait == Wait::warp)
      text = " in " + operation_name(static_cast<WarpOp>(thread.op)) + " (mask " +
             hex(thread.mask) + ")";
    else if (name_operations || static_cast<BarrierOp>(thread.op) != BarrierOp::sync)
      text = " in " + operation_name(static_cast<BarrierOp>(thread.op));
    text += at_site(thread.site);
    Place* found = nullptr;
    for (auto& known : places)
      if (known.text == text) found = &known;
    if (found == nullptr) found = &places.emplace_back(Place{text, {}});
    found->threads.add(t);
  }
  std::string text;
  for (const auto& known : places)
    text += (text.empty() ? "" : ", ") +
            std::string(known.threads.single() ? "thread " : "threads ") + known.threads.text() +
            known.text;
  return text;
}

void Machine::fail_divergent() {
  fail([&] { return block_message("divergent barrier", waiting_threads(alive_, false)); });
}

void Machine::fail_deadlock() {
  fail([&] { return block_message("deadlock", waiting_threads(alive_, true)); });
}

std::string Machine::fault_message() const {
  const std::string access = fault.access == Fault::Access::write  ? "write"
                             : fault.access == Fault::Access::read ? "read"
                                                                   : "access";
  if (fault.signal == SIGFPE) return thread_message("integer division by zero or overflow", {}, "");
  if (pool_.in_guard(fault.address))
    return thread_message("stack overflow", {}, std::to_string(kStackBytes) + " bytes a thread");
  const bool no_address = fault.signal == SIGSEGV && fault.code == SI_KERNEL;
  return thread_message("out-of-bounds " + access, {},
                        no_address ? "not an address" : describe(fault.address));
}

/// "race at tile.cu:31 in kernel tile<float>, block (0,0,0), thread (32,0,0): 4-byte read of byte
/// 128 of shared array "tile" (512 bytes); unordered after the 4-byte write by thread (0,0,0) of
/// block (0,0,0) at tile.cu:29"
std::string Machine::race_message() const {
  const race::Conflict& conflict = race_->conflict();
  const auto access = [](const race::Access& each) {
    return std::to_string(each.bytes) + "-byte " + (each.copy() ? "cp.async " : "") +
           (each.atomic()   ? "atomic"
            : each.writes() ? "write"
                            : "read");
  };
  const std::string detail = access(conflict.second) + " of " + describe(conflict.address) +
                             "; unordered after the " + access(conflict.first) + " by block " +
                             index_text(block_index(conflict.first_block)) + ", thread " +
                             index_text(index_of(race::Stamp::thread(conflict.first.stamp))) +
                             " at " + race_->line_of(conflict.first);
  return with_detail("race at " + race_->line_of(conflict.second) + place(true), detail);
}

void Machine::fail_fault() {
  failing_ = true;
  imprecise_failure_ = scheduling == 0 && !one_by_one();
  Fiber& faulted = *running_;
  running_ = &rescue_fiber_;
  leave(faulted, rescue_fiber_, nullptr);
  arrive(nullptr);
  fail([&] { return fault_message(); });
}

void fail_misaligned(const void* address, std::size_t bytes, const char* access, Site site) {
  Machine& machine = *current_machine;
  machine.fail([&] {
    return machine.thread_message("misaligned " + std::to_string(bytes) + "-byte " + access, site,
                                  machine.describe(address));
  });
}

bool row_finished() { return current_machine->row_finished(); }
#if defined(WM_EMU_OWN_SWITCH)
extern "C" void* wm_emu_next_stack(const char* file, int line, void* saved) {
  return current_machine->synchronize({file, line}, saved);
}
#else
extern "C" void wm_emu_synchronize(const char* file, int line) {
  current_machine->barrier(BarrierOp::sync, 0, {file, line});
}
#endif
void grid_barrier(Site site) { current_machine->grid_barrier(site); }
int barrier(BarrierOp op, int predicate, Site site) {
  return current_machine->barrier(op, predicate, site);
}
std::uint64_t collective(WarpOp op, unsigned mask, std::uint64_t value, unsigned source,
                         Site site) {
  return current_machine->collective(op, mask, value, source, site);
}
bool atomic_begin(const void* address, std::size_t bytes, const char* operation, Site site) {
  return current_machine->atomic_begin(address, bytes, operation, site);
}
void atomic_end() { race::now.atomic = false; }
void fence_block() { current_machine->fence_block(); }
void fence(Site site) { current_machine->fence(site); }
void* shared_slot(const SharedTag& tag) {
  Machine& machine = *current_machine;
  void* data = machine.arena().slot(tag);
  if (data == nullptr)
    machine.fail([&] { return machine.block_message(machine.arena().error(), ""); });
  return data;
}
void* dynamic_shared() { return current_machine->arena().dynamic(); }

}  // namespace wm::emu
