#pragma once
// Bytes around buffers and shared arrays that no kernel may change. Repeated, they are a NaN in
// every floating type, so reading them shows as well.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace wm::emu {

constexpr unsigned char canary_byte(std::uintptr_t address) {
  return address % 2 == 0 ? 0xd3 : 0x7f;
}

inline void write_canary(void* begin, std::size_t bytes) {
  auto* byte = static_cast<unsigned char*>(begin);
  for (std::size_t i = 0; i < bytes; ++i)
    byte[i] = canary_byte(reinterpret_cast<std::uintptr_t>(byte + i));
}

/// Whether at most 144 bytes are all as write_canary left them.
inline bool is_canary(const void* begin, std::size_t bytes) {
  static constexpr auto pattern = [] {
    std::array<unsigned char, 146> filled{};
    for (std::size_t i = 0; i < filled.size(); ++i) filled[i] = canary_byte(i);
    return filled;
  }();
  return std::memcmp(begin, pattern.data() + reinterpret_cast<std::uintptr_t>(begin) % 2, bytes) ==
         0;
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
