#include "emu/fiber.hpp"

#include <sys/mman.h>

#include <algorithm>

#if defined(WM_EMU_OWN_SWITCH)
asm(R"(
.text
.globl wm_emu_switch_stack
.type wm_emu_switch_stack, @function
.p2align 4
wm_emu_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size wm_emu_switch_stack, .-wm_emu_switch_stack

.globl wm_emu_synchronize
.type wm_emu_synchronize, @function
.p2align 4
wm_emu_synchronize:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, %rdx
  subq $8, %rsp
  call wm_emu_next_stack
  movq %rax, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmp *%rcx
.size wm_emu_synchronize, .-wm_emu_synchronize
)");
#endif

namespace wm::emu {

#if defined(WM_EMU_ASAN)
constinit __thread Fiber* left_fiber = nullptr;
#endif

namespace detail {

#if defined(WM_EMU_OWN_SWITCH)
void prepare_start(Fiber& fiber, void (*entry)()) {
  // What wm_emu_switch_stack pops: six registers and the address it returns to, at which the stack
  // must look as after a call.
  constexpr std::size_t kRegisters = 6;
  auto** slots = reinterpret_cast<void**>(fiber.top) - (kRegisters + 2);
  for (std::size_t i = 0; i < kRegisters; ++i) slots[i] = nullptr;
  slots[kRegisters] = reinterpret_cast<void*>(entry);
  slots[kRegisters + 1] = nullptr;  // end of the call chain
  fiber.context = slots;
}
#else
namespace {
using Entry = void (*)();
constinit __thread Entry starting_entry = nullptr;

void begin(boost::context::detail::transfer_t transfer) {
  // The first jump only stores the fiber's entry on its stack.
  const Entry entry = starting_entry;
  transfer = boost::context::detail::jump_fcontext(transfer.fctx, nullptr);
  static_cast<Fiber*>(transfer.data)->context = transfer.fctx;
  entry();
}
}  // namespace

void prepare_start(Fiber& fiber, void (*entry)()) {
  starting_entry = entry;
  const auto made = boost::context::detail::make_fcontext(fiber.top, kStackBytes / 2, begin);
  fiber.context = boost::context::detail::jump_fcontext(made, nullptr).fctx;
}
#endif

}  // namespace detail

namespace {

constexpr std::size_t kGuardBytes = 16 * 1024;
constexpr std::size_t kSlotBytes = kGuardBytes + kStackBytes;
constexpr std::size_t kSlotsPerChunk = 64;
constexpr std::size_t kChunkBytes = kSlotsPerChunk * kSlotBytes;

/// Distance of a stack's first frame from the end of its slot. All slots are whole pages: without
/// it the hot frames of all fibers would fall into the same few sets of the first-level cache.
std::size_t colour(std::size_t index) { return index * 13 % 64 * 64; }

}  // namespace

FiberPool::~FiberPool() {
  for (const auto& fiber : fibers_) forget_variables(*fiber);
  for (auto* chunk : chunks_) munmap(chunk, kChunkBytes);
}

bool FiberPool::grow() {
  void* memory = mmap(nullptr, kChunkBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return false;
  auto* chunk = static_cast<std::byte*>(memory);
  chunks_.push_back(chunk);
  for (std::size_t slot = 0; slot < kSlotsPerChunk; ++slot) {
    std::byte* base = chunk + slot * kSlotBytes;
    if (guards_ || slot == 0) mprotect(base, guards_ ? kGuardBytes : kGuardBytes / 2, PROT_NONE);
    auto fiber = std::make_unique<Fiber>();
    fiber->top = base + kSlotBytes - colour(fibers_.size());
    fiber->bottom = base + kGuardBytes;
    fiber->bytes = kStackBytes;
    free_.push_back(fiber.get());
    fibers_.push_back(std::move(fiber));
  }
  return true;
}

bool FiberPool::overrun(const Fiber& fiber, const void* stack) const {
  if (guards_) return false;
  constexpr std::size_t kChecked = 256;
  const auto* bottom = static_cast<const std::byte*>(fiber.bottom);
  if (stack < bottom) return true;
  return std::any_of(bottom - kChecked, bottom, [](std::byte b) { return b != std::byte{0}; });
}

void FiberPool::release_all() {
  free_.clear();
  for (const auto& fiber : fibers_) free_.push_back(fiber.get());
}

bool FiberPool::in_guard(const void* address) const {
  const auto* byte = static_cast<const std::byte*>(address);
  for (const auto* chunk : chunks_)
    if (byte >= chunk && byte < chunk + kChunkBytes)
      return static_cast<std::size_t>(byte - chunk) % kSlotBytes < kGuardBytes;
  return false;
}

}  // namespace wm::emu
