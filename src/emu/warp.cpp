// Warp operations: the last lane to arrive performs the operation for all lanes of the mask.
#include "emu/count/counter.hpp"
#include "emu/names.hpp"
#include "emu/switching.hpp"

namespace wm::emu {

std::uint64_t Machine::collective(WarpOp op, unsigned mask, std::uint64_t value, unsigned source,
                                  Site site) {
  ensure_scheduling();
  const unsigned self = current_, lane = self % 32, base = self - lane;
  if ((mask >> lane & 1) == 0)
    fail([&] {
      return thread_message(operation_name(op) + " by a lane outside its own mask " + hex(mask),
                            site, "lane " + std::to_string(lane));
    });
  if (const unsigned gone = mask & ~alive_.lanes(self / 32); gone != 0)
    fail([&] {
      return thread_message(operation_name(op) + " with lanes in the mask " + hex(mask) +
                                " that have exited or do not exist",
                            site, lanes_text(gone));
    });
  Warp& warp = warps_[self / 32];
  Thread& thread = threads_[self];
  thread.fiber = running_;
  thread.site = site;
  thread.mask = mask;
  thread.op = static_cast<std::uint8_t>(op);
  thread.wait = Wait::warp;
  warp.value[lane] = value;
  warp.source[lane] = static_cast<std::uint8_t>(source);
  Group& group = join_group(warp, lane, op, mask, site);
  if (group.arrived == mask) {
    complete(warp, group);
    if (race_ != nullptr && op == WarpOp::sync) race_->sync_warp(self / 32, mask);
    if (counter_ != nullptr) counter_->collective(op, self / 32, mask, alive_.lanes(self / 32));
    group = warp.groups[--warp.group_count];
    ready_.add_lanes(self / 32, mask);
    resume(pick_from(base, base + 31));
  } else {
    resume(pick_after(self));
  }
  return warp.result[lane];
}

Machine::Group& Machine::join_group(Warp& warp, unsigned lane, WarpOp op, unsigned mask,
                                    Site site) {
  for (unsigned g = 0; g < warp.group_count; ++g) {
    Group& group = warp.groups[g];
    if (group.mask != mask || group.op != op || group.site.line != site.line ||
        group.site.file != site.file)
      continue;
    group.arrived |= 1U << lane;
    return group;
  }
  Group& group = warp.groups[warp.group_count++];
  group = {mask, 1U << lane, op, site};
  return group;
}

void Machine::complete(Warp& warp, const Group& group) {
  if (group.op == WarpOp::sync) return;
  if (group.op == WarpOp::mma) return multiply(warp, group.site);
  if (group.op == WarpOp::ldmatrix) return load_matrices(warp, group.site);
  std::uint64_t ballot = 0;
  if (group.op == WarpOp::ballot)
    for (unsigned lane = 0; lane < 32; ++lane)
      if (group.mask >> lane & 1) ballot |= warp.value[lane] << lane;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((group.mask >> lane & 1) == 0) continue;
    const unsigned source = warp.source[lane];
    if (group.op == WarpOp::ballot)
      warp.result[lane] = ballot;
    else
      warp.result[lane] = group.mask >> source & 1 ? warp.value[source] : ~std::uint64_t{0};
  }
}

/// A lane may not exit while others wait for it.
void Machine::check_no_lane_waits_for(unsigned thread) {
  const Warp& warp = warps_[thread / 32];
  for (unsigned g = 0; g < warp.group_count; ++g) {
    const Group& group = warp.groups[g];
    if ((group.mask >> thread % 32 & 1) == 0) continue;
    fail([&] {
      return thread_message("a lane exited that others wait for in " + operation_name(group.op) +
                                ", mask " + hex(group.mask) + ",",
                            group.site, "waiting: " + lanes_text(group.arrived));
    });
  }
}

unsigned shuffle_source(WarpOp op, int operand, int width, Site site) {
  if (width < 1 || width > 32 || (width & (width - 1)) != 0)
    current_machine->fail([&] {
      return current_machine->thread_message(operation_name(op) + " with width " +
                                                 std::to_string(width) +
                                                 " (allowed: 1, 2, 4, 8, 16, 32)",
                                             site, "");
    });
  const int lane = static_cast<int>(current_machine->lane());
  const int base = lane & ~(width - 1), end = base + width;
  switch (op) {
    case WarpOp::shfl:
      return static_cast<unsigned>(base + (operand & (width - 1)));
    case WarpOp::shfl_up:
      return static_cast<unsigned>(lane - operand < base ? lane : lane - operand);
    case WarpOp::shfl_down:
      return static_cast<unsigned>(operand >= end - lane ? lane : lane + operand);
    case WarpOp::shfl_xor: {
      const int source = (lane ^ operand) & 31;
      return static_cast<unsigned>(source >= end ? lane : source);
    }
    case WarpOp::sync:
    case WarpOp::ballot:
    case WarpOp::mma:
    case WarpOp::ldmatrix:
      break;
  }
  return static_cast<unsigned>(lane);
}

}  // namespace wm::emu
