#pragma once
// Shadow of device memory: for every granule of a buffer or of a block's shared memory, who wrote
// it last and who has read it since.
#include <array>
#include <cstddef>
#include <cstdint>

namespace wm::emu::race {

/// One recorded access. A stamp orders accesses and names the thread: barrier epoch, lane clock,
/// thread (see `Stamp`); 0 stands for no access.
struct Access {
  std::uint64_t stamp;
  std::uint32_t place;  ///< code address relative to the program, or Detector::place_of
  std::uint8_t mask;    ///< bytes of the granule
  std::uint8_t flags;
  std::uint16_t bytes;  ///< width of the whole access

  static constexpr std::uint8_t kWrite = 1, kAtomic = 2;
  bool writes() const { return (flags & kWrite) != 0; }
  bool atomic() const { return (flags & kAtomic) != 0; }
};

struct Cell {
  Access write;  ///< the last one
  Access read;   ///< the last one since
  Access other;  ///< a read or atomic that a later access may conflict with though `read` does not
};
static_assert(sizeof(Cell) == 48);

inline constexpr unsigned kPageShift = 12;
inline constexpr std::uintptr_t kPageBytes = std::uintptr_t{1} << kPageShift;

/// Table entry of a page: address of its first cell, log2 of the granule's bytes in the low bits; 0
/// when the page is not device memory.
using PageEntry = std::uintptr_t;
inline constexpr PageEntry kGranuleBits = 3;

inline constexpr unsigned kLeafShift = 30;
inline constexpr std::uintptr_t kLeafPages = std::uintptr_t{1} << (kLeafShift - kPageShift);
/// One leaf table for each GiB of the 47-bit address space that holds device memory.
extern std::array<PageEntry*, std::size_t{1} << (47 - kLeafShift)> leaves;

inline PageEntry page_of(std::uintptr_t address) {
  const std::uintptr_t leaf = address >> kLeafShift;
  if (leaf >= leaves.size() || leaves[leaf] == nullptr) return 0;
  return leaves[leaf][(address >> kPageShift) & (kLeafPages - 1)];
}
inline Cell* cell_of(PageEntry entry, std::uintptr_t address) {
  return reinterpret_cast<Cell*>(entry & ~kGranuleBits) +
         ((address & (kPageBytes - 1)) >> (entry & kGranuleBits));
}

/// Cells for the pages of a range of memory, while this object lives.
class ShadowRange {
 public:
  ShadowRange() = default;
  /// `granule_bytes`: 1, 2 or 4, the smallest access that is told apart. Throws EnvironmentError.
  ShadowRange(const void* begin, std::size_t bytes, std::size_t granule_bytes);
  ShadowRange(const ShadowRange&) = delete;
  ShadowRange& operator=(const ShadowRange&) = delete;
  ShadowRange(ShadowRange&& other) noexcept { swap(other); }
  ShadowRange& operator=(ShadowRange&& other) noexcept {
    swap(other);
    return *this;
  }
  ~ShadowRange();

 private:
  void swap(ShadowRange& other) noexcept;

  std::uintptr_t first_page_ = 0;
  std::size_t pages_ = 0;
  void* cells_ = nullptr;
  std::size_t cell_bytes_ = 0;
};

}  // namespace wm::emu::race
