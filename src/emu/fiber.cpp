#include "emu/fiber.hpp"

#include <sys/mman.h>

namespace wm::emu {
namespace {

constexpr std::size_t kGuardBytes = 16 * 1024;
constexpr std::size_t kSlotBytes = kGuardBytes + kStackBytes;
constexpr std::size_t kSlotsPerChunk = 64;
constexpr std::size_t kChunkBytes = kSlotsPerChunk * kSlotBytes;

/// Distance of a stack's first frame from the end of its slot. All slots are whole pages: without
/// it the hot frames of all fibers would fall into the same few sets of the first-level cache.
std::size_t colour(std::size_t index) { return index * 13 % 64 * 64; }

}  // namespace

FiberPool::~FiberPool() {
  for (const auto& fiber : fibers_) forget_variables(*fiber);
  for (auto* chunk : chunks_) munmap(chunk, kChunkBytes);
}

bool FiberPool::grow() {
  void* memory = mmap(nullptr, kChunkBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return false;
  auto* chunk = static_cast<std::byte*>(memory);
  chunks_.push_back(chunk);
  for (std::size_t slot = 0; slot < kSlotsPerChunk; ++slot) {
    std::byte* base = chunk + slot * kSlotBytes;
    mprotect(base, kGuardBytes, PROT_NONE);
    auto fiber = std::make_unique<Fiber>();
    fiber->top = base + kSlotBytes - colour(fibers_.size());
    fiber->bottom = base + kGuardBytes;
    fiber->bytes = kStackBytes;
    free_.push_back(fiber.get());
    fibers_.push_back(std::move(fiber));
  }
  return true;
}

void FiberPool::release_all() {
  free_.clear();
  for (const auto& fiber : fibers_) free_.push_back(fiber.get());
}

bool FiberPool::in_guard(const void* address) const {
  const auto* byte = static_cast<const std::byte*>(address);
  for (const auto* chunk : chunks_)
    if (byte >= chunk && byte < chunk + kChunkBytes)
      return static_cast<std::size_t>(byte - chunk) % kSlotBytes < kGuardBytes;
  return false;
}

}  // namespace wm::emu
