// The functions that code compiled with -fsanitize=thread calls, and what they do here: compare
// each read and write of device memory with the recorded ones. Kernel files of the race flavour are
// the only code compiled so; their host code (launchers, registrars) calls these as well and is let
// through.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "emu/count/counter.hpp"
#include "emu/race/rules.hpp"

extern "C" char __executable_start;

namespace wm::emu::race {
namespace {

std::uint32_t relative(const void* place) {
  return static_cast<std::uint32_t>(static_cast<const char*>(place) - &__executable_start);
}

/// The general case: an aligned access of a power of two of bytes, at most 16, which lies within a
/// unit.
template <std::uint8_t kFlags>
void access(const Page& page, std::uintptr_t address, unsigned bytes, const Attempt& attempt) {
  page.token(address) = 0;
  Cell* cell = page.cell(address);
  const unsigned shift = page.granule_shift(), granule = 1U << shift;
  const auto visit = [&](unsigned mask) {
    if constexpr ((kFlags & Access::kWrite) != 0)
      write(*cell, static_cast<std::uint8_t>(mask), attempt);
    else
      read(*cell, static_cast<std::uint8_t>(mask), attempt);
  };
  if (bytes < granule) return visit(((1U << bytes) - 1) << (address & (granule - 1)));
  for (const Cell* end = cell + (bytes >> shift); cell != end; ++cell) visit((1U << granule) - 1);
}

Attempt attempt_of(std::uintptr_t address, std::size_t bytes, std::uint8_t flags,
                   std::uint32_t place) {
  const bool shared = address - now.shared_begin < now.shared_bytes;
  return {reinterpret_cast<const void*>(address),    place,
          static_cast<std::uint16_t>(bytes),         flags,
          shared ? now.epoch_floor : now.grid_floor, shared};
}

/// A read of whole granules of 1 << kShift bytes. Marks the unit where all of it is covered.
template <unsigned kBytes, unsigned kShift>
inline void read_granules(const Page& page, std::uintptr_t address, const Attempt& attempt) {
  constexpr auto kWhole = static_cast<std::uint8_t>((1U << (1U << kShift)) - 1);
  constexpr unsigned kCells = kBytes >> kShift;
  Cell* cell = page.cell(address);
  if (!alike(cell, kCells, attempt.shared)) return access<0>(page, address, kBytes, attempt);
  Cover cover = read_alike(cell, kCells, kWhole, attempt);
  if constexpr (kBytes < 16) {
    cell = page.cell(address & ~std::uintptr_t{15});
    for (unsigned i = 0; i < 16U >> kShift && cover < Cover::thread; ++i)
      cover = std::max(cover, writes_are_old(cell[i], attempt.shared)
                                  ? cover_of(cell[i], kWhole, attempt.shared)
                                  : Cover::none);
  }
  page.token(address) = token_for(cover);
}

/// A write of whole granules.
template <unsigned kBytes, unsigned kShift>
inline void write_granules(const Page& page, std::uintptr_t address, const Attempt& attempt) {
  constexpr auto kWhole = static_cast<std::uint8_t>((1U << (1U << kShift)) - 1);
  page.token(address) = 0;
  Cell* cell = page.cell(address);
  for (unsigned i = 0; i < kBytes >> kShift; ++i) {
    if (nothing_recent(cell[i], attempt.floor)) {
      cell[i].write = attempt.at(kWhole);
      cell[i].read.stamp = cell[i].other.stamp = 0;
    } else {
      write(cell[i], kWhole, attempt);
    }
  }
}

template <unsigned kBytes, std::uint8_t kFlags>
__attribute__((noinline)) void compare(const Page& page, std::uintptr_t address,
                                       const void* place) {
  if (now.stamp == 0 || now.atomic) return;
  const Attempt attempt = attempt_of(address, kBytes, kFlags, relative(place));
  const unsigned shift = page.granule_shift();
  if (kBytes >= 4 && shift == 2) {
    if constexpr (kFlags == 0)
      read_granules<kBytes, 2>(page, address, attempt);
    else
      write_granules<kBytes, 2>(page, address, attempt);
  } else if (kBytes >= 2 && shift == 1) {
    if constexpr (kFlags == 0)
      read_granules<kBytes, 1>(page, address, attempt);
    else
      write_granules<kBytes, 1>(page, address, attempt);
  } else {
    access<kFlags>(page, address, kBytes, attempt);
  }
}

/// Whether the unit's mark says that a read adds nothing.
inline bool marked(Token token) {
  return token == now.epoch_token || token == now.warp_token || token == now.grid_token;
}

/// Every read and write of an instrumented kernel.
template <unsigned kBytes, std::uint8_t kFlags>
inline void plain(const void* pointer, const void* place) {
  if (count::counting != nullptr) [[unlikely]]
    return count::plain(pointer, kBytes, (kFlags & Access::kWrite) != 0, place);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const std::uintptr_t offset = address - now.shared_begin;
  if (offset < now.shared_bytes) {
    if (kFlags == 0 && marked(now.shared_tokens[offset >> kUnitShift])) return;
    return compare<kBytes, kFlags>(*page_of(address), address, place);
  }
  const Page* page = page_of(address);
  if (page == nullptr || (kFlags == 0 && marked(page->token(address)))) return;
  compare<kBytes, kFlags>(*page, address, place);
}

/// Any range, byte by byte.
template <std::uint8_t kFlags>
void range(const void* pointer, std::size_t bytes, const void* place) {
  if (count::counting != nullptr) [[unlikely]]
    return count::range(pointer, bytes, (kFlags & Access::kWrite) != 0, place);
  if (now.stamp == 0 || now.atomic) return;
  const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
  for (std::uintptr_t address = begin; address < begin + bytes; ++address)
    if (const Page* page = page_of(address); page != nullptr)
      access<kFlags>(*page, address, 1, attempt_of(address, 1, kFlags, relative(place)));
}

/// An access that the emulator makes for a kernel.
template <std::uint8_t kFlags>
void announced(const void* pointer, std::size_t bytes, std::uint32_t place) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const Page* page = page_of(address);
  if (page != nullptr)
    access<kFlags>(*page, address, static_cast<unsigned>(bytes),
                   attempt_of(address, bytes, kFlags, place));
}

}  // namespace

