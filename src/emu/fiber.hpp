#pragma once
// Stackful fibers on pooled stacks. The switch is a few instructions of our own on x86-64,
// Boost.Context's elsewhere.
#include <cstddef>
#include <memory>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define WM_EMU_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WM_EMU_ASAN
#endif
#endif
#if defined(WM_EMU_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif defined(__x86_64__)
#define WM_EMU_OWN_SWITCH
#endif

#if !defined(WM_EMU_OWN_SWITCH)
#include <boost/context/detail/fcontext.hpp>
#endif

namespace wm::emu {

inline constexpr std::size_t kStackBytes = 64 * 1024;

struct Fiber {
  void* context = nullptr;       ///< where its stack stands while it is suspended
  std::byte* top = nullptr;      ///< the stack grows down from here; null for an OS thread's own
  const void* bottom = nullptr;  ///< bounds of the stack, for AddressSanitizer; an OS thread's own
  std::size_t bytes = 0;         ///< are asked for when it is left
};

namespace detail {
#if defined(WM_EMU_OWN_SWITCH)
/// Saves the callee-saved registers and the stack pointer in *save, then takes those of `to`. Half
/// the time of jump_fcontext: the floating-point control words, which no kernel changes, stay, and
/// leaving by `ret` keeps the processor's prediction of the callers' returns right.
extern "C" void wm_emu_switch_stack(void** save, void* to);
inline void jump(Fiber& from, Fiber& to) { wm_emu_switch_stack(&from.context, to.context); }
#else
inline void jump(Fiber& from, Fiber& to) {
  const auto back = boost::context::detail::jump_fcontext(to.context, &from);
  static_cast<Fiber*>(back.data)->context = back.fctx;
}
#endif
/// Makes `fiber` begin in `entry` at the top of its stack.
void prepare_start(Fiber& fiber, void (*entry)());
}  // namespace detail

#if defined(WM_EMU_ASAN)
// AddressSanitizer must know which stack is in use.
extern __thread Fiber* left_fiber;
inline void leave(Fiber& from, Fiber& to, void** kept) {
  left_fiber = &from;
  __sanitizer_start_switch_fiber(kept, to.bottom, to.bytes);
}
inline void arrive(void* kept) {
  const void* bottom = nullptr;
  std::size_t bytes = 0;
  __sanitizer_finish_switch_fiber(kept, &bottom, &bytes);
  // A fiber whose kernel faulted is left from the rescue stack: a pooled stack keeps its own
  // bounds.
  if (left_fiber->top != nullptr) return;
  left_fiber->bottom = bottom;
  left_fiber->bytes = bytes;
}
/// An abandoned fiber has left marks around its variables; memory mapped anew has those of whatever
/// was at its address before.
inline void forget_variables(const void* begin, std::size_t bytes) {
  __asan_unpoison_memory_region(begin, bytes);
}
#else
inline void leave(Fiber&, Fiber&, void**) {}
inline void arrive(void*) {}
inline void forget_variables(const void*, std::size_t) {}
#endif
inline void forget_variables(const Fiber& fiber) { forget_variables(fiber.bottom, fiber.bytes); }

/// Suspends `from`, which is running, and continues `to`. A fiber's entry begins with arrive.
inline void switch_fiber(Fiber& from, Fiber& to) {
  void* kept = nullptr;
  leave(from, to, &kept);
  detail::jump(from, to);
  arrive(kept);
}

/// Fibers of one OS thread. Stacks are never unmapped while it lives.
class FiberPool {
 public:
  /// Without guards of their own, stacks have one inaccessible area for each 64 of them: a process
  /// may have only so many mappings (65530 by default on Linux), and an overrun shows as `overrun`.
  explicit FiberPool(bool guards = true) : guards_(guards) {}
  FiberPool(const FiberPool&) = delete;
  FiberPool& operator=(const FiberPool&) = delete;
  ~FiberPool();

  /// A fiber that will start in `entry`; null when there is no memory for its stack.
  Fiber* start(void (*entry)()) {
    if (free_.empty() && !grow()) return nullptr;
    Fiber* fiber = free_.back();
    free_.pop_back();
    forget_variables(*fiber);
    detail::prepare_start(*fiber, entry);
    return fiber;
  }
  void release(Fiber* fiber) { free_.push_back(fiber); }
  /// Takes all fibers back, wherever they were suspended. What lived on their stacks is gone.
  void release_all();
  /// Whether an address lies in the inaccessible area below one of the stacks.
  bool in_guard(const void* address) const;
  std::size_t size() const { return fibers_.size(); }
  /// Whether a stack that has no guard of its own reaches below its end, now (it stands at `stack`)
  /// or to judge by what has been written there.
  bool overrun(const Fiber& fiber, const void* stack) const;

 private:
  bool grow();

  bool guards_;
  std::vector<std::byte*> chunks_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> free_;
};

}  // namespace wm::emu
