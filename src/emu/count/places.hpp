#pragma once
// Numbers for the places of a kernel that access memory.
#include <cstdint>
#include <vector>

namespace wm::emu::count {

enum class Kind : std::uint8_t { load, store, atomic, copy };

/// An access in the code: what decides which lanes' accesses belong together.
struct Place {
  std::uint64_t code = 0;  ///< return address, or the file of a Site
  std::uint32_t line = 0;  ///< of the Site
  Kind kind = Kind::load;
  bool shared = false;
  bool operator==(const Place&) const = default;
};

/// Each place's number: 0, 1, ... in the order of their first access.
class Places {
 public:
  unsigned number_of(const Place& place) {
    for (std::uint64_t at = hash(place);; ++at) {
      const unsigned entry = table_[at & (table_.size() - 1)];
      if (entry == 0) return add(place);
      if (list_[entry - 1] == place) return entry - 1;
    }
  }
  const Place& operator[](unsigned number) const { return list_[number]; }
  void clear();

 private:
  static std::uint64_t hash(const Place& place) {
    const std::uint64_t rest = std::uint64_t{place.line} << 8 |
                               static_cast<std::uint64_t>(place.kind) << 1 |
                               static_cast<std::uint64_t>(place.shared);
    const std::uint64_t mixed = (place.code + (rest << 32 | rest)) * 0x9e3779b97f4a7c15U;
    return mixed >> 32;
  }
  unsigned add(const Place& place);
  void insert(unsigned number);

  std::vector<Place> list_;
  std::vector<unsigned> table_ = std::vector<unsigned>(1024);  ///< number + 1; 0: empty
};

}  // namespace wm::emu::count
