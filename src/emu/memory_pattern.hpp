#pragma once
// Bytes around buffers and shared arrays that no kernel may change. Repeated, they are a NaN in
// every floating type, so reading them shows as well.
#include <cstddef>
#include <cstdint>

namespace wm::emu {

inline unsigned char canary_byte(std::uintptr_t address) { return address % 2 == 0 ? 0xd3 : 0x7f; }

inline void write_canary(void* begin, std::size_t bytes) {
  auto* byte = static_cast<unsigned char*>(begin);
  for (std::size_t i = 0; i < bytes; ++i)
    byte[i] = canary_byte(reinterpret_cast<std::uintptr_t>(byte + i));
}

struct CanaryDamage {
  std::size_t bytes = 0;  ///< changed ones
  std::size_t first = 0;  ///< offset of the first of them
};

inline CanaryDamage check_canary(const void* begin, std::size_t bytes) {
  const auto* byte = static_cast<const unsigned char*>(begin);
  CanaryDamage damage;
  for (std::size_t i = 0; i < bytes; ++i) {
    if (byte[i] == canary_byte(reinterpret_cast<std::uintptr_t>(byte + i))) continue;
    if (damage.bytes++ == 0) damage.first = i;
  }
  return damage;
}

}  // namespace wm::emu
