#pragma once
// What one warp request costs: a pure function of the lanes' addresses.
#include <array>
#include <cstdint>

#include "gpu/counters.hpp"

namespace wm::emu::count {

inline constexpr unsigned kLanes = 32;
inline constexpr unsigned kSectorBytes = 32;
inline constexpr unsigned kBanks = 32;
inline constexpr unsigned kBankBytes = 4;

/// The accesses of a warp's lanes that form one request.
struct Request {
  std::uint32_t mask = 0;  ///< lanes that take part
  /// Address in the low 48 bits, bytes of the access (0: none, as a zero-filling copy reads) above.
  std::array<std::uint64_t, kLanes> lanes;

  static constexpr unsigned kAddressBits = 48;
  void set(unsigned lane, std::uint64_t address, unsigned bytes) {
    mask |= 1U << lane;
    lanes[lane] = address | std::uint64_t{bytes} << kAddressBits;
  }
  bool has(unsigned lane) const { return (mask >> lane & 1) != 0; }
  std::uint64_t address(unsigned lane) const {
    return lanes[lane] & ((std::uint64_t{1} << kAddressBits) - 1);
  }
  unsigned bytes(unsigned lane) const { return static_cast<unsigned>(lanes[lane] >> kAddressBits); }
};

/// Lanes of which no byte is accessed do not take part; a request of no lanes is none.
void add_global(const Request& request, GlobalCounters& sum);

/// Loads and stores: lanes on the same word share it. Atomics (`exclusive`) do not.
void add_shared(const Request& request, bool exclusive, SharedCounters& sum);

/// ldmatrix: `rows` are the addresses of 8 `matrices` rows of 16 bytes; a phase is a matrix.
void add_matrices(const std::array<std::uint64_t, kLanes>& rows, unsigned matrices,
                  SharedCounters& sum);

/// Lanes that access an address which an earlier lane of the request accesses too.
unsigned collisions(const Request& request);

}  // namespace wm::emu::count
