// The functions that code compiled with -fsanitize=thread calls, and what they do here: compare
// each read and write of device memory with the recorded ones. Kernel files of the race flavour are
// the only code compiled so; their host code (launchers, registrars) calls these as well and is let
// through.
#include <cstddef>
#include <cstdint>

#include "emu/race/detector.hpp"

extern "C" char __executable_start;

namespace wm::emu::race {
namespace {

std::uint32_t relative(const void* place) {
  return static_cast<std::uint32_t>(static_cast<const char*>(place) - &__executable_start);
}

/// Whether an access happened in another thread than the running one, in this launch.
bool by_another(const Access& access, std::uint64_t floor) {
  if (access.stamp < floor) return false;
  return access.stamp < now.block_floor || Stamp::thread(access.stamp) != Stamp::thread(now.stamp);
}

/// One access in the middle of being compared with the cells it touches.
struct Attempt {
  const void* address;
  std::uint32_t place;
  std::uint16_t bytes;
  std::uint8_t flags;
  std::uint64_t floor;  ///< accesses before it are no concern
  bool shared;

  Access at(std::uint8_t mask) const { return {now.stamp, place, mask, flags, bytes}; }
};

void check(const Attempt& attempt, const Access& earlier, std::uint8_t mask) {
  if ((earlier.mask & mask) == 0 || !by_another(earlier, attempt.floor)) return;
  if (earlier.atomic() && (attempt.flags & Access::kAtomic) != 0) return;
  if (!active->ordered(earlier, attempt.shared))
    active->report(attempt.address, earlier, attempt.at(mask));
}

/// Whether two reads in this epoch or in different blocks are such that whoever writes is another
/// warp than one of them.
bool cover_all(const Access& a, const Access& b, std::uint64_t floor) {
  if (a.stamp < now.epoch_floor || b.stamp < floor) return false;
  return b.stamp < now.block_floor ||
         (b.stamp >= now.epoch_floor && Stamp::thread(a.stamp) / 32 != Stamp::thread(b.stamp) / 32);
}

/// How much a recorded access widens what the latest one, `now`, conflicts with.
int distance(const Access& access, std::uint64_t floor) {
  if (access.stamp < floor) return 0;
  if (access.stamp < now.block_floor) return 4;
  if (access.stamp < now.epoch_floor) return 0;
  const unsigned thread = Stamp::thread(now.stamp), other = Stamp::thread(access.stamp);
  if (other == thread) return 1;
  return other / 32 == thread / 32 ? 2 : 3;
}

inline void read(Cell& cell, std::uint8_t mask, const Attempt& attempt) {
  if (cell.read.stamp == now.stamp && (mask & ~cell.read.mask) == 0) return;
  if (cell.write.stamp >= attempt.floor) check(attempt, cell.write, mask);
  if (cell.other.stamp >= attempt.floor && cell.other.writes()) {
    check(attempt, cell.other, mask);
  } else {
    if (mask == cell.read.mask && mask == cell.other.mask &&
        cover_all(cell.read, cell.other, attempt.floor))
      return;
    if (distance(cell.read, attempt.floor) > distance(cell.other, attempt.floor))
      cell.other = cell.read;
  }
  cell.read = attempt.at(mask);
}

inline void write(Cell& cell, std::uint8_t mask, const Attempt& attempt) {
  if (cell.write.stamp == now.stamp && cell.write.mask == mask &&
      (cell.read.stamp | cell.other.stamp) == 0 && cell.write.flags == attempt.flags)
    return;
  if (cell.write.stamp >= attempt.floor) check(attempt, cell.write, mask);
  if (cell.read.stamp >= attempt.floor) check(attempt, cell.read, mask);
  if (cell.other.stamp >= attempt.floor) check(attempt, cell.other, mask);
  if ((cell.read.mask & ~mask) == 0) cell.read.stamp = 0;
  if ((cell.other.mask & ~mask) == 0) cell.other.stamp = 0;
  // An unordered write survives where this one does not replace it: other bytes, or two atomics.
  const bool kept = (cell.write.mask & ~mask) != 0 ||
                    (cell.write.atomic() && by_another(cell.write, attempt.floor));
  if (kept && cell.write.stamp >= attempt.floor) cell.other = cell.write;
  cell.write = attempt.at(mask);
}

inline void visit(Cell& cell, std::uint8_t mask, const Attempt& attempt) {
  if ((attempt.flags & Access::kWrite) != 0)
    write(cell, mask, attempt);
  else
    read(cell, mask, attempt);
}

/// An aligned access of a power of two of bytes, at most 16: it does not cross a page.
__attribute__((noinline)) void access(PageEntry entry, std::uintptr_t address, unsigned bytes,
                                      std::uint8_t flags, std::uint32_t place) {
  const bool shared = address - now.shared_begin < now.shared_bytes;
  const Attempt attempt{reinterpret_cast<const void*>(address),    place,
                        static_cast<std::uint16_t>(bytes),         flags,
                        shared ? now.epoch_floor : now.grid_floor, shared};
  Cell* cell = cell_of(entry, address);
  const auto shift = static_cast<unsigned>(entry & kGranuleBits);
  const unsigned granule = 1U << shift, whole = (1U << granule) - 1;
  if (bytes < granule) {
    const auto mask = ((1U << bytes) - 1) << (address & (granule - 1));
    visit(*cell, static_cast<std::uint8_t>(mask), attempt);
    return;
  }
  for (const Cell* end = cell + (bytes >> shift); cell != end; ++cell)
    visit(*cell, static_cast<std::uint8_t>(whole), attempt);
}

/// Whether a read of a whole granule can neither race nor add to what the cell knows.
inline bool adds_nothing(const Cell& cell, std::uint8_t whole, bool shared) {
  const std::uint64_t written = cell.write.stamp, read = cell.read.stamp, other = cell.other.stamp;
  const bool write_is_old = shared ? written < now.epoch_floor
                                   : written < now.grid_floor ||
                                         (written >= now.block_floor && written < now.epoch_floor);
  if (!write_is_old || cell.read.mask != whole) return false;
  if (cell.other.writes() && other >= now.grid_floor) return false;
  if (read == now.stamp) return true;
  // A reader of an earlier block of this launch conflicts with whoever writes from now on.
  if (!shared && read >= now.grid_floor && read < now.block_floor) return true;
  if (read < now.epoch_floor || other < now.epoch_floor || cell.other.mask != whole) return false;
  // Two readers of different warps: whoever writes in this epoch conflicts with one of them. So do
  // two lanes of this warp that have synchronised as this one has.
  constexpr std::uint64_t kWarpBits = 0x3e0;
  if (((read ^ other) & kWarpBits) != 0) return true;
  return read != other && (read ^ now.stamp) < 32 && (other ^ now.stamp) < 32;
}

/// The common case of a read without the general one's bookkeeping; false where that is needed.
template <unsigned kBytes>
inline bool quick_read(PageEntry entry, std::uintptr_t address) {
  const auto shift = static_cast<unsigned>(entry & kGranuleBits);
  const unsigned granule = 1U << shift;
  if (kBytes < granule) return false;
  const bool shared = address - now.shared_begin < now.shared_bytes;
  const auto whole = static_cast<std::uint8_t>((1U << granule) - 1);
  const Cell* cell = cell_of(entry, address);
  for (const Cell* end = cell + (kBytes >> shift); cell != end; ++cell)
    if (!adds_nothing(*cell, whole, shared)) return false;
  return true;
}

template <unsigned kBytes, std::uint8_t kFlags>
inline void plain(const void* pointer, const void* place) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const PageEntry entry = page_of(address);
  if (entry == 0 || now.stamp == 0 || now.atomic) return;
  if (kFlags == 0 && quick_read<kBytes>(entry, address)) return;
  access(entry, address, kBytes, kFlags, relative(place));
}

/// Any range, byte by byte.
void range(const void* pointer, std::size_t bytes, std::uint8_t flags, const void* place) {
  if (now.stamp == 0 || now.atomic) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
  for (std::uintptr_t address = begin; address < begin + bytes; ++address)
    if (const PageEntry entry = page_of(address); entry != 0)
      access(entry, address, 1, flags, relative(place));
}

}  // namespace

