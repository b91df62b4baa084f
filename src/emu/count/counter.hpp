#pragma once
// Counts of launches on the race flavour's kernels (docs/counters.md). The instrumented kernel
// reports its reads and writes (race/runtime.cpp), the machine everything else.
//
// Lanes run one after another, so a warp's accesses are kept, by place and occurrence, until all
// its lanes have come to a point where a GPU has them together again: a barrier, a warp operation
// of all of them, or the end. There they become requests and the occurrences begin anew.
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "emu/arena.hpp"
#include "emu/count/places.hpp"
#include "emu/count/requests.hpp"
#include "emu/runtime.hpp"
#include "gpu/counters.hpp"

namespace wm::emu::count {

class Counter {
 public:
  /// Adds to the row of the launch's kernel.
  void begin_launch(const Launch& launch, const Arena& arena);
  void end_launch();
  void begin_block();
  /// The thread waits at a barrier, or has ended.
  void arrive(unsigned thread) { stop(thread / 32, waiting_); }
  void finish(unsigned thread) { stop(thread / 32, finished_); }
  /// __syncthreads released.
  void barrier();
  /// The lanes of `mask` have performed an operation; `alive` are those of the warp that have not
  /// ended.
  void collective(WarpOp op, unsigned warp, unsigned mask, unsigned alive);
  void load_matrices(const std::array<std::uint64_t, kLanes>& rows, unsigned matrices);

  /// Accesses of the running thread.
  void plain(const void* address, unsigned bytes, Kind kind, const void* code);
  /// Plain accesses from here to atomic_end are the atomic's own.
  void atomic(const void* address, unsigned bytes, Site site);
  void copy(const void* shared, const void* global, unsigned bytes, unsigned read, Site site);
  void fence() { ++row_->counters.fences; }

  const std::vector<KernelCounters>& kernels() const { return kernels_; }

 private:
  /// What the lanes of a warp have done at one place since they were last together.
  struct Stream {
    std::array<std::uint32_t, kLanes> occurrences{};
    std::vector<Request> requests;
    std::uint32_t used = 0;
  };
  struct Table {
    std::vector<Stream> streams;  ///< by number of the place
    std::vector<unsigned> touched;
  };
  static constexpr unsigned kMaxWarps = 32;
  using PerWarp = std::array<unsigned, kMaxWarps>;

  void stop(unsigned warp, PerWarp& which);
  unsigned lanes_of(unsigned warp) const;
  void add(const Place& place, std::uint64_t address, unsigned bytes);
  Request& request_of(Table& table, unsigned number, unsigned lane);
  void flush(unsigned warp);
  void count(const Place& place, const Request& request);
  [[noreturn]] void fail_memory();

  std::vector<KernelCounters> kernels_;
  KernelCounters* row_ = nullptr;
  const Arena* arena_ = nullptr;
  unsigned threads_ = 0;  ///< of a block
  Places places_;
  PerWarp waiting_{}, finished_{};
  std::array<std::unique_ptr<Table>, kMaxWarps> warps_;  ///< null: nothing to flush
  std::vector<std::unique_ptr<Table>> spare_;
  std::size_t kept_ = 0;  ///< requests in all tables
};

/// The counter of the launch that runs on this OS thread; null when it is not a counting one.
extern __thread Counter* counting;

/// An access of instrumented code, and one of any number of bytes (copies of objects): pieces of at
/// most 16 bytes.
void plain(const void* address, unsigned bytes, bool write, const void* code);
void range(const void* address, std::size_t bytes, bool write, const void* code);

}  // namespace wm::emu::count