void Detector::atomic(const void* address, std::size_t bytes, Site site) {
  announced<Access::kWrite | Access::kAtomic>(address, bytes, place_of(site));
  fences_.atomic(Stamp::thread(now.stamp), address);
  now.atomic = true;
}

void Detector::read(const void* address, std::size_t bytes, Site site) {
  announced<0>(address, bytes, place_of(site));
}

void Detector::copy_begun(const void* shared, std::size_t bytes, const void* global,
                          std::size_t read, Site site) {
  const std::uint32_t place = place_of(site);
  for (std::size_t done = 0, part = 0; done < read; done += part) {
    part = std::bit_floor(read - done);
    announced<Access::kCopy>(static_cast<const char*>(global) + done, part, place);
  }
  announced<Access::kWrite | Access::kCopy | Access::kPending>(shared, bytes, place);
}

void Detector::copy_landed(const void* shared, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(shared);
  const Page* page = page_of(begin);
  for (std::uintptr_t address = begin; address < begin + bytes; address += 4) {
    Access& write = page->cell(address)->write;
    if (!on_its_way(write) || Stamp::thread(write.stamp) != Stamp::thread(now.stamp)) continue;
    write.stamp = now.stamp;
    write.flags &= static_cast<std::uint8_t>(~Access::kPending);
  }
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
    wm::emu::race::range<0>(address, bytes, WM_PLACE);                                          \
  }                                                                                             \
  void __tsan_unaligned_write##bytes(void* address) {                                           \
    wm::emu::race::range<wm::emu::race::Access::kWrite>(address, bytes, WM_PLACE);              \
  }                                                                                             \
  void __tsan_unaligned_read_write##bytes(void* address) {                                      \
    wm::emu::race::range<wm::emu::race::Access::kWrite>(address, bytes, WM_PLACE);              \
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
  wm::emu::race::range<0>(address, bytes, WM_PLACE);
}
void __tsan_write_range(void* address, std::size_t bytes) {
  wm::emu::race::range<wm::emu::race::Access::kWrite>(address, bytes, WM_PLACE);
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
  wm::emu::race::range<0>(from, bytes, WM_PLACE);
  wm::emu::race::range<wm::emu::race::Access::kWrite>(to, bytes, WM_PLACE);
  return __builtin_memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  wm::emu::race::range<0>(from, bytes, WM_PLACE);
  wm::emu::race::range<wm::emu::race::Access::kWrite>(to, bytes, WM_PLACE);
  return __builtin_memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
  wm::emu::race::range<wm::emu::race::Access::kWrite>(to, bytes, WM_PLACE);
  return __builtin_memset(to, value, bytes);
}
}
