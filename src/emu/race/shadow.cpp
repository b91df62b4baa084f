#include "emu/race/shadow.hpp"

#include <sys/mman.h>

#include <bit>
#include <mutex>
#include <string>
#include <utility>

#include "core/error.hpp"

namespace wm::emu::race {

std::array<PageEntry*, std::size_t{1} << (47 - kLeafShift)> leaves{};

namespace {

std::mutex table_mutex;

/// Zeroed memory that costs nothing until it is touched.
void* reserve(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw EnvironmentError("no memory for the race detector's shadow: " + std::to_string(bytes) +
                           " bytes");
  return memory;
}

PageEntry& entry_of(std::uintptr_t page) {
  auto& leaf = leaves.at(page >> (kLeafShift - kPageShift));
  if (leaf == nullptr) leaf = static_cast<PageEntry*>(reserve(kLeafPages * sizeof(PageEntry)));
  return leaf[page & (kLeafPages - 1)];
}

}  // namespace

ShadowRange::ShadowRange(const void* begin, std::size_t bytes, std::size_t granule_bytes) {
  if (bytes == 0) return;
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  first_page_ = address >> kPageShift;
  pages_ = ((address + bytes - 1) >> kPageShift) - first_page_ + 1;
  const std::size_t page_cells = kPageBytes / granule_bytes * sizeof(Cell);
  cell_bytes_ = pages_ * page_cells;
  cells_ = reserve(cell_bytes_);
  const auto shift = static_cast<PageEntry>(std::countr_zero(granule_bytes));
  const auto first_cell = reinterpret_cast<PageEntry>(cells_);
  const std::lock_guard lock(table_mutex);
  for (std::size_t p = 0; p < pages_; ++p)
    entry_of(first_page_ + p) = (first_cell + p * page_cells) | shift;
}

ShadowRange::~ShadowRange() {
  if (cells_ == nullptr) return;
  {
    const std::lock_guard lock(table_mutex);
    for (std::size_t p = 0; p < pages_; ++p) entry_of(first_page_ + p) = 0;
  }
  munmap(cells_, cell_bytes_);
}

void ShadowRange::swap(ShadowRange& other) noexcept {
  std::swap(first_page_, other.first_page_);
  std::swap(pages_, other.pages_);
  std::swap(cells_, other.cells_);
  std::swap(cell_bytes_, other.cell_bytes_);
}

}  // namespace wm::emu::race
