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

  /// kCopy: made by cp.async; kPending: not waited for yet, so nothing orders it.
  static constexpr std::uint8_t kWrite = 1, kAtomic = 2, kCopy = 4, kPending = 8;
  bool writes() const { return (flags & kWrite) != 0; }
  bool atomic() const { return (flags & kAtomic) != 0; }
  bool copy() const { return (flags & kCopy) != 0; }
  bool pending() const { return (flags & kPending) != 0; }
  /// Same threads, times and bytes, as far as later accesses can tell.
  bool alike(const Access& other) const {
    return stamp == other.stamp && mask == other.mask && flags == other.flags;
  }
};

struct Cell {
  Access write;  ///< the last one
  Access read;   ///< the last one since
  Access other;  ///< a read or atomic that a later access may conflict with though `read` does not
};
static_assert(sizeof(Cell) == 48);

inline constexpr unsigned kPageShift = 12;
inline constexpr std::uintptr_t kPageBytes = std::uintptr_t{1} << kPageShift;

/// Of each 16 bytes, beside their cells: a value that says which reads are known to add nothing
/// (rules.hpp); 0 when none.
using Token = std::uint64_t;
inline constexpr unsigned kUnitShift = 4;

/// The shadow of a page; all zero when the page is not device memory.
struct Page {
  Token* tokens;
  std::uintptr_t cells;  ///< address of the first, log2 of the granule's bytes in the low bits

  static constexpr std::uintptr_t kGranuleBits = 3;
  unsigned granule_shift() const { return static_cast<unsigned>(cells & kGranuleBits); }
  Cell* cell(std::uintptr_t address) const {
    return reinterpret_cast<Cell*>(cells & ~kGranuleBits) +
           ((address & (kPageBytes - 1)) >> granule_shift());
  }
  Token& token(std::uintptr_t address) const {
    return tokens[(address & (kPageBytes - 1)) >> kUnitShift];
  }
};

inline constexpr unsigned kLeafShift = 30;
inline constexpr std::uintptr_t kLeafPages = std::uintptr_t{1} << (kLeafShift - kPageShift);
/// One leaf table for each GiB of the 47-bit address space that holds device memory.
extern std::array<Page*, std::size_t{1} << (47 - kLeafShift)> leaves;

/// Null where the address is not device memory.
inline const Page* page_of(std::uintptr_t address) {
  const std::uintptr_t leaf = address >> kLeafShift;
  if (leaf >= leaves.size() || leaves[leaf] == nullptr) return nullptr;
  const Page& page = leaves[leaf][(address >> kPageShift) & (kLeafPages - 1)];
  return page.tokens == nullptr ? nullptr : &page;
}

/// Empties the cells of every range. Only between launches.
void forget_all_accesses();

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
  const Token* tokens() const { return tokens_; }

 private:
  void swap(ShadowRange& other) noexcept;

  std::uintptr_t first_page_ = 0;
  std::size_t pages_ = 0;
  Token* tokens_ = nullptr;  ///< and the cells behind them
  std::size_t shadow_bytes_ = 0;
};

}  // namespace wm::emu::race
