#include "tree/host_sums.hpp"

#include <algorithm>
#include <cmath>

namespace wm {
namespace {

constexpr float kMask = 0x1p60F;

float add_at_once(const std::vector<float>& terms, int fraction) {
  int top = -200;
  for (const float term : terms)
    if (term != 0) top = std::max(top, std::ilogb(term));
  double sum = 0;
  for (const float term : terms) sum += std::trunc(std::ldexp(double{term}, fraction - top));
  return static_cast<float>(std::ldexp(sum, top - fraction));
}

}  // namespace

CountUnits masked(std::int64_t leaves, const HostSum& sum) {
  return [leaves, sum](std::span<const MaskedSum> sums) {
    std::vector<std::int64_t> left;
    for (const MaskedSum& each : sums) {
      std::vector<float> terms(static_cast<std::size_t>(leaves), 0.0F);
      for (const std::int64_t leaf : each.units) terms[static_cast<std::size_t>(leaf)] = 1;
      terms[static_cast<std::size_t>(each.plus)] = kMask;
      terms[static_cast<std::size_t>(each.minus)] = -kMask;
      left.push_back(static_cast<std::int64_t>(sum(terms)));
    }
    return left;
  };
}

HostSum follow(const SummationTree& tree, int fraction) {
  return [tree, fraction](std::span<const float> terms) {
    std::vector<float> values(terms.begin(), terms.end());
    for (const auto& children : tree.nodes) {
      std::vector<float> parts;
      for (const std::int64_t child : children)
        parts.push_back(values[static_cast<std::size_t>(child)]);
      values.push_back(parts.size() == 2 ? parts[0] + parts[1] : add_at_once(parts, fraction));
    }
    return values.back();
  };
}

}  // namespace wm
