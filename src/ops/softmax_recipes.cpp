// Exact rows. Forward: a window of 2^j elements (cyclic, at a random place) equals v and the others
// are -inf or at most v - 1024. exp(-1024) is 0 in every type, so the sum is 2^j and y is 2^-j in
// the window and 0 outside, in any order of summation. j = 0 (one-hot) for log, where log(1) = 0
// gives y = x - v: 0, -inf, or the integer x - v. v = 0 for `fast`, which takes exp(v) itself. v
// and the distances are multiples of 8, exact in bf16 too. Backward: y is such an output and dy
// integers. dx = 2^-j (dy - 2^-j sum dy) needs j + 4 bits in the window and is 0 outside; log: dx =
// dy - sum dy at the one hot element and dy elsewhere, with sum |dy| kept exact by range, then by
// zeros. The ranges of values come from the problem alone, so that each row is as exact as the
// worst.
#include "ops/softmax_recipes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/rng.hpp"
#include "ops/recipes.hpp"

namespace wm {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kGradientBits = 4;

/// Largest j: at most the row, normal in f16, and with room for the gradient's bits.
int largest_window(const SoftmaxProblem& softmax, DType acc) {
  if (softmax.kind == SoftmaxKind::log) return 0;
  const int row = std::ilogb(static_cast<double>(softmax.length()));
  return std::min({row, 14, info(acc).precision - kGradientBits});
}

struct Row {
  std::int64_t start = 0;   ///< first element of the window
  std::int64_t window = 1;  ///< 2^j
  double value = 0;         ///< v
};

Row draw_row(const Random& random, const SoftmaxProblem& softmax, DType acc, std::int64_t row) {
  const auto at = static_cast<std::uint64_t>(row) * 3;
  Row result;
  result.start = random.integer(at, 0, softmax.length() - 1);
  result.window = std::int64_t{1} << random.integer(at + 1, 0, largest_window(softmax, acc));
  result.value = 8.0 * static_cast<double>(random.integer(at + 2, -8, 8));
  return result;
}

/// -inf, or 1024 + 8 t below the window.
double outside(const Random& random, std::uint64_t index, double value) {
  const std::int64_t drawn = random.integer(index, 0, 31);
  return drawn < 16 ? -kInfinity : value - 1024.0 - 8.0 * static_cast<double>(drawn - 16);
}

/// How far dy may go under log: (length + 1) terms of it are summed.
struct GradientRange {
  std::int64_t max = 4;
  std::int64_t period = 1;
};

GradientRange gradient_range(const Problem& problem) {
  const auto& softmax = problem.as<SoftmaxProblem>();
  if (softmax.kind != SoftmaxKind::log) return {};
  const double limit = std::floor(
      std::min(std::ldexp(1.0, info(problem.acc).precision), info(problem.dtypes.in).max_finite));
  const double terms = static_cast<double>(softmax.length()) + 1;
  GradientRange range;
  range.max = static_cast<std::int64_t>(std::clamp(limit / terms, 1.0, 4.0));
  // One term more than the row has is set aside for dy itself in dy - sum dy.
  range.period =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(terms / (limit - 1))));
  return range;
}

void fill_gradient(const Problem& problem, const FillRequest& request, const TensorDesc& tensor,
                   std::span<double> values) {
  const auto& softmax = problem.as<SoftmaxProblem>();
  const GradientRange range = gradient_range(problem);
  const Random random(request.seed, stream_of(tensor.name));
  const Random phases(request.seed, stream_of(tensor.name + ".phase"));
  for (std::int64_t row = 0; row < softmax.rows(); ++row) {
    const std::int64_t phase = phases.integer(static_cast<std::uint64_t>(row), 0, range.period - 1);
    for (std::int64_t i = 0; i < softmax.length(); ++i) {
      const auto at = static_cast<std::size_t>(softmax_index(softmax, row, i));
      const std::int64_t drawn = random.integer(at, 1, 2 * range.max);
      const bool kept = (i + phase) % range.period == 0;
      values[at] = static_cast<double>(!kept ? 0 : drawn <= range.max ? drawn : range.max - drawn);
    }
  }
}

}  // namespace

std::int64_t softmax_index(const SoftmaxProblem& softmax, std::int64_t row, std::int64_t position) {
  if (softmax.instance) return row * softmax.length() + position;
  const std::int64_t area = softmax.h * softmax.w;
  return (row / area * softmax.c + position) * area + row % area;
}

std::string softmax_why_not_exact(const Problem& problem) {
  for (const DType dtype : {problem.dtypes.in, problem.dtypes.out}) {
    if (dtype != DType::e4m3 && dtype != DType::e5m2) continue;
    return "no exact recipe: " + std::string(name_of(dtype)) + " saturates instead of holding -inf";
  }
  return {};
}

void fill_softmax_exact(const Problem& problem, const FillRequest& request,
                        const TensorDesc& tensor, std::span<double> values) {
  if (tensor.name == "dy") return fill_gradient(problem, request, tensor, values);
  const auto& softmax = problem.as<SoftmaxProblem>();
  const bool probabilities = softmax.backward && softmax.kind != SoftmaxKind::log;
  const bool zero = softmax.backward || softmax.kind == SoftmaxKind::fast;
  const Random rows(request.seed, stream_of(tensor.name + ".row"));
  const Random random(request.seed, stream_of(tensor.name));
  for (std::int64_t row = 0; row < softmax.rows(); ++row) {
    const Row drawn = draw_row(rows, softmax, problem.acc, row);
    const double value = zero ? 0 : drawn.value;
    for (std::int64_t i = 0; i < softmax.length(); ++i) {
      const auto at = static_cast<std::size_t>(softmax_index(softmax, row, i));
      const std::int64_t distance = (i - drawn.start + softmax.length()) % softmax.length();
      const bool inside = distance < drawn.window;
      values[at] = probabilities ? (inside ? 1.0 / static_cast<double>(drawn.window) : 0.0)
                   : inside      ? value
                                 : outside(random, at, value);
    }
  }
}

void fill_softmax_output(const Problem& problem, const FillRequest& request,
                         const TensorDesc& tensor, std::span<double> values) {
  // No exp or log: their last bits depend on the C library, and recipes must not.
  const auto& softmax = problem.as<SoftmaxProblem>();
  const Random random(request.seed, stream_of(tensor.name));
  const double shift = 0.6931471805599453 * std::ilogb(static_cast<double>(softmax.length()));
  const auto index = [&](std::int64_t row, std::int64_t i) {
    return static_cast<std::size_t>(softmax_index(softmax, row, i));
  };
  for (std::int64_t row = 0; row < softmax.rows(); ++row) {
    double sum = 0;
    for (std::int64_t i = 0; i < softmax.length(); ++i) {
      const std::size_t at = index(row, i);
      const bool log = softmax.kind == SoftmaxKind::log;
      values[at] = log ? -std::abs(random.normal(at)) - shift : random.uniform(at) + 0x1p-10;
      sum += values[at];
    }
    for (std::int64_t i = 0; i < softmax.length(); ++i) {
      double& value = values[index(row, i)];
      value = round_to(tensor.dtype, softmax.kind == SoftmaxKind::log ? value : value / sum);
    }
  }
}

}  // namespace wm
