#include "selfcheck/corruption.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

#include "ops/matmul.hpp"

namespace wm::selfcheck {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

double bound_at(const Planted& planted, std::size_t i) {
  if (planted.gate == Gate::indexing) return 0;
  return bound_of(planted.rule, planted.expected.value[i], planted.expected.magnitude[i]);
}

/// The f32 values on either side of value + bound.
float just_outside(double value, double bound) {
  auto result = static_cast<float>(value + bound);
  while (result - value <= bound) result = std::nextafter(result, kInfinity);
  return result;
}
float just_inside(double value, double bound) {
  auto result = static_cast<float>(value + bound);
  while (result - value > bound) result = std::nextafter(result, -kInfinity);
  return result;
}

/// The product of one sum that is nearest to the mean of its terms, zeros left out.
double typical_term(const Planted& planted, std::size_t i) {
  const auto& p = planted.problem.as<MatmulProblem>();
  const auto n = static_cast<std::size_t>(p.n), k = static_cast<std::size_t>(p.k);
  const double mean = planted.expected.magnitude[i] / static_cast<double>(k);
  double best = 0;
  for (std::size_t at = 0; at < k; ++at) {
    const double term =
        planted.inputs[0].values[i / n * k + at] * planted.inputs[1].values[at * n + i % n];
    if (term != 0 &&
        (best == 0 || std::abs(std::abs(term) - mean) < std::abs(std::abs(best) - mean)))
      best = term;
  }
  return best;
}

void lose_term(const Planted& planted, std::span<float> d) {
  for (std::size_t i = d.size() / 2; i < d.size(); ++i) {
    const double term = typical_term(planted, i);
    if (term == 0) continue;
    d[i] = static_cast<float>(planted.expected.value[i] - term);
    return;
  }
  throw std::logic_error("selfcheck: no sum with a term");
}

/// The first element and its mirror image across the diagonal that differ.
void swap_indices(const Planted& planted, std::span<float> d) {
  const auto& p = planted.problem.as<MatmulProblem>();
  const auto n = static_cast<std::size_t>(p.n);
  for (std::size_t row = 0; row < static_cast<std::size_t>(p.m); ++row) {
    for (std::size_t col = row + 1; col < n && col < static_cast<std::size_t>(p.m); ++col) {
      if (d[row * n + col] == d[col * n + row]) continue;
      std::swap(d[row * n + col], d[col * n + row]);
      return;
    }
  }
  throw std::logic_error("selfcheck: a symmetric product");
}

void clear_tile(const Planted& planted, std::span<float> d) {
  constexpr std::size_t kTile = 16;
  const auto n = static_cast<std::size_t>(planted.problem.as<MatmulProblem>().n);
  for (std::size_t row = kTile; row < 2 * kTile; ++row)
    for (std::size_t col = kTile; col < 2 * kTile; ++col) d[row * n + col] = 0.0F;
}

void corrupt(Corruption corruption, const Planted& planted, std::span<float> d) {
  const std::size_t middle = d.size() / 2;
  const double value = planted.expected.value[middle];
  switch (corruption) {
    case Corruption::just_outside:
      d[middle] = just_outside(value, bound_at(planted, middle));
      return;
    case Corruption::just_inside:
      d[middle] = just_inside(value, bound_at(planted, middle));
      return;
    case Corruption::lost_term:
      return lose_term(planted, d);
    case Corruption::swapped_index:
      return swap_indices(planted, d);
    case Corruption::zero_tile:
      return clear_tile(planted, d);
    case Corruption::all_zero:
      return std::fill(d.begin(), d.end(), 0.0F);
    case Corruption::stale:
      for (std::size_t i = 0; i < d.size(); ++i)
        d[i] = static_cast<float>(planted.elsewhere.value[i]);
      return;
    case Corruption::nan:
      d[middle] = std::numeric_limits<float>::quiet_NaN();
      return;
  }
}

}  // namespace

Variant corrupted(const Variant& sound, Corruption corruption, Planted planted) {
  Variant variant = sound;
  const auto shared = std::make_shared<const Planted>(std::move(planted));
  variant.launch = [launch = sound.launch, corruption, shared](
                       const Problem& problem, const Config& config, const LaunchArgs& args) {
    launch(problem, config, args);
    const auto count = static_cast<std::size_t>(problem.tensor("d").elements());
    corrupt(corruption, *shared, {args.data<float>("d"), count});
  };
  return variant;
}

}  // namespace wm::selfcheck
