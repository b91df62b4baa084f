#pragma once
// One launch: what the OS threads that run its blocks share.
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "core/mma_model.hpp"
#include "emu/arena.hpp"
#include "emu/runtime.hpp"
#include "gpu/device.hpp"

namespace wm::emu {

class Grid {
 public:
  Grid(const Launch& launch, Worker worker, const void* args, const Schedule& schedule,
       const Arena::Limits& shared_limits, unsigned char poison, const MmaModel& mma_model,
       unsigned os_threads);

  /// Takes the next positions [first, last) of the order of blocks; false when none are left.
  bool claim(std::uint64_t& first, std::uint64_t& last);
  /// Linear index of the block at a position of the order.
  std::uint64_t block_at(std::uint64_t position) const { return block_at(position, 0); }
  /// The same behind the `phase`-th grid_sync.
  std::uint64_t block_at(std::uint64_t position, std::uint64_t phase) const;
  /// Blocks behind a failed one need not run; those before it do, so that the failure reported is
  /// the first in the order, whatever the number of OS threads.
  bool cancelled(std::uint64_t position) const {
    return position > failed_position_.load(std::memory_order_relaxed);
  }
  void report_failure(std::uint64_t position, const std::string& message);
  /// Of the first failed block in the order; empty when none.
  const std::string& failure() const { return failure_; }

  const Launch launch;
  const Worker worker;
  const void* const args;
  const Schedule schedule;
  const Arena::Limits shared_limits;
  const unsigned char poison;
  const MmaModel* const mma_model;
  const unsigned threads;  ///< of a block
  const std::uint64_t blocks;

 private:
  const std::uint64_t chunk_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::uint64_t> failed_position_{~std::uint64_t{0}};
  std::mutex mutex_;
  std::string failure_;
};

/// "some_kernel<float, 64>" from the __PRETTY_FUNCTION__ of `signature<Kernel>()`.
std::string kernel_name(const std::string& signature);

/// A well-mixed 64-bit value of two.
std::uint64_t mix(std::uint64_t a, std::uint64_t b);

}  // namespace wm::emu