void Detector::atomic(const void* address, std::size_t bytes, Site site) {
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  if (const PageEntry entry = page_of(number); entry != 0)
    access(entry, number, static_cast<unsigned>(bytes), Access::kWrite | Access::kAtomic,
           place_of(site));
  fences_.atomic(Stamp::thread(now.stamp), address);
  now.atomic = true;
}

}  // namespace wm::emu::race

#define WM_PLACE __builtin_return_address(0)
#define WM_TSAN_ACCESS(bytes)                                                                   \
  void __tsan_read##bytes(void* address) { wm::emu::race::plain<bytes, 0>(address, WM_PLACE); } \
  void __tsan_write##bytes(void* address) {                                                     \
    wm::emu::race::plain<bytes, wm::emu::race::Access::kWrite>(address, WM_PLACE);              \
  }                                                                                             \
  void __tsan_read_write##bytes(void* address) {                                                \
    wm::emu::race::plain<bytes, 0>(address, WM_PLACE);                                          \
    wm::emu::race::plain<bytes, wm::emu::race::Access::kWrite>(address, WM_PLACE);              \
  }                                                                                             \
  void __tsan_unaligned_read##bytes(void* address) {                                            \
    wm::emu::race::range(address, bytes, 0, WM_PLACE);                                          \
  }                                                                                             \
  void __tsan_unaligned_write##bytes(void* address) {                                           \
    wm::emu::race::range(address, bytes, wm::emu::race::Access::kWrite, WM_PLACE);              \
  }                                                                                             \
  void __tsan_unaligned_read_write##bytes(void* address) {                                      \
    wm::emu::race::range(address, bytes, wm::emu::race::Access::kWrite, WM_PLACE);              \
  }

