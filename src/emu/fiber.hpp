#pragma once
// Stackful fibers on pooled stacks (Boost.Context's C interface, 10 to 16 ns a switch).
#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <memory>
#include <vector>

namespace wm::emu {

inline constexpr std::size_t kStackBytes = 64 * 1024;

struct Fiber {
  boost::context::detail::fcontext_t context = nullptr;
  std::byte* top = nullptr;  ///< the stack grows down from here; null for an OS thread's own stack
};

/// Suspends `from`, which is running, and continues `to`.
inline void switch_fiber(Fiber& from, Fiber& to) {
  const auto back = boost::context::detail::jump_fcontext(to.context, &from);
  static_cast<Fiber*>(back.data)->context = back.fctx;
}

/// Fibers of one OS thread. Stacks are never unmapped while it lives.
class FiberPool {
 public:
  FiberPool() = default;
  FiberPool(const FiberPool&) = delete;
  FiberPool& operator=(const FiberPool&) = delete;
  ~FiberPool();

  /// A fiber that will start in `entry`, which stores `transfer.fctx` in the Fiber `transfer.data`;
  /// null when there is no memory for its stack.
  Fiber* start(void (*entry)(boost::context::detail::transfer_t)) {
    if (free_.empty() && !grow()) return nullptr;
    Fiber* fiber = free_.back();
    free_.pop_back();
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
