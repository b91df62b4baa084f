#pragma once
// Which accesses of a launch are ordered, and the first two that are not. The machine reports
// blocks, threads, barriers, warp synchronisation, fences and atomics; the instrumented kernel
// reports its reads and writes (runtime.cpp).
//
// Blocks of a race launch run one after another on one OS thread, so everything of the running
// block has a later epoch than everything of the blocks before it.
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emu/race/fences.hpp"
#include "emu/race/shadow.hpp"
#include "emu/race/stamp.hpp"
#include "emu/runtime.hpp"

namespace wm::emu::race {

/// Which reads a unit of 16 bytes says add nothing to what its cells know (`token_of`).
struct Tokens {
  static constexpr Token kNone = 1;  ///< equals no unit's
  static constexpr Token kBit = Token{1} << 63;
  static constexpr Token warp(std::uint64_t stamp) { return kBit | (stamp & ~Token{31}); }
  static constexpr Token epoch(std::uint64_t floor) { return kBit | floor | 1; }
  static constexpr Token grid(std::uint64_t floor) { return kBit | floor | 2; }
};

/// What every access compares with, kept where an access finds it in one instruction.
struct Now {
  std::uintptr_t shared_begin = 0, shared_bytes = 0;
  const Token* shared_tokens = nullptr;
  Token warp_token = Tokens::kNone;   ///< of lanes that have synchronised as the running one has
  Token epoch_token = Tokens::kNone;  ///< of everyone until the next barrier
  Token grid_token = Tokens::kNone;   ///< of everyone in this launch
  std::uint64_t stamp = 0;            ///< of the running thread; 0 while no race launch runs
  std::uint64_t epoch_floor = 0;      ///< first stamp of this barrier epoch
  std::uint64_t block_floor = 0;      ///< of this block
  std::uint64_t grid_floor = 0;       ///< of this launch
  bool atomic = false;  ///< between atomic_begin and atomic_end: accesses are the atomic's own
};
extern __thread Now now;

/// Two accesses that nothing orders.
struct Conflict {
  const void* address = nullptr;
  Access first{}, second{};
  std::uint64_t first_block = 0;  ///< linear index
};

class Detector {
 public:
  /// `epoch`: the number before the first one, for tests.
  explicit Detector(std::uint64_t epoch = 0);
  /// `shared_tokens`: of the shared memory's shadow.
  void begin_launch(const void* shared, std::size_t shared_bytes, const Token* shared_tokens);
  void end_launch();
  void begin_block(std::uint64_t block);
  /// Shared memory of the block that runs; of a cooperative launch each block has its own.
  void set_shared(const void* shared, std::size_t bytes, const Token* tokens);
  void enter(unsigned thread) {
    now.stamp = Stamp::make(epoch_, clock_[thread], thread);
    now.warp_token = Tokens::warp(now.stamp);
  }
  /// __syncthreads released.
  void barrier();
  /// grid_sync released: everything before it is ordered before everything behind it.
  void grid_barrier();
  void sync_warp(unsigned warp, unsigned mask);
  void fence();
  /// An atomic access begins: checked here; plain accesses are not until `now.atomic` is false.
  void atomic(const void* address, std::size_t bytes, Site site);
  /// A read by code that is not instrumented.
  void read(const void* address, std::size_t bytes, Site site);
  /// cp.async of `bytes` to shared memory, `read` of them from global memory: read now, written
  /// at any time until the thread has waited for it.
  void copy_begun(const void* shared, std::size_t bytes, const void* global, std::size_t read,
                  Site site);
  void copy_landed(const void* shared, std::size_t bytes);

  /// "racy.cu:12"
  std::string line_of(const Access& access) const;

  /// Whether `earlier` happened before the running thread's present, or needs no order.
  bool ordered(const Access& earlier, bool shared) const;
  /// Ends the launch.
  [[noreturn]] void report(const void* address, const Access& first, const Access& second);
  const Conflict& conflict() const { return conflict_; }
  bool found() const { return conflict_.address != nullptr; }

 private:
  struct Block {
    std::uint64_t first_epoch, index;
  };
  struct WarpOrder {
    /// known[b][a]: accesses of lane a with a smaller clock happened before lane b's present.
    std::array<std::array<std::uint32_t, 32>, 32> known;
  };
  const Block& block_of(std::uint64_t stamp) const;
  void next_epoch();
  /// A place that stands for a site: kSite and its number.
  std::uint32_t place_of(Site site);
  void tick(unsigned thread);

  static constexpr std::uint32_t kSite = 0x80000000U;
  std::uint64_t epoch_ = 0;
  std::vector<Site> sites_;    ///< of atomics
  std::vector<Block> blocks_;  ///< of this launch, so far
  std::array<std::uint32_t, 1024> clock_{};
  std::unique_ptr<std::array<WarpOrder, 32>> warps_;
  unsigned synced_warps_ = 0;  ///< which have used __syncwarp in this block
  bool ticked_ = false;
  Fences fences_;
  Conflict conflict_;
};

/// The detector of the launch that runs on this OS thread.
extern __thread Detector* active;

}  // namespace wm::emu::race