// Atomic operations of the compiler appear in host code only (reference counts, static variables).
#define WM_TSAN_ATOMIC(bits, T)                                                           \
  T __tsan_atomic##bits##_load(const volatile T* a, int) {                                \
    return __atomic_load_n(a, __ATOMIC_SEQ_CST);                                          \
  }                                                                                       \
  void __tsan_atomic##bits##_store(volatile T* a, T v, int) {                             \
    __atomic_store_n(a, v, __ATOMIC_SEQ_CST);                                             \
  }                                                                                       \
  T __tsan_atomic##bits##_exchange(volatile T* a, T v, int) {                             \
    return __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST);                                   \
  }                                                                                       \
  T __tsan_atomic##bits##_fetch_add(volatile T* a, T v, int) {                            \
    return __atomic_fetch_add(a, v, __ATOMIC_SEQ_CST);                                    \
  }                                                                                       \
  T __tsan_atomic##bits##_fetch_sub(volatile T* a, T v, int) {                            \
    return __atomic_fetch_sub(a, v, __ATOMIC_SEQ_CST);                                    \
  }                                                                                       \
  T __tsan_atomic##bits##_fetch_and(volatile T* a, T v, int) {                            \
    return __atomic_fetch_and(a, v, __ATOMIC_SEQ_CST);                                    \
  }                                                                                       \
  T __tsan_atomic##bits##_fetch_or(volatile T* a, T v, int) {                             \
    return __atomic_fetch_or(a, v, __ATOMIC_SEQ_CST);                                     \
  }                                                                                       \
  T __tsan_atomic##bits##_fetch_xor(volatile T* a, T v, int) {                            \
    return __atomic_fetch_xor(a, v, __ATOMIC_SEQ_CST);                                    \
  }                                                                                       \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T* a, T* c, T v, int, int) { \
    return __atomic_compare_exchange_n(a, c, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);   \
  }                                                                                       \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile T* a, T* c, T v, int, int) {   \
    return __atomic_compare_exchange_n(a, c, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);   \
  }                                                                                       \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T* a, T c, T v, int, int) {       \
    __atomic_compare_exchange_n(a, &c, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);         \
    return c;                                                                             \
  }

extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_read_range(void* address, std::size_t bytes) {
  wm::emu::race::range(address, bytes, 0, WM_PLACE);
}
void __tsan_write_range(void* address, std::size_t bytes) {
  wm::emu::race::range(address, bytes, wm::emu::race::Access::kWrite, WM_PLACE);
}
WM_TSAN_ACCESS(1)
WM_TSAN_ACCESS(2)
WM_TSAN_ACCESS(4)
WM_TSAN_ACCESS(8)
WM_TSAN_ACCESS(16)
WM_TSAN_ATOMIC(8, unsigned char)
WM_TSAN_ATOMIC(16, unsigned short)
WM_TSAN_ATOMIC(32, unsigned)
WM_TSAN_ATOMIC(64, unsigned long)
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}
void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  wm::emu::race::range(from, bytes, 0, WM_PLACE);
  wm::emu::race::range(to, bytes, wm::emu::race::Access::kWrite, WM_PLACE);
  return __builtin_memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  wm::emu::race::range(from, bytes, 0, WM_PLACE);
  wm::emu::race::range(to, bytes, wm::emu::race::Access::kWrite, WM_PLACE);
  return __builtin_memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
  wm::emu::race::range(to, bytes, wm::emu::race::Access::kWrite, WM_PLACE);
  return __builtin_memset(to, value, bytes);
}
}
