#pragma once
// What a counting run of a kernel gives (docs/counters.md defines each number). Counts describe the
// requests of warps, a request being the accesses that the lanes of a warp make at one place of the
// code, each for the n-th time.
#include <cstdint>
#include <string>
#include <vector>

namespace wm {

/// Requests to global memory. A sector is 32 bytes.
struct GlobalCounters {
  std::uint64_t requests = 0;
  std::uint64_t lanes = 0;         ///< that took part, over all requests
  std::uint64_t sectors = 0;       ///< distinct ones a request touches
  std::uint64_t sectors_used = 0;  ///< the fewest that could hold the bytes used
  std::uint64_t bytes_used = 0;    ///< distinct bytes a request touches
};

/// Requests to shared memory. A wavefront gives each of 32 banks one 4-byte word.
struct SharedCounters {
  std::uint64_t requests = 0;
  std::uint64_t lanes = 0;
  std::uint64_t wavefronts = 0;
  std::uint64_t conflicts = 0;  ///< wavefronts beyond one a phase
};

struct Counters {
  GlobalCounters global_load, global_store, global_copy, global_atomic;
  SharedCounters shared_load, shared_store, shared_copy, shared_atomic, ldmatrix;
  std::uint64_t atomic_collisions = 0;  ///< lanes whose address an earlier lane of the request has
  std::uint64_t barriers = 0;           ///< a block each
  std::uint64_t warp_syncs = 0, shuffles = 0, votes = 0, mma = 0;  ///< a warp each
  std::uint64_t fences = 0;                                        ///< a thread each
};

/// Sums of Counters that reports and gates look at first.
struct CounterTotals {
  std::uint64_t global_sectors_requested, global_sectors_used;  ///< loads, stores, copies
  std::uint64_t shared_wavefronts, shared_conflicts;            ///< loads, stores, copies, ldmatrix
  std::uint64_t atomics;                                        ///< operations of threads
};
CounterTotals totals_of(const Counters& counters);

/// Calls fn("global_load_sectors", value) for every counter; `counters` may be const.
template <class Any, class Fn>
void for_each_counter(Any& counters, Fn&& fn) {
  const auto global = [&](const std::string& name, auto& each) {
    fn(name + "_requests", each.requests);
    fn(name + "_lanes", each.lanes);
    fn(name + "_sectors", each.sectors);
    fn(name + "_sectors_used", each.sectors_used);
    fn(name + "_bytes_used", each.bytes_used);
  };
  const auto shared = [&](const std::string& name, auto& each) {
    fn(name + "_requests", each.requests);
    fn(name + "_lanes", each.lanes);
    fn(name + "_wavefronts", each.wavefronts);
    fn(name + "_conflicts", each.conflicts);
  };
  global("global_load", counters.global_load);
  global("global_store", counters.global_store);
  global("global_copy", counters.global_copy);
  global("global_atomic", counters.global_atomic);
  shared("shared_load", counters.shared_load);
  shared("shared_store", counters.shared_store);
  shared("shared_copy", counters.shared_copy);
  shared("shared_atomic", counters.shared_atomic);
  shared("ldmatrix", counters.ldmatrix);
  fn(std::string("atomic_collisions"), counters.atomic_collisions);
  fn(std::string("barriers"), counters.barriers);
  fn(std::string("warp_syncs"), counters.warp_syncs);
  fn(std::string("shuffles"), counters.shuffles);
  fn(std::string("votes"), counters.votes);
  fn(std::string("mma"), counters.mma);
  fn(std::string("fences"), counters.fences);
}

Counters& operator+=(Counters& sum, const Counters& other);

/// All launches of one kernel.
struct KernelCounters {
  std::string kernel;  ///< "some_kernel<float, 64>"
  std::uint64_t launches = 0, blocks = 0, threads = 0;
  Counters counters;
};

}  // namespace wm
