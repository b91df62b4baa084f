#include "emu/race/shadow.hpp"

#include <sys/mman.h>

#include <bit>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "core/error.hpp"

namespace wm::emu::race {

std::array<Page*, std::size_t{1} << (47 - kLeafShift)> leaves{};

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

Page& entry_of(std::uintptr_t page) {
  auto& leaf = leaves.at(page >> (kLeafShift - kPageShift));
  if (leaf == nullptr) leaf = static_cast<Page*>(reserve(kLeafPages * sizeof(Page)));
  return leaf[page & (kLeafPages - 1)];
}

/// The shadow memory of all ranges that live: begin and bytes.
std::map<void*, std::size_t> all_shadows;

}  // namespace

ShadowRange::ShadowRange(const void* begin, std::size_t bytes, std::size_t granule_bytes) {
  if (bytes == 0) return;
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  first_page_ = address >> kPageShift;
  pages_ = ((address + bytes - 1) >> kPageShift) - first_page_ + 1;
  const std::size_t page_cells = kPageBytes / granule_bytes * sizeof(Cell);
  constexpr std::size_t kPageUnits = kPageBytes >> kUnitShift;
  shadow_bytes_ = pages_ * (kPageUnits * sizeof(Token) + page_cells);
  void* memory = reserve(shadow_bytes_);
  tokens_ = static_cast<Token*>(memory);
  const auto shift = static_cast<std::uintptr_t>(std::countr_zero(granule_bytes));
  const auto first_cell = reinterpret_cast<std::uintptr_t>(tokens_ + pages_ * kPageUnits);
  const std::lock_guard lock(table_mutex);
  all_shadows[memory] = shadow_bytes_;
  for (std::size_t p = 0; p < pages_; ++p)
    entry_of(first_page_ + p) = {tokens_ + p * kPageUnits, (first_cell + p * page_cells) | shift};
}

ShadowRange::~ShadowRange() {
  if (tokens_ == nullptr) return;
  const std::lock_guard lock(table_mutex);
  all_shadows.erase(tokens_);
  for (std::size_t p = 0; p < pages_; ++p) entry_of(first_page_ + p) = {};
  munmap(tokens_, shadow_bytes_);
}

void ShadowRange::swap(ShadowRange& other) noexcept {
  std::swap(first_page_, other.first_page_);
  std::swap(pages_, other.pages_);
  std::swap(tokens_, other.tokens_);
  std::swap(shadow_bytes_, other.shadow_bytes_);
}

void forget_all_accesses() {
  const std::lock_guard lock(table_mutex);
  for (const auto& [memory, bytes] : all_shadows) madvise(memory, bytes, MADV_DONTNEED);
}

}  // namespace wm::emu::race
