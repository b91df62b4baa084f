#include "emu/cooperative.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "core/error.hpp"
#include "emu/machine.hpp"
#include "emu/names.hpp"

namespace wm::emu {
namespace {

constexpr std::uint64_t kWarp = 32;
/// Stacks up to which each gets a guard, two mappings of the process's 65530.
constexpr std::uint64_t kGuardedThreads = 8192;
/// A machine's stacks come in pieces of this many.
constexpr std::uint64_t kPiece = 64;

std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::uint64_t product(const dim3& d) { return std::uint64_t{d.x} * d.y * d.z; }

/// What limits the blocks that one multiprocessor holds at once.
struct Resident {
  std::uint64_t blocks;
  std::string limit;
};

Resident resident_blocks(std::uint64_t threads, std::uint64_t shared, const DeviceProps& props) {
  Resident found{static_cast<std::uint64_t>(props.max_blocks_per_sm),
                 "max_blocks_per_sm " + std::to_string(props.max_blocks_per_sm)};
  const auto add = [&](std::uint64_t available, std::uint64_t needed, const std::string& limit) {
    if (needed == 0 || available / needed >= found.blocks) return;
    found = {available / needed, limit};
  };
  add(static_cast<std::uint64_t>(props.max_threads_per_sm), round_up(threads, kWarp),
      "max_threads_per_sm " + std::to_string(props.max_threads_per_sm) + ", " +
          std::to_string(threads) + " threads a block");
  // The system keeps for itself what a block cannot have of a multiprocessor's shared memory.
  const std::uint64_t reserved = props.shared_per_sm_bytes - props.shared_optin_bytes;
  add(props.shared_per_sm_bytes, shared + reserved,
      "shared_per_sm_bytes " + std::to_string(props.shared_per_sm_bytes) + ", " +
          std::to_string(shared) + " bytes a block and " + std::to_string(reserved) + " reserved");
  return found;
}

/// One run of run_cooperative.
class CooperativeRun {
 public:
  CooperativeRun(Grid& grid, const DeviceProps& props, race::Detector* race)
      : grid_(grid), props_(props), race_(race), machines_(grid.blocks) {
    if (race_ != nullptr) race_->begin_launch(nullptr, 0, nullptr);
  }
  CooperativeRun(const CooperativeRun&) = delete;
  CooperativeRun& operator=(const CooperativeRun&) = delete;
  ~CooperativeRun() {
    if (race_ != nullptr) race_->end_launch();
    scheduling = 0;
    current_machine = nullptr;
  }

  void run() {
    for (std::uint64_t phase = 0; run_phase(phase); ++phase)
      if (race_ != nullptr) race_->grid_barrier();
  }

 private:
  /// Runs every block up to its next grid_sync. False when they have ended or one has failed.
  bool run_phase(std::uint64_t phase) {
    std::uint64_t ended = 0;
    for (std::uint64_t position = 0; position < grid_.blocks; ++position) {
      const std::uint64_t block = grid_.block_at(position, phase);
      const Machine::Progress progress = advance(block);
      if (progress == Machine::Progress::failed) {
        grid_.report_failure(position, machines_[block]->failure());
        return false;
      }
      if (progress == Machine::Progress::waits) continue;
      ++ended;
      machines_[block].reset();
    }
    if (ended == grid_.blocks) return false;
    if (ended == 0) return phase != 0 || static_memory_fits();
    grid_.report_failure(0, missing_blocks());
    return false;
  }

  Machine::Progress advance(std::uint64_t block) {
    auto& machine = machines_[block];
    if (machine != nullptr) return machine->resume_block();
    const bool guards = grid_.blocks * round_up(grid_.threads, kPiece) <= kGuardedThreads;
    machine = std::make_unique<Machine>(race_, guards);
    return machine->start_block(grid_, block);
  }

  /// The size of WM_SHARED arrays is known only once a block has come to them.
  bool static_memory_fits() {
    std::size_t shared = 0;
    for (const auto& machine : machines_) shared = std::max(shared, machine->arena().used_bytes());
    const std::string refusal = cooperative_refusal(grid_.launch, props_, shared);
    if (refusal.empty()) return true;
    grid_.report_failure(
        0, refusal + " (launch of kernel " + kernel_name(grid_.launch.signature) + ")");
    return false;
  }

  /// "blocks 0-2 wait at x.cu:12, block 3 has ended"
  std::string missing_blocks() const {
    struct Place {
      std::string text;
      Ranges blocks;
    };
    std::vector<Place> places;
    const auto add = [&](unsigned block, const std::string& text) {
      const auto same = [&](const Place& place) { return place.text == text; };
      auto at = std::find_if(places.begin(), places.end(), same);
      if (at == places.end()) at = places.insert(places.end(), {text, {}});
      at->blocks.add(block);
    };
    for (std::uint64_t block = 0; block < grid_.blocks; ++block) {
      const Machine* machine = machines_[block].get();
      add(static_cast<unsigned>(block),
          machine == nullptr ? "ended" : "at " + site_text(machine->grid_site()));
    }
    std::string text;
    for (const Place& place : places) {
      const bool one = place.blocks.single();
      const std::string verb =
          place.text == "ended" ? (one ? " has " : " have ") : (one ? " waits " : " wait ");
      text += (text.empty() ? "" : ", ") + std::string(one ? "block " : "blocks ") +
              place.blocks.text() + verb + place.text;
    }
    return "grid_sync that not all blocks reach in kernel " + kernel_name(grid_.launch.signature) +
           ": " + text;
  }

  Grid& grid_;
  const DeviceProps& props_;
  race::Detector* race_;
  std::vector<std::unique_ptr<Machine>> machines_;  ///< by block; null once it has ended
};

}  // namespace

std::string cooperative_refusal(const Launch& launch, const DeviceProps& props,
                                std::size_t shared_bytes) {
  const std::uint64_t threads = product(launch.block), blocks = product(launch.grid);
  const Resident resident = resident_blocks(threads, shared_bytes, props);
  const auto sms = static_cast<std::uint64_t>(props.sm_count);
  if (blocks > resident.blocks * sms)
    return "cooperative launch of " + std::to_string(blocks) + " blocks, limit " +
           std::to_string(resident.blocks * sms) + ": " + std::to_string(resident.blocks) +
           " at once on each of " + std::to_string(sms) + " multiprocessors (" + resident.limit +
           ")";
  if (blocks * threads > kMaxCooperativeThreads)
    return "cooperative launch of " + std::to_string(blocks * threads) +
           " threads, limit of the emulator " + std::to_string(kMaxCooperativeThreads);
  return {};
}

void run_cooperative(Grid& grid, const DeviceProps& props, race::Detector* race) {
  try {
    CooperativeRun(grid, props, race).run();
  } catch (const EnvironmentError& error) {
    grid.report_failure(0, "cooperative launch of " + std::to_string(grid.blocks) + " blocks of " +
                               std::to_string(grid.threads) + " threads: " + error.what());
  }
}

}  // namespace wm::emu
