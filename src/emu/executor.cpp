#include "emu/executor.hpp"

#include "core/error.hpp"
#include "emu/cooperative.hpp"
#include "emu/faults.hpp"
#include "gpu/launch_note.hpp"

namespace wm::emu {
namespace {

std::string text(const dim3& d) {
  return '(' + std::to_string(d.x) + ',' + std::to_string(d.y) + ',' + std::to_string(d.z) + ')';
}

[[noreturn]] void refuse(const Launch& launch, const std::string& what) {
  throw KernelError("invalid configuration argument: " + what + " (launch of kernel " +
                    kernel_name(launch.signature) + ")");
}

}  // namespace

Executor::Executor(const DeviceProps& props, unsigned os_threads, bool race)
    : props_(props),
      mma_model_(&mma_model(props.mma_model)),
      os_threads_(race ? 1 : os_threads),
      race_(race ? std::make_unique<race::Detector>() : nullptr) {
  machines_.push_back(std::make_unique<Machine>(race_.get()));
}

Executor::~Executor() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  work_.notify_all();
  for (auto& helper : helpers_) helper.join();
}

std::size_t Executor::stacks() const {
  std::size_t sum = 0;
  for (const auto& machine : machines_) sum += machine->stacks();
  return sum;
}

void Executor::check_limits(const Launch& launch) const {
  const dim3& grid = launch.grid;
  const dim3& block = launch.block;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0)
    refuse(launch, "grid " + text(grid) + " has no blocks");
  if (block.x == 0 || block.y == 0 || block.z == 0)
    refuse(launch, "block " + text(block) + " has no threads");
  if (grid.x > 0x7fffffffU || grid.y > 65535 || grid.z > 65535)
    refuse(launch, "grid " + text(grid) + ", limits (2147483647,65535,65535)");
  if (block.x > 1024 || block.y > 1024 || block.z > 64)
    refuse(launch, "block " + text(block) + ", limits (1024,1024,64)");
  const unsigned limit = static_cast<unsigned>(props_.max_threads_per_block);
  if (block.x * block.y * block.z > limit)
    refuse(launch, "block " + text(block) + " has " + std::to_string(block.x * block.y * block.z) +
                       " threads, limit " + std::to_string(limit));
  if (launch.shared_bytes > props_.shared_optin_bytes)
    refuse(launch, std::to_string(launch.shared_bytes) + " bytes of dynamic shared memory, limit " +
                       std::to_string(props_.shared_optin_bytes));
  if (!launch.cooperative) return;
  if (counting_) refuse(launch, "a cooperative launch has no counters");
  const std::string refusal = cooperative_refusal(launch, props_, launch.shared_bytes);
  if (!refusal.empty()) refuse(launch, refusal);
}

void Executor::start_helpers() {
  while (machines_.size() < os_threads_) machines_.push_back(std::make_unique<Machine>());
  while (helpers_.size() + 1 < os_threads_)
    helpers_.emplace_back([this, index = helpers_.size() + 1] { help(index); });
}

void Executor::help(std::size_t index) {
  prepare_faults();
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [&] { return stop_ || generation_ != seen; });
    if (stop_) return;
    seen = generation_;
    Grid* grid = grid_;
    lock.unlock();
    machines_[index]->run(*grid);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

void Executor::run(const Launch& launch, Worker worker, const void* args) {
  check_limits(launch);
  const std::lock_guard launch_lock(launch_mutex_);
  note_launch(launch.signature, launch.grid, launch.block);
  prepare_faults();
  const bool alone = launch.blocks_communicate || launch.cooperative || os_threads_ == 1;
  Grid grid(launch, worker, args, schedule_,
            {props_.shared_static_bytes, props_.shared_optin_bytes},
            static_cast<unsigned char>(poison_), *mma_model_, alone ? 1 : os_threads_);
  const bool shared = !alone && grid.blocks > 1;
  if (shared) {
    start_helpers();
    const std::lock_guard lock(mutex_);
    grid_ = &grid;
    ++generation_;
    busy_ = helpers_.size();
    work_.notify_all();
  }
  if (launch.cooperative)
    run_cooperative(grid, props_, race_.get());
  else
    machines_[0]->run(grid);
  if (shared) {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return busy_ == 0; });
  }
  if (!grid.failure().empty()) throw KernelError(grid.failure());
}

void run(Executor& executor, const Launch& launch, Worker worker, const void* args) {
  executor.run(launch, worker, args);
}

}  // namespace wm::emu
