#include "tree/linear_sum.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "ops/conv.hpp"
#include "ops/matmul.hpp"

namespace wm {
namespace {

/// Taps, outputs and inputs that meet along one spatial dimension.
struct Meeting {
  std::int64_t tap, out, in;
};

/// All meetings at the fixed coordinate (of an output, an input or a tap) that has the most of
/// them, the first of those.
std::vector<Meeting> longest(const ConvProblem& p, std::size_t dim) {
  const std::int64_t taps = p.filter[dim];
  const auto fixed = [&](const Meeting& m) {
    return p.direction == ConvDirection::fwd
               ? m.out
               : (p.direction == ConvDirection::bwd_data ? m.in : m.tap);
  };
  const std::int64_t count = p.direction == ConvDirection::fwd        ? p.out[dim]
                             : p.direction == ConvDirection::bwd_data ? p.in[dim]
                                                                      : taps;
  std::vector<std::vector<Meeting>> at(static_cast<std::size_t>(count));
  for (std::int64_t out = 0; out < p.out[dim]; ++out)
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      const std::int64_t in = out * p.stride[dim] + tap * p.dilation[dim] - p.pad_begin[dim];
      if (in < 0 || in >= p.in[dim]) continue;
      const Meeting meeting{p.flip ? taps - 1 - tap : tap, out, in};
      at[static_cast<std::size_t>(fixed(meeting))].push_back(meeting);
    }
  std::vector<Meeting> best;
  for (auto& meetings : at)
    if (meetings.size() > best.size()) best = std::move(meetings);
  return best;
}

using Spatial = std::array<std::vector<Meeting>, 3>;

/// The meeting of dimension `dim` at position `index` of their product.
const Meeting& meeting_of(const Spatial& spatial, std::int64_t index, std::size_t dim) {
  for (std::size_t inner = 2; inner > dim; --inner)
    index /= static_cast<std::int64_t>(spatial[inner].size());
  return spatial[dim]
                [static_cast<std::size_t>(index % static_cast<std::int64_t>(spatial[dim].size()))];
}

/// Logical offset of a spatial position: `coordinate` of each meeting in an array of `sizes`.
template <class Coordinate>
std::int64_t position(const Spatial& spatial, std::int64_t index,
                      const std::array<std::int64_t, 3>& sizes, Coordinate&& coordinate) {
  std::int64_t at = 0;
  for (std::size_t dim = 0; dim < 3; ++dim)
    at = at * sizes[dim] + coordinate(meeting_of(spatial, index, dim));
  return at;
}

std::int64_t volume(const std::array<std::int64_t, 3>& sizes) {
  return sizes[0] * sizes[1] * sizes[2];
}

constexpr auto kTap = [](const Meeting& m) { return m.tap; };
constexpr auto kOut = [](const Meeting& m) { return m.out; };
constexpr auto kIn = [](const Meeting& m) { return m.in; };

/// y[n,k,...]: leaves (c, taps) of w[k], lanes k, replicas n.
void describe_forward(const ConvProblem& p, const Spatial& spatial, std::int64_t meetings,
                      LinearSum& sum) {
  sum.carrier = "w", sum.constant = "x", sum.output = "y", sum.leaf_axes = "c,t,r,s";
  sum.leaves = p.c_per_group() * meetings, sum.lanes = p.k, sum.replicas = p.n;
  sum.element = [=](std::int64_t k, std::int64_t leaf) {
    return (k * p.c_per_group() + leaf / meetings) * volume(p.filter) +
           position(spatial, leaf % meetings, p.filter, kTap);
  };
  sum.result = [=](std::int64_t k, std::int64_t n) {
    return (n * p.k + k) * volume(p.out) + position(spatial, 0, p.out, kOut);
  };
}

/// dx[n,c,...]: leaves (k, taps) of w[k,c], lanes c, replicas n.
void describe_data(const ConvProblem& p, const Spatial& spatial, std::int64_t meetings,
                   LinearSum& sum) {
  sum.carrier = "w", sum.constant = "dy", sum.output = "dx", sum.leaf_axes = "k,t,r,s";
  sum.leaves = p.k_per_group() * meetings, sum.lanes = p.c, sum.replicas = p.n;
  sum.element = [=](std::int64_t c, std::int64_t leaf) {
    const std::int64_t k = c / p.c_per_group() * p.k_per_group() + leaf / meetings;
    return (k * p.c_per_group() + c % p.c_per_group()) * volume(p.filter) +
           position(spatial, leaf % meetings, p.filter, kTap);
  };
  sum.result = [=](std::int64_t c, std::int64_t n) {
    return (n * p.c + c) * volume(p.in) + position(spatial, 0, p.in, kIn);
  };
}

/// dw[k,c,...]: leaves (n, outputs) of dy[n,k], lanes k, replicas the channels of the group.
void describe_filter(const ConvProblem& p, const Spatial& spatial, std::int64_t meetings,
                     LinearSum& sum) {
  sum.carrier = "dy", sum.constant = "x", sum.output = "dw", sum.leaf_axes = "n,o,p,q";
  sum.leaves = p.n * meetings, sum.lanes = p.k, sum.replicas = p.c_per_group();
  sum.element = [=](std::int64_t k, std::int64_t leaf) {
    return (leaf / meetings * p.k + k) * volume(p.out) +
           position(spatial, leaf % meetings, p.out, kOut);
  };
  sum.result = [=](std::int64_t k, std::int64_t c) {
    return (k * p.c_per_group() + c) * volume(p.filter) + position(spatial, 0, p.filter, kTap);
  };
}

LinearSum conv_sum(const ConvProblem& p) {
  Spatial spatial;
  std::int64_t meetings = 1;
  for (std::size_t dim = 0; dim < 3; ++dim) {
    spatial[dim] = longest(p, dim);
    meetings *= static_cast<std::int64_t>(spatial[dim].size());
  }
  LinearSum sum;
  if (p.direction == ConvDirection::fwd)
    describe_forward(p, spatial, meetings, sum);
  else if (p.direction == ConvDirection::bwd_data)
    describe_data(p, spatial, meetings, sum);
  else
    describe_filter(p, spatial, meetings, sum);
  return sum;
}

/// Rows of a or columns of b carry, whichever are more.
LinearSum matmul_sum(const MatmulProblem& p) {
  LinearSum sum;
  const bool rows = p.m >= p.n;
  sum.carrier = rows ? "a" : "b", sum.constant = rows ? "b" : "a";
  sum.output = "d", sum.leaf_axes = "k";
  sum.leaves = p.k, sum.lanes = p.batch * (rows ? p.m : p.n), sum.replicas = rows ? p.n : p.m;
  const std::int64_t lines = rows ? p.m : p.n;
  const bool along_k = rows ? !p.transpose_a : p.transpose_b;
  sum.element = [=, k = p.k](std::int64_t lane, std::int64_t leaf) {
    const std::int64_t batch = lane / lines, line = lane % lines;
    return batch * lines * k + (along_k ? line * k + leaf : leaf * lines + line);
  };
  sum.result = [=, m = p.m, n = p.n](std::int64_t lane, std::int64_t replica) {
    const std::int64_t batch = lane / lines, line = lane % lines;
    return batch * m * n + (rows ? line * n + replica : replica * n + line);
  };
  return sum;
}

std::string why_not_plain(double alpha, double beta, bool epilogue) {
  if (alpha != 1) return "alpha=" + format_real(alpha) + ": only alpha=1 leaves the sum as it is";
  if (beta != 0) return "beta=" + format_real(beta) + ": only beta=0 leaves the sum as it is";
  return epilogue ? "a fused epilogue changes the sum: only plain products have a tree" : "";
}

int exponent_of(double power) { return std::ilogb(power); }

}  // namespace

