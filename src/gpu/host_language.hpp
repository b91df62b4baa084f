#pragma once
// The kernel language for host compilers: CUDA's names, executed by the emulator.
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "emu/runtime.hpp"
#include "gpu/types.hpp"

#define __host__
#define __device__
// A kernel is inlined into the loop over the block's threads (launch.hpp).
#define __global__ __attribute__((always_inline, unused)) inline
#define __launch_bounds__(...)
#define __forceinline__ __attribute__((always_inline)) inline

#define WM_SITE , const char *wm_file = __builtin_FILE(), int wm_line = __builtin_LINE()
#define WM_ONLY_SITE const char *wm_file = __builtin_FILE(), int wm_line = __builtin_LINE()
#define WM_PASS_SITE , wm_file, wm_line
#define WM_PASS_ONLY_SITE wm_file, wm_line
#if defined(__clang__)
#define WM_UNROLL _Pragma("clang loop unroll(full)")
#define WM_NO_UNROLL _Pragma("clang loop unroll(disable)")
#else
#define WM_UNROLL _Pragma("GCC unroll 64")
#define WM_NO_UNROLL _Pragma("GCC unroll 1")
#endif

/// The slot of a block's shared memory that belongs to this declaration.
#define WM_SHARED(type, name, dims)                                                      \
  using wm_shared_type_##name = type dims;                                               \
  static ::wm::emu::SharedTag wm_shared_tag_##name{#name, sizeof(wm_shared_type_##name), \
                                                   alignof(wm_shared_type_##name)};      \
  wm_shared_type_##name& name =                                                          \
      *static_cast<wm_shared_type_##name*>(::wm::emu::shared_slot(wm_shared_tag_##name))
#define WM_DYN_SHARED(type) (static_cast<type*>(::wm::emu::dynamic_shared()))

inline void __syncthreads(WM_ONLY_SITE) { wm::emu::wm_emu_synchronize(WM_PASS_ONLY_SITE); }
inline int __syncthreads_count(int predicate WM_SITE) {
  return wm::emu::barrier(wm::emu::BarrierOp::count, predicate != 0, {WM_PASS_ONLY_SITE});
}
inline int __syncthreads_and(int predicate WM_SITE) {
  return wm::emu::barrier(wm::emu::BarrierOp::all, predicate != 0, {WM_PASS_ONLY_SITE});
}
inline int __syncthreads_or(int predicate WM_SITE) {
  return wm::emu::barrier(wm::emu::BarrierOp::any, predicate != 0, {WM_PASS_ONLY_SITE});
}

inline void __syncwarp(unsigned mask = 0xffffffffU WM_SITE) {
  wm::emu::collective(wm::emu::WarpOp::sync, mask, 0, 0, {WM_PASS_ONLY_SITE});
}
inline unsigned __ballot_sync(unsigned mask, int predicate WM_SITE) {
  return static_cast<unsigned>(
      wm::emu::collective(wm::emu::WarpOp::ballot, mask, predicate != 0, 0, {WM_PASS_ONLY_SITE}));
}
inline int __any_sync(unsigned mask, int predicate WM_SITE) {
  return __ballot_sync(mask, predicate WM_PASS_SITE) != 0;
}
inline int __all_sync(unsigned mask, int predicate WM_SITE) {
  return __ballot_sync(mask, predicate WM_PASS_SITE) == mask;
}

namespace wm::emu {

/// Exchanges `value` by the shuffle `op`; `operand` is the lane, delta or lane mask.
template <class T>
T shuffle(WarpOp op, unsigned mask, T value, int operand, int width, Site site) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  const unsigned source = shuffle_source(op, operand, width, site);
  bits = collective(op, mask, bits, source, site);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

}  // namespace wm::emu

template <class T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32 WM_SITE) {
  return wm::emu::shuffle(wm::emu::WarpOp::shfl, mask, value, lane, width, {WM_PASS_ONLY_SITE});
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32 WM_SITE) {
  return wm::emu::shuffle(wm::emu::WarpOp::shfl_up, mask, value, static_cast<int>(delta), width,
                          {WM_PASS_ONLY_SITE});
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32 WM_SITE) {
  return wm::emu::shuffle(wm::emu::WarpOp::shfl_down, mask, value, static_cast<int>(delta), width,
                          {WM_PASS_ONLY_SITE});
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32 WM_SITE) {
  return wm::emu::shuffle(wm::emu::WarpOp::shfl_xor, mask, value, lane_mask, width,
                          {WM_PASS_ONLY_SITE});
}

inline void __threadfence(WM_ONLY_SITE) { wm::emu::fence({WM_PASS_ONLY_SITE}); }
#if defined(WM_RACE)
inline void __threadfence_block() { wm::emu::fence_block(); }
#else
inline void __threadfence_block() {}
#endif

inline int __popc(unsigned x) { return std::popcount(x); }
inline int __clz(int x) { return std::countl_zero(static_cast<unsigned>(x)); }
inline int __ffs(int x) { return x == 0 ? 0 : std::countr_zero(static_cast<unsigned>(x)) + 1; }

namespace wm::emu {

template <class T>
T add(T a, T b, bool /*global*/) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));  // wraps, as on a GPU
  } else {
    return a + b;
  }
}
inline float flush_subnormal(float x) {
  return std::fabs(x) < FLT_MIN ? std::copysign(0.0F, x) : x;
}
/// A GPU flushes subnormals in float additions on global memory, not on shared memory.
inline float add(float a, float b, bool global) {
  return global ? flush_subnormal(flush_subnormal(a) + flush_subnormal(b)) : a + b;
}

/// Replaces *address by update(old value, whether the address is global) and gives the old value.
/// Blocks of a launch that performs global atomics share one OS thread, so a plain access is
/// atomic.
template <class T, class Update>
T atomic(T* address, Update update, const char* operation, Site site) {
  const bool global = atomic_begin(address, sizeof(T), operation, site);
  const T old = *address;
  *address = update(old, global);
#if defined(WM_RACE)
  atomic_end();
#endif
  return old;
}

}  // namespace wm::emu

#define WM_ATOMIC(T, name, expression)                                                        \
  inline T name(T* address, T value WM_SITE) {                                                \
    return wm::emu::atomic(                                                                   \
        address,                                                                              \
        [value]([[maybe_unused]] T old, [[maybe_unused]] bool global) { return expression; }, \
        #name, {WM_PASS_ONLY_SITE});                                                          \
  }
#define WM_INTEGER_ATOMICS(T)                                                                  \
  WM_ATOMIC(T, atomicAdd, wm::emu::add(old, value, global))                                    \
  WM_ATOMIC(T, atomicMax, value > old ? value : old)                                           \
  WM_ATOMIC(T, atomicMin, value < old ? value : old)                                           \
  WM_ATOMIC(T, atomicExch, value)                                                              \
  inline T atomicCAS(T* address, T compare, T value WM_SITE) {                                 \
    return wm::emu::atomic(address, [=](T old, bool) { return old == compare ? value : old; }, \
                           "atomicCAS", {WM_PASS_ONLY_SITE});                                  \
  }
WM_INTEGER_ATOMICS(int)
WM_INTEGER_ATOMICS(unsigned)
WM_INTEGER_ATOMICS(unsigned long long)
WM_ATOMIC(float, atomicAdd, wm::emu::add(old, value, global))
WM_ATOMIC(double, atomicAdd, wm::emu::add(old, value, global))
WM_ATOMIC(float, atomicExch, value)
#undef WM_INTEGER_ATOMICS
#undef WM_ATOMIC

// A kernel that declares shared memory the CUDA way would get a plain local here.
#pragma GCC poison __shared__
