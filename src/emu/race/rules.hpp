#pragma once
// What an access does to the cells it touches: compare with the recorded accesses, report, record.
// The general rules are `read` and `write`; `adds_nothing`, `nothing_recent` and the tokens are
// shortcuts that decide as the rules would.
#include "emu/race/detector.hpp"

namespace wm::emu::race {

/// One access in the middle of being compared with the cells it touches.
struct Attempt {
  const void* address;
  std::uint32_t place;
  std::uint16_t bytes;
  std::uint8_t flags;
  std::uint64_t floor;  ///< accesses before it are no concern
  bool shared;

  Access at(std::uint8_t mask) const { return {now.stamp, place, mask, flags, bytes}; }
};

/// Whether an access happened in another thread than the running one, in this launch.
inline bool by_another(const Access& access, std::uint64_t floor) {
  if (access.stamp < floor) return false;
  return access.stamp < now.block_floor || Stamp::thread(access.stamp) != Stamp::thread(now.stamp);
}

/// Whether a copy of this block is still on its way.
inline bool on_its_way(const Access& access) {
  return access.pending() && access.stamp >= now.block_floor;
}

inline void check(const Attempt& attempt, const Access& earlier, std::uint8_t mask) {
  if ((earlier.mask & mask) == 0) return;
  if (on_its_way(earlier)) active->report(attempt.address, earlier, attempt.at(mask));
  if (!by_another(earlier, attempt.floor)) return;
  if (earlier.atomic() && (attempt.flags & Access::kAtomic) != 0) return;
  if (!active->ordered(earlier, attempt.shared))
    active->report(attempt.address, earlier, attempt.at(mask));
}

/// Whether two reads in this epoch or in different blocks are such that whoever writes is another
/// warp than one of them.
inline bool cover_all(const Access& a, const Access& b, std::uint64_t floor) {
  if (a.stamp < now.epoch_floor || b.stamp < floor) return false;
  return b.stamp < now.block_floor ||
         (b.stamp >= now.epoch_floor && Stamp::thread(a.stamp) / 32 != Stamp::thread(b.stamp) / 32);
}

/// How much a recorded access widens what the latest one, `now`, conflicts with.
inline int distance(const Access& access, std::uint64_t floor) {
  if (access.stamp < floor) return 0;
  if (access.stamp < now.block_floor) return 4;
  if (access.stamp < now.epoch_floor) return 0;
  const unsigned thread = Stamp::thread(now.stamp), other = Stamp::thread(access.stamp);
  if (other / 32 != thread / 32) return 3;
  // One that this warp has synchronised with since is as good as none of another lane.
  return other != thread && Stamp::clock(access.stamp) >= Stamp::clock(now.stamp) ? 2 : 1;
}

/// Whether no recorded access is of concern: nothing to compare with, nothing to keep.
inline bool nothing_recent(const Cell& cell, std::uint64_t floor) {
  return cell.write.stamp < floor && cell.read.stamp < floor && cell.other.stamp < floor &&
         !cell.write.pending();
}

inline void read(Cell& cell, std::uint8_t mask, const Attempt& attempt) {
  if (nothing_recent(cell, attempt.floor)) {
    cell.read = attempt.at(mask);
    return;
  }
  if (cell.read.stamp == now.stamp && (mask & ~cell.read.mask) == 0) return;
  check(attempt, cell.write, mask);
  if (cell.other.writes())
    check(attempt, cell.other, mask);
  else if (mask == cell.read.mask && mask == cell.other.mask &&
           cover_all(cell.read, cell.other, attempt.floor))
    return;
  if (distance(cell.read, attempt.floor) > distance(cell.other, attempt.floor))
    cell.other = cell.read;
  cell.read = attempt.at(mask);
}

/// Whether a write makes the recorded access needless: whoever conflicts with that also conflicts
/// with the write. Not so for other bytes, nor for an atomic, with which other atomics do not
/// conflict.
inline bool replaces(const Attempt& attempt, std::uint8_t mask, const Access& access) {
  if (access.stamp < attempt.floor) return true;
  if ((access.mask & ~mask) != 0) return false;
  if ((attempt.flags & Access::kAtomic) == 0) return true;
  return access.atomic() && !by_another(access, attempt.floor);
}

/// Whether the last write, which the new one does not replace, is worth more than `other`.
inline bool outlives(const Access& write, const Access& other, std::uint64_t floor) {
  if (other.stamp < floor || !other.writes() || !write.atomic()) return true;
  return other.atomic() && distance(write, floor) >= distance(other, floor);
}

inline void write(Cell& cell, std::uint8_t mask, const Attempt& attempt) {
  if (!nothing_recent(cell, attempt.floor)) {
    if (cell.write.stamp == now.stamp && cell.write.mask == mask && !cell.write.pending() &&
        (cell.read.stamp | cell.other.stamp) == 0 && cell.write.flags == attempt.flags)
      return;
    check(attempt, cell.write, mask);
    check(attempt, cell.read, mask);
    check(attempt, cell.other, mask);
  }
  if (replaces(attempt, mask, cell.read)) cell.read.stamp = 0;
  if (replaces(attempt, mask, cell.other)) cell.other.stamp = 0;
  if (!replaces(attempt, mask, cell.write) && outlives(cell.write, cell.other, attempt.floor))
    cell.other = cell.write;
  cell.write = attempt.at(mask);
}

/// Whether no read in this epoch can race with the cell's writes.
inline bool writes_are_old(const Cell& cell, bool shared) {
  const std::uint64_t written = cell.write.stamp;
  const std::uint64_t floor = shared ? now.epoch_floor : now.grid_floor;
  if (cell.write.pending() || (cell.other.writes() && cell.other.stamp >= floor)) return false;
  return shared ? written < now.epoch_floor
                : written < now.grid_floor ||
                      (written >= now.block_floor && written < now.epoch_floor);
}

/// For whom a read of a whole granule whose writes are old would add nothing to what the cell
/// knows: for everyone in the launch, for everyone until the next barrier, for lanes that have
/// synchronised as the running one has, for the running thread, for nobody.
enum class Cover : std::uint8_t { grid, epoch, warp, thread, none };

inline Cover cover_of(const Cell& cell, std::uint8_t whole, bool shared) {
  if (cell.read.mask != whole) return Cover::none;
  const std::uint64_t read = cell.read.stamp, other = cell.other.stamp;
  // A reader of an earlier block of this launch conflicts with whoever writes from now on.
  if (!shared && read >= now.grid_floor && read < now.block_floor)
    return cell.write.stamp < now.grid_floor ? Cover::grid : Cover::epoch;
  if (read >= now.epoch_floor && other >= now.epoch_floor && cell.other.mask == whole) {
    // Two readers of different warps: whoever writes in this epoch conflicts with one of them. So
    // do two lanes of this warp that have synchronised as this one has.
    constexpr std::uint64_t kWarpBits = 0x3e0;
    if (((read ^ other) & kWarpBits) != 0) return Cover::epoch;
    if (read != other && (read ^ now.stamp) < 32 && (other ^ now.stamp) < 32) return Cover::warp;
  }
  return read == now.stamp ? Cover::thread : Cover::none;
}

/// A read of whole granules whose writes are old and whose readers are those of the first one:
/// what `read` would do to each. Gives the cover of the cells afterwards.
inline Cover read_alike(Cell* cells, unsigned count, std::uint8_t whole, const Attempt& attempt) {
  const Cover cover = cover_of(*cells, whole, attempt.shared);
  if (cover != Cover::none) return cover;
  const bool keep = cells->read.stamp >= attempt.floor &&
                    distance(cells->read, attempt.floor) > distance(cells->other, attempt.floor);
  for (unsigned i = 0; i < count; ++i) {
    if (keep) cells[i].other = cells[i].read;
    cells[i].read = attempt.at(whole);
  }
  return cover_of(*cells, whole, attempt.shared);
}

/// Whether `read_alike` may be used on a read's cells.
inline bool alike(const Cell* cells, unsigned count, bool shared) {
  bool same = writes_are_old(*cells, shared);
  for (unsigned i = 1; i < count; ++i)
    same = same && cells[i].read.alike(cells->read) && cells[i].other.alike(cells->other) &&
           writes_are_old(cells[i], shared);
  return same;
}

/// Marks a unit whose cells all have at least this cover.
inline Token token_for(Cover cover) {
  switch (cover) {
    case Cover::grid:
      return now.grid_token;
    case Cover::epoch:
      return now.epoch_token;
    case Cover::warp:
      return now.warp_token;
    case Cover::thread:
    case Cover::none:
      break;
  }
  return 0;
}

}  // namespace wm::emu::race