std::string why_no_tree(const Problem& problem, const Claims& claims) {
  const std::string& family = problem.op->family;
  if (family != "matmul" && family != "conv")
    return problem.op->name + " is not linear: it has no tree of products";
  if (!claims.error_formula.empty())
    return "no single tree: transform (" + claims.error_formula + ")";
  if (!info(claims.acc).floating)
    return "accumulation in " + std::string(name_of(claims.acc)) +
           " is exact: every order gives the same sum";
  if (info(problem.dtypes.in).bytes < 2 || info(problem.dtypes.weights).bytes < 2)
    return "operands of 8 bits cannot hold masks that their own units vanish beside";
  std::string why_not;
  if (family == "matmul") {
    const auto& p = problem.as<MatmulProblem>();
    why_not = why_not_plain(p.alpha, p.beta, p.bias || p.act != ActivationFn::identity);
  } else {
    const auto& p = problem.as<ConvProblem>();
    why_not = why_not_plain(p.alpha, p.beta,
                            p.bias || p.act != ActivationFn::identity || p.residual != 0);
  }
  if (why_not.empty() && problem.empty_output()) why_not = "the output has no elements";
  return why_not;
}

LinearSum linear_sum(const Problem& problem) {
  return problem.op->family == "matmul" ? matmul_sum(problem.as<MatmulProblem>())
                                        : conv_sum(problem.as<ConvProblem>());
}

