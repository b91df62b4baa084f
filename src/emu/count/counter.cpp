#include "emu/count/counter.hpp"

#include <algorithm>

#include "emu/grid.hpp"
#include "emu/machine.hpp"
#include "emu/race/detector.hpp"

namespace wm::emu::count {

constinit __thread Counter* counting = nullptr;

namespace {

/// Requests that wait for their lanes: 277 MB.
constexpr std::size_t kMaxKept = std::size_t{1} << 20;
/// Longer lists are given back when they have been counted.
constexpr std::size_t kMaxSpare = 4096;

std::uint64_t number_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

unsigned running_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

}  // namespace

void Counter::begin_launch(const Launch& launch, const Arena& arena) {
  const std::string name = kernel_name(launch.signature);
  const auto known = std::find_if(kernels_.begin(), kernels_.end(),
                                  [&](const KernelCounters& row) { return row.kernel == name; });
  row_ = known != kernels_.end() ? &*known : &kernels_.emplace_back(KernelCounters{.kernel = name});
  ++row_->launches;
  arena_ = &arena;
  threads_ = launch.block.x * launch.block.y * launch.block.z;
  places_.clear();
  spare_.clear();
  kept_ = 0;
  counting = this;
}

void Counter::end_launch() {
  counting = nullptr;
  race::now.atomic = false;
  for (auto& table : warps_) table.reset();
}

void Counter::begin_block() {
  ++row_->blocks;
  row_->threads += threads_;
  waiting_.fill(0);
  finished_.fill(0);
}

unsigned Counter::lanes_of(unsigned warp) const {
  return std::min(threads_ - warp * kLanes, kLanes);
}

void Counter::stop(unsigned warp, PerWarp& which) {
  ++which[warp];
  if (waiting_[warp] + finished_[warp] == lanes_of(warp)) flush(warp);
}

void Counter::barrier() {
  ++row_->counters.barriers;
  waiting_.fill(0);
}

void Counter::collective(WarpOp op, unsigned warp, unsigned mask, unsigned alive) {
  if (mask == alive) flush(warp);
  Counters& sum = row_->counters;
  switch (op) {
    case WarpOp::sync:
      ++sum.warp_syncs;
      break;
    case WarpOp::ballot:
      ++sum.votes;
      break;
    case WarpOp::shfl:
    case WarpOp::shfl_up:
    case WarpOp::shfl_down:
    case WarpOp::shfl_xor:
      ++sum.shuffles;
      break;
    case WarpOp::mma:
      ++sum.mma;
      break;
    case WarpOp::ldmatrix:
      break;  // load_matrices
  }
}

void Counter::load_matrices(const std::array<std::uint64_t, kLanes>& rows, unsigned matrices) {
  add_matrices(rows, matrices, row_->counters.ldmatrix);
}

void Counter::plain(const void* address, unsigned bytes, Kind kind, const void* code) {
  const bool shared = arena_->contains(address);
  if (!shared && !race::page_of(number_of(address))) return;  // a variable of the thread
  add({.code = number_of(code), .kind = kind, .shared = shared}, number_of(address), bytes);
}

void Counter::atomic(const void* address, unsigned bytes, Site site) {
  add({.code = number_of(site.file),
       .line = static_cast<std::uint32_t>(site.line),
       .kind = Kind::atomic,
       .shared = arena_->contains(address)},
      number_of(address), bytes);
  race::now.atomic = true;
}

void Counter::copy(const void* shared, const void* global, unsigned bytes, unsigned read,
                   Site site) {
  Place place{.code = number_of(site.file),
              .line = static_cast<std::uint32_t>(site.line),
              .kind = Kind::copy};
  add(place, number_of(global), read);
  place.shared = true;
  add(place, number_of(shared), bytes);
}

void Counter::add(const Place& place, std::uint64_t address, unsigned bytes) {
  const unsigned thread = running_thread(), warp = thread / kLanes, lane = thread % kLanes;
  if (warps_[warp] == nullptr) {
    if (spare_.empty()) spare_.push_back(std::make_unique<Table>());
    warps_[warp] = std::move(spare_.back());
    spare_.pop_back();
  }
  request_of(*warps_[warp], places_.number_of(place), lane).set(lane, address, bytes);
}

Request& Counter::request_of(Table& table, unsigned number, unsigned lane) {
  if (number >= table.streams.size()) table.streams.resize(number + 1);
  Stream& stream = table.streams[number];
  const std::uint32_t occurrence = stream.occurrences[lane]++;
  if (occurrence == stream.used) {
    if (stream.used == 0) table.touched.push_back(number);
    if (++kept_ > kMaxKept) fail_memory();
    if (++stream.used > stream.requests.size()) stream.requests.emplace_back();
    stream.requests[occurrence].mask = 0;
  }
  return stream.requests[occurrence];
}

void Counter::fail_memory() {
  current_machine->fail([] {
    return current_machine->block_message(
        "counting: more than " + std::to_string(kMaxKept) +
            " warp requests since the warps' last barrier or warp operation",
        "count a smaller problem");
  });
}

/// The warp's lanes are together: what they have done becomes requests.
void Counter::flush(unsigned warp) {
  if (warps_[warp] == nullptr) return;
  Table& table = *warps_[warp];
  for (const unsigned number : table.touched) {
    Stream& stream = table.streams[number];
    for (std::uint32_t i = 0; i < stream.used; ++i) count(places_[number], stream.requests[i]);
    kept_ -= stream.used;
    stream.used = 0;
    stream.occurrences.fill(0);
    if (stream.requests.size() > kMaxSpare) stream.requests = {};
  }
  table.touched.clear();
  spare_.push_back(std::move(warps_[warp]));
}

void Counter::count(const Place& place, const Request& request) {
  Counters& sum = row_->counters;
  switch (place.kind) {
    case Kind::load:
      return place.shared ? add_shared(request, false, sum.shared_load)
                          : add_global(request, sum.global_load);
    case Kind::store:
      return place.shared ? add_shared(request, false, sum.shared_store)
                          : add_global(request, sum.global_store);
    case Kind::atomic:
      sum.atomic_collisions += collisions(request);
      return place.shared ? add_shared(request, true, sum.shared_atomic)
                          : add_global(request, sum.global_atomic);
    case Kind::copy:
      return place.shared ? add_shared(request, false, sum.shared_copy)
                          : add_global(request, sum.global_copy);
  }
}

void plain(const void* address, unsigned bytes, bool write, const void* code) {
  if (!race::now.atomic) counting->plain(address, bytes, write ? Kind::store : Kind::load, code);
}

void range(const void* address, std::size_t bytes, bool write, const void* code) {
  constexpr std::size_t kWidest = 16;
  const auto* at = static_cast<const char*>(address);
  for (std::size_t left = bytes; left > 0;) {
    const std::size_t piece = std::min(left, kWidest - number_of(at) % kWidest);
    plain(at, static_cast<unsigned>(piece), write, code);
    at += piece;
    left -= piece;
  }
}

}  // namespace wm::emu::count
