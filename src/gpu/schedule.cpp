#include <charconv>

#include "core/error.hpp"
#include "gpu/device.hpp"

namespace wm {

std::string Schedule::to_string() const {
  switch (kind) {
    case Kind::in_order:
      return "in_order";
    case Kind::reverse:
      return "reverse";
    case Kind::random:
      return "random:" + std::to_string(seed);
  }
  return {};
}

Schedule Schedule::parse(std::string_view text) {
  if (text == "in_order") return {Kind::in_order, 0};
  if (text == "reverse") return {Kind::reverse, 0};
  constexpr std::string_view kRandom = "random:";
  if (text.starts_with(kRandom)) {
    const char* begin = text.data() + kRandom.size();
    const char* end = text.data() + text.size();
    std::uint64_t seed = 0;
    const auto [rest, error] = std::from_chars(begin, end, seed);
    if (error == std::errc() && rest == end) return {Kind::random, seed};
  }
  throw UsageError("schedule \"" + std::string(text) +
                   "\": allowed are in_order, reverse, random:SEED");
}

}  // namespace wm