MaskScale mask_scale(DType carrier, DType acc, DType out) {
  // Bits by which units must lie below a mask: those of the accumulation type, one for rounding to
  // nearest, and three for tensor cores that align with more.
  const int vanish = info(acc).precision + 4;
  MaskScale scale;
  if (carrier == DType::f16) {
    scale.mask = 0x1p15;
    scale.unit = 0x1p-24;     // its smallest subnormal
    scale.constant = 0x1p10;  // products then are normal numbers of f16 as well
  } else {
    scale.mask = carrier == DType::f64 ? 0x1p300 : 0x1p100;
    scale.unit = 1;
  }
  const int room = exponent_of(scale.mask) - exponent_of(scale.unit) - vanish;
  const int countable = std::min(info(out).precision, info(acc).precision);
  scale.most_units = std::int64_t{1} << std::min({room, countable, 40});
  return scale;
}

std::vector<double> carrier_values(const LinearSum& sum, std::int64_t elements,
                                   const MaskScale& scale, std::span<const MaskedSum> sums) {
  std::vector<double> values(static_cast<std::size_t>(elements), 0.0);
  for (std::int64_t lane = 0; lane < sum.lanes; ++lane) {
    const MaskedSum& own = sums[static_cast<std::size_t>(lane) % sums.size()];
    const auto put = [&](std::int64_t leaf, double value) {
      values[static_cast<std::size_t>(sum.element(lane, leaf))] = value;
    };
    for (const std::int64_t leaf : own.units) put(leaf, scale.unit);
    put(own.plus, scale.mask);
    put(own.minus, -scale.mask);
  }
  return values;
}

std::vector<std::int64_t> units_left(const LinearSum& sum, const std::vector<double>& output,
                                     const MaskScale& scale, std::span<const MaskedSum> sums) {
  const double unit = scale.unit * scale.constant;
  std::vector<std::int64_t> left;
  for (std::int64_t lane = 0; lane < sum.lanes; ++lane) {
    const auto number = static_cast<std::size_t>(lane) % sums.size();
    for (std::int64_t replica = 0; replica < sum.replicas; ++replica) {
      const double value = output[static_cast<std::size_t>(sum.result(lane, replica))] / unit;
      if (!(value >= 0 && value <= static_cast<double>(sums[number].units.size())) ||
          value != std::floor(value))
        throw NoTreeError("no tree of additions: " + format_real(value) + " units are left of " +
                          std::to_string(sums[number].unit_count()));
      const auto count = static_cast<std::int64_t>(value);
      if (left.size() <= number) left.push_back(count);
      if (left[number] != count)
        throw NoTreeError("outputs do not share one tree: " + std::to_string(left[number]) +
                          " and " + std::to_string(count) + " units are left of equal sums");
    }
  }
  return left;
}

}  // namespace wm
