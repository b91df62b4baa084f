#include "emu/count/requests.hpp"

#include <algorithm>
#include <bit>

namespace wm::emu::count {
namespace {

/// The distinct sectors of a request, and which bytes of each.
class Sectors {
 public:
  void add(std::uint64_t address, unsigned bytes) {
    for (const std::uint64_t end = address + bytes; address < end;) {
      const std::uint64_t sector = address / kSectorBytes, next = (sector + 1) * kSectorBytes;
      const auto first = static_cast<unsigned>(address % kSectorBytes);
      const auto count = static_cast<unsigned>(std::min(end, next) - address);
      mask_of(sector) |= static_cast<std::uint32_t>(((std::uint64_t{1} << count) - 1) << first);
      address = next;
    }
  }
  unsigned count() const { return count_; }
  unsigned bytes() const {
    int sum = 0;
    for (unsigned i = 0; i < count_; ++i) sum += std::popcount(masks_[i]);
    return static_cast<unsigned>(sum);
  }

 private:
  std::uint32_t& mask_of(std::uint64_t sector) {
    for (unsigned i = count_; i-- > 0;)
      if (sectors_[i] == sector) return masks_[i];
    sectors_[count_] = sector;
    masks_[count_] = 0;
    return masks_[count_++];
  }

  std::array<std::uint64_t, 2 * kLanes> sectors_;
  std::array<std::uint32_t, 2 * kLanes> masks_;
  unsigned count_ = 0;
};

/// One pass over the banks: how many words each has to give.
class Phase {
 public:
  void add(std::uint64_t address, unsigned bytes, bool exclusive) {
    const std::uint64_t last = (address + bytes - 1) / kBankBytes;
    for (std::uint64_t word = address / kBankBytes; word <= last; ++word)
      if (exclusive || !known(word)) push(word);
  }
  unsigned wavefronts() const { return *std::max_element(depth_.begin(), depth_.end()); }

 private:
  bool known(std::uint64_t word) const {
    const auto end = words_.begin() + count_;
    return std::find(words_.begin(), end, word) != end;
  }
  void push(std::uint64_t word) {
    words_[count_++] = word;
    ++depth_[word % kBanks];
  }

  std::array<std::uint64_t, 5 * kLanes> words_;  // an unaligned 16 bytes touch five
  std::array<unsigned, kBanks> depth_{};
  unsigned count_ = 0;
};

unsigned widest(const Request& request) {
  unsigned bytes = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (request.has(lane)) bytes = std::max(bytes, request.bytes(lane));
  return bytes;
}

void add_phase(const Phase& phase, SharedCounters& sum) {
  const unsigned wavefronts = phase.wavefronts();
  if (wavefronts == 0) return;
  sum.wavefronts += wavefronts;
  sum.conflicts += wavefronts - 1;
}

}  // namespace

void add_global(const Request& request, GlobalCounters& sum) {
  Sectors sectors;
  unsigned lanes = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!request.has(lane) || request.bytes(lane) == 0) continue;
    sectors.add(request.address(lane), request.bytes(lane));
    ++lanes;
  }
  if (lanes == 0) return;
  ++sum.requests;
  sum.lanes += lanes;
  sum.sectors += sectors.count();
  sum.bytes_used += sectors.bytes();
  sum.sectors_used += (sectors.bytes() + kSectorBytes - 1) / kSectorBytes;
}

void add_shared(const Request& request, bool exclusive, SharedCounters& sum) {
  const unsigned bytes = widest(request);
  const unsigned lanes_a_phase = bytes <= 4 ? kLanes : bytes <= 8 ? kLanes / 2 : kLanes / 4;
  ++sum.requests;
  sum.lanes += static_cast<unsigned>(std::popcount(request.mask));
  for (unsigned first = 0; first < kLanes; first += lanes_a_phase) {
    Phase phase;
    for (unsigned lane = first; lane < first + lanes_a_phase; ++lane)
      if (request.has(lane)) phase.add(request.address(lane), request.bytes(lane), exclusive);
    add_phase(phase, sum);
  }
}

void add_matrices(const std::array<std::uint64_t, kLanes>& rows, unsigned matrices,
                  SharedCounters& sum) {
  constexpr unsigned kRows = 8, kRowBytes = 16;
  ++sum.requests;
  sum.lanes += kRows * matrices;
  for (unsigned matrix = 0; matrix < matrices; ++matrix) {
    Phase phase;
    for (unsigned row = 0; row < kRows; ++row)
      phase.add(rows[matrix * kRows + row], kRowBytes, false);
    add_phase(phase, sum);
  }
}

unsigned collisions(const Request& request) {
  unsigned found = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned earlier = 0; request.has(lane) && earlier < lane; ++earlier) {
      if (!request.has(earlier) || request.address(earlier) != request.address(lane)) continue;
      ++found;
      break;
    }
  return found;
}

}  // namespace wm::emu::count
