#pragma once
// Stackful fibers on pooled stacks (Boost.Context's C interface, 10 to 16 ns a switch).
#include <boost/context/detail/fcontext.hpp>
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
#endif

namespace wm::emu {

inline constexpr std::size_t kStackBytes = 64 * 1024;

struct Fiber {
  boost::context::detail::fcontext_t context = nullptr;
  std::byte* top = nullptr;  ///< the stack grows down from here; null for an OS thread's own stack
  const void* bottom = nullptr;  ///< bounds of the stack, for AddressSanitizer
  std::size_t bytes = 0;
};

#if defined(WM_EMU_ASAN)
// AddressSanitizer must know which stack is in use.
inline void leave_for(Fiber& to, void** kept) {
  __sanitizer_start_switch_fiber(kept, to.bottom, to.bytes);
}
inline void arrive_from(Fiber& from, void* kept) {
  __sanitizer_finish_switch_fiber(kept, &from.bottom, &from.bytes);
}
/// An abandoned fiber has left marks around its variables.
inline void forget_variables(const Fiber& fiber) {
  __asan_unpoison_memory_region(fiber.bottom, fiber.bytes);
}
#else
inline void forget_variables(const Fiber&) {}
inline void leave_for(Fiber&, void**) {}
inline void arrive_from(Fiber&, void*) {}
#endif

/// What runs first after a switch: notes where the fiber that was left goes on.
inline void arrive(boost::context::detail::transfer_t transfer, void* kept) {
  auto& from = *static_cast<Fiber*>(transfer.data);
  from.context = transfer.fctx;
  arrive_from(from, kept);
}

/// Suspends `from`, which is running, and continues `to`.
inline void switch_fiber(Fiber& from, Fiber& to) {
  void* kept = nullptr;
  leave_for(to, &kept);
  arrive(boost::context::detail::jump_fcontext(to.context, &from), kept);
}

/// Fibers of one OS thread. Stacks are never unmapped while it lives.
class FiberPool {
 public:
  FiberPool() = default;
  FiberPool(const FiberPool&) = delete;
  FiberPool& operator=(const FiberPool&) = delete;
  ~FiberPool();

  /// A fiber that will start in `entry`, which calls `arrive`; null when there is no memory for its
  /// stack.
  Fiber* start(void (*entry)(boost::context::detail::transfer_t)) {
    if (free_.empty() && !grow()) return nullptr;
    Fiber* fiber = free_.back();
    free_.pop_back();
    forget_variables(*fiber);
    fiber->context = boost::context::detail::make_fcontext(fiber->top, kStackBytes / 2, entry);
    return fiber;
  }
  void release(Fiber* fiber) { free_.push_back(fiber); }
  /// Takes all fibers back, wherever they were suspended. What lived on their stacks is gone.
  void release_all();
  /// Whether an address lies in the inaccessible area below one of the stacks.
  bool in_guard(const void* address) const;
  std::size_t size() const { return fibers_.size(); }

 private:
  bool grow();

  std::vector<std::byte*> chunks_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> free_;
};

}  // namespace wm::emu
