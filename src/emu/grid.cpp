#include "emu/grid.hpp"

#include <algorithm>
#include <bit>

namespace wm::emu {
namespace {

std::uint64_t chunk_size(std::uint64_t blocks, unsigned os_threads) {
  return std::clamp<std::uint64_t>(blocks / (std::uint64_t{os_threads} * 16), 1, 64);
}

/// A seeded permutation of [0, size): four Feistel rounds over the next even power of two, walked
/// until the value is inside.
std::uint64_t permute(std::uint64_t value, std::uint64_t size, std::uint64_t seed) {
  const int half = (static_cast<int>(std::bit_width(size - 1)) + 1) / 2;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  do {
    std::uint64_t left = value >> half, right = value & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t next = left ^ (mix(seed + round, right) & mask);
      left = right;
      right = next;
    }
    value = left << half | right;
  } while (value >= size);
  return value;
}

void erase_all(std::string& text, const std::string& part) {
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part))
    text.erase(at, part.size());
}

}  // namespace

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9e3779b97f4a7c15U + b + 0x632be59bd9b4e019U;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
  x = (x ^ x >> 27) * 0x94d049bb133111ebU;
  return x ^ x >> 31;
}

Grid::Grid(const Launch& launch_, Worker worker_, const void* args_, const Schedule& schedule_,
           const Arena::Limits& shared_limits_, unsigned char poison_, const MmaModel& mma_model_,
           unsigned os_threads)
    : launch(launch_),
      worker(worker_),
      args(args_),
      schedule(schedule_),
      shared_limits(shared_limits_),
      poison(poison_),
      mma_model(&mma_model_),
      threads(launch.block.x * launch.block.y * launch.block.z),
      blocks(std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z),
      chunk_(chunk_size(blocks, os_threads)) {}

bool Grid::claim(std::uint64_t& first, std::uint64_t& last) {
  first = next_.fetch_add(chunk_, std::memory_order_relaxed);
  if (first >= blocks) return false;
  last = std::min(first + chunk_, blocks);
  return true;
}

std::uint64_t Grid::block_at(std::uint64_t position, std::uint64_t phase) const {
  switch (schedule.kind) {
    case Schedule::Kind::in_order:
      return position;
    case Schedule::Kind::reverse:
      return blocks - 1 - position;
    case Schedule::Kind::random:
      return blocks == 1 ? 0
                         : permute(position, blocks,
                                   phase == 0 ? schedule.seed : mix(schedule.seed, phase));
  }
  return position;
}

void Grid::report_failure(std::uint64_t position, const std::string& message) {
  const std::lock_guard lock(mutex_);
  if (position >= failed_position_.load(std::memory_order_relaxed)) return;
  failed_position_.store(position, std::memory_order_relaxed);
  failure_ = message;
}

std::string kernel_name(const std::string& signature) {
  const std::string key = "Kernel = ";
  const auto at = signature.find(key);
  if (at == std::string::npos) return signature;
  std::string name = signature.substr(at + key.size());
  name = name.substr(0, name.rfind(']'));
  if (!name.empty() && name.front() == '&') name.erase(0, 1);
  erase_all(name, "(anonymous namespace)::");
  erase_all(name, "{anonymous}::");
  // What is left of the kernel's own qualifiers ends at the last :: before its template arguments.
  const auto qualifier = name.rfind("::", name.find('<'));
  if (qualifier != std::string::npos) name.erase(0, qualifier + 2);
  erase_all(name, "wm::");
  return name;
}

}  // namespace wm::emu
