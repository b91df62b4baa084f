#pragma once
// What Stream::handle points to on the host: the device's settings and its OS threads.
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "emu/machine.hpp"
#include "emu/race/detector.hpp"
#include "emu/runtime.hpp"
#include "gpu/device.hpp"

namespace wm::emu {

class Executor {
 public:
  /// `os_threads` share the blocks of a grid, the caller of `run` being one of them. With `race` it
  /// is the only one and reports accesses that race. Throws UsageError for an unknown tensor-core
  /// model.
  Executor(const DeviceProps& props, unsigned os_threads, bool race = false);
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  ~Executor();

  void run(const Launch& launch, Worker worker, const void* args);

  const DeviceProps& props() const { return props_; }
  void set_schedule(const Schedule& schedule) { schedule_ = schedule; }
  /// What shared memory holds when a block begins.
  void set_shared_poison(Poison poison) { poison_ = poison; }
  /// Counts the launches from here on instead of checking them for races; null ends that. Needs
  /// the one OS thread of `race`.
  /// A cooperative launch throws KernelError while there is one: its blocks are alive together, and
  /// the counter keeps one block's requests.
  void set_counter(count::Counter* counter) {
    counting_ = counter != nullptr;
    machines_[0]->set_counter(counter);
  }
  /// Stacks that exist on all OS threads: what runs of failing kernels must not add to.
  std::size_t stacks() const;

 private:
  void check_limits(const Launch& launch) const;
  void start_helpers();
  void help(std::size_t index);

  DeviceProps props_;
  const MmaModel* mma_model_;
  unsigned os_threads_;
  Schedule schedule_;
  Poison poison_ = Poison::nan;
  bool counting_ = false;
  std::unique_ptr<race::Detector> race_;
  std::vector<std::unique_ptr<Machine>> machines_;  ///< the first is the caller's

  std::mutex launch_mutex_;  ///< one launch at a time
  std::mutex mutex_;
  std::condition_variable work_, done_;
  Grid* grid_ = nullptr;
  std::uint64_t generation_ = 0;
  std::size_t busy_ = 0;
  bool stop_ = false;
  std::vector<std::thread> helpers_;
};

}  // namespace wm::emu
