// Failures: every one ends the block, goes back to the OS thread's own stack and is reported by
// the launch.
#include <csignal>
#include <vector>

#include "emu/buffers.hpp"
#include "emu/machine.hpp"
#include "emu/names.hpp"

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

void Machine::fail_with(const std::string& message) {
  failing_ = true;
  failure_ = message;
  Fiber* self = running_;
  running_ = &main_;
  switch_fiber(*self, main_);
  __builtin_unreachable();
}

void Machine::fail_thread(const std::string& what, Site site, const std::string& detail) {
  fail_with(with_detail(what + at_site(site) + place(true), detail));
}

void Machine::fail_arena(const std::string& what) { fail_with(what + place(false)); }

std::string Machine::describe(const void* address) const {
  return arena_.contains(address) ? arena_.describe(address) : describe_address(address);
}

/// "threads 0-15 at conv.cu:88, threads 16-31 in __syncwarp (mask 0x0000ffff) at conv.cu:95"
std::string Machine::waiting_threads(bool name_operations) const {
  struct Place {
    std::string text;
    Ranges threads;
  };
  std::vector<Place> places;
  for (unsigned t = 0; t < grid_->threads; ++t) {
    if (!alive_.contains(t) || threads_[t].wait == Wait::none) continue;
    const Thread& thread = threads_[t];
    std::string text;
    if (thread.wait == Wait::warp)
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
  fail_with("divergent barrier" + place(false) + ": " + waiting_threads(false));
}

void Machine::fail_deadlock() {
  fail_with("deadlock" + place(false) + ": " + waiting_threads(true));
}

void Machine::fail_fault() {
  failing_ = true;
  imprecise_failure_ = scheduling == 0 && !precise_;
  leave_for(rescue_fiber_, nullptr);
  arrive_from(*running_, nullptr);
  const auto* access = fault.access == Fault::Access::write  ? "write"
                       : fault.access == Fault::Access::read ? "read"
                                                             : "access";
  if (fault.signal == SIGFPE) {
    fail_thread("integer division by zero or overflow", {}, "");
  } else if (pool_.in_guard(fault.address)) {
    fail_thread("stack overflow", {}, std::to_string(kStackBytes) + " bytes a thread");
  } else if (fault.signal == SIGSEGV && fault.code == SI_KERNEL) {
    fail_thread(std::string("out-of-bounds ") + access, {}, "not an address");
  } else {
    fail_thread(std::string("out-of-bounds ") + access, {}, describe(fault.address));
  }
}

void fail(const std::string& what, Site site) { current_machine->fail_thread(what, site, ""); }

void fail_misaligned(const void* address, std::size_t bytes, const char* access, Site site) {
  Machine& machine = *current_machine;
  machine.fail_thread("misaligned " + std::to_string(bytes) + "-byte " + access, site,
                      machine.arena().contains(address) ? machine.arena().describe(address)
                                                        : describe_address(address));
}

bool row_finished() { return current_machine->row_finished(); }
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
void fence(Site site) { current_machine->fence(site); }
void* shared_slot(const SharedTag& tag) {
  Machine& machine = *current_machine;
  void* data = machine.arena().slot(tag);
  if (data == nullptr) machine.fail_arena(machine.arena().error());
  return data;
}
void* dynamic_shared() { return current_machine->arena().dynamic(); }

}  // namespace wm::emu
