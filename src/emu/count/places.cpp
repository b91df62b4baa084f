#include "emu/count/places.hpp"

#include <algorithm>

namespace wm::emu::count {

void Places::clear() {
  list_.clear();
  std::fill(table_.begin(), table_.end(), 0U);
}

void Places::insert(unsigned number) {
  std::uint64_t at = hash(list_[number]);
  while (table_[at & (table_.size() - 1)] != 0) ++at;
  table_[at & (table_.size() - 1)] = number + 1;
}

unsigned Places::add(const Place& place) {
  const auto number = static_cast<unsigned>(list_.size());
  list_.push_back(place);
  if (list_.size() * 2 <= table_.size()) {
    insert(number);
    return number;
  }
  table_.assign(table_.size() * 2, 0);
  for (unsigned i = 0; i <= number; ++i) insert(i);
  return number;
}

}  // namespace wm::emu::count
