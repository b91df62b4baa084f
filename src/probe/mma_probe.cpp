#include "probe/mma_probe.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "probe/mma_confirm.hpp"
#include "probe/mma_inputs.hpp"
#include "tree/discover.hpp"

namespace wm {
namespace {

constexpr int kF32Fraction = 23;

/// Terms of one exponent whose sum has the leading bit `level` places above it: `count` products
/// factor^2 and an accumulator.
struct Carry {
  int count = 0;
  double factor = 1, accumulator = 1;
  bool possible = false;
};
Carry carry_to(int level, int products, const MmaFormat& format) {
  if (level == 0) return {0, 1, 1, true};
  if (level == 1) return {1, 1, 1, true};
  // Few bits where they suffice: what is looked for stands far below them.
  for (int bits = 1; bits <= std::min(format.precision - 1, 7); ++bits) {
    const double factor = 2 - std::ldexp(1.0, -bits);
    const double missing = std::ldexp(1.0, level) - factor;
    const int count = static_cast<int>(std::ceil(missing / (factor * factor)));
    if (count <= products) return {count, factor, factor, true};
  }
  return {};
}

/// The highest level that a group reaches.
int highest_carry(int products, const MmaFormat& format) {
  int level = 1;
  while (carry_to(level + 1, products, format).possible) ++level;
  return level;
}

/// Probes one operand, a feature after the other; each relies on those before.
class OperandProbe {
 public:
  OperandProbe(MmaOperand operand, const MultiplyTiles& multiply)
      : format_(mma_format(operand)), range_(product_range(format_)), multiply_(multiply) {
    found_.operand = operand;
  }

  ProbedOperand run() {
    find_groups();
    if (found_.explained() && !found_.ieee) find_alignment();
    if (found_.explained() && !found_.ieee) find_sum();
    if (found_.explained() && !found_.ieee) find_subnormals();
    return std::move(found_);
  }

 private:
  double result(const ChosenSum& sum) const {
    return chosen_sums(found_.operand, multiply_, {sum})[0];
  }
  double power(int exponent) const { return std::ldexp(1.0, exponent); }

  /// The tree over all products and the accumulator, the last leaf.
  void find_groups() {
    const int depth = mma_depth(found_.operand);
    // Below a mask by 23 bits, three for alignment, one for rounding to nearest, and its count.
    const int room = range_.largest - range_.smallest - (kF32Fraction + 3 + 2);
    SummationTree tree;
    try {
      const CountUnits count = [this](std::span<const MaskedSum> sums) { return units_left(sums); };
      tree = discover_tree(depth + 1, std::int64_t{1} << std::clamp(room, 0, 10), count);
    } catch (const NoTreeError& error) {
      found_.unexplained = error.what();
      return;
    }
    for (const int products : {1, 2, 4, 8, 16, 32}) {
      if (products > depth || tree_hash(tree) != tree_hash(grouped_tree(depth, products))) continue;
      found_.block.products = products;
      found_.ieee = products == 1;
      return;
    }
    found_.unexplained = "products are not summed in groups of neighbours: " + tree_text(tree);
  }

  static SummationTree grouped_tree(int depth, int products) {
    SummationTree tree;
    tree.leaves = depth + 1;
    std::int64_t sum = depth;
    for (int first = 0; first < depth; first += products) {
      std::vector<std::int64_t> children{sum};
      for (int k = first; k < first + products; ++k) children.push_back(k);
      tree.nodes.push_back(std::move(children));
      sum = tree.root();
    }
    return tree;
  }

  std::vector<std::int64_t> units_left(std::span<const MaskedSum> sums) const {
    const int depth = mma_depth(found_.operand);
    std::vector<ChosenSum> chosen;
    for (const MaskedSum& sum : sums) {
      std::vector<double> values(static_cast<std::size_t>(depth) + 1, 0.0);
      for (const std::int64_t unit : sum.units)
        values[static_cast<std::size_t>(unit)] = power(range_.smallest);
      values[static_cast<std::size_t>(sum.plus)] = power(range_.largest);
      values[static_cast<std::size_t>(sum.minus)] = -power(range_.largest);
      ChosenSum each;
      for (int k = 0; k < depth; ++k) {
        const double value = values[static_cast<std::size_t>(k)];
        if (value == 0)
          each.products.emplace_back(0, 0);
        else
          each.add(format_, std::ilogb(value), value < 0 ? -1 : 1);
      }
      each.c = values.back();
      chosen.push_back(std::move(each));
    }
    std::vector<std::int64_t> left;
    for (const double value : chosen_sums(found_.operand, multiply_, chosen)) {
      const double units = value / power(range_.smallest);
      const bool count = units == std::floor(units) && units >= 0 && units <= depth;
      left.push_back(count ? static_cast<std::int64_t>(units) : -1);
    }
    return left;
  }

  /// M - M + t: t survives as far as terms beside M reach.
  void find_alignment() {
    const int top = range_.largest;
    const auto beside_mask = [&](int exponent, double factor) {
      ChosenSum sum;
      sum.add(format_, top).add(format_, top, -1);
      if (found_.block.products > 2) return sum.add(format_, exponent, factor);
      sum.c = factor * power(exponent);
      return sum;
    };
    std::vector<ChosenSum> sums;
    for (int below = 1; below <= std::min(top - range_.smallest, 40); ++below)
      sums.push_back(beside_mask(top - below, 1));
    const std::vector<double> results = chosen_sums(found_.operand, multiply_, sums);
    int reach = 0;
    for (int below = 1; below <= static_cast<int>(results.size()); ++below)
      if (results[static_cast<std::size_t>(below - 1)] == power(top - below)) reach = below;
    found_.block.extra_bits = reach - kF32Fraction;
    if (reach < 2) {
      found_.unexplained = "terms beside a mask keep no bits";
      return;
    }
    const double last = power(top - reach);
    const double kept = result(beside_mask(top - reach, 1.75)) / last;
    const double negative = result(beside_mask(top - reach, -1.75)) / last;
    if (kept == 1 && negative == -1)
      found_.rules.terms = MmaRounding::truncate;
    else if (kept == 2 && negative == -2)
      found_.rules.terms = MmaRounding::nearest;
    else
      found_.unexplained = "terms of +-1.75 units in the last place become " +
                           std::to_string(kept) + " and " + std::to_string(negative);
  }

  /// Whether terms of exponent `top` whose sum has its leading bit at top + level, and `units`
  /// units of 2^(top - below), come out as that sum and `want` units.
  bool comes_out(int level, int below, double units, double want) const {
    const int top = range_.largest - 2;  // e4m3 has no 1.875 2^8
    const Carry carry = carry_to(level, found_.block.products, format_);
    ChosenSum sum;
    // In the last group: another would align the accumulator again.
    sum.products.assign(static_cast<std::size_t>(mma_depth(found_.operand) - found_.block.products),
                        {0, 0});
    sum.c = carry.accumulator * power(top);
    const double factor = carry.factor * power(top / 2);
    for (int k = 0; k < carry.count; ++k) sum.products.emplace_back(factor, factor);
    const double base =
        (carry.accumulator + carry.count * carry.factor * carry.factor) * power(top);
    // All products may be taken; the accumulator has bits to spare where it comes to carries.
    if (level == 0)
      sum.add(format_, top - below, units);
    else
      sum.c += units * power(top - below);
    return result(sum) == base + want * power(top - below);
  }

  /// A sum keeps a last bit until it has more fraction bits than the accumulator.
  void find_sum() {
    const int reach = kF32Fraction + found_.block.extra_bits;
    const int highest = highest_carry(found_.block.products, format_);
    int level = 0, below = reach;
    // Within the alignment first, then by carries beyond it.
    while (below > 1 && !comes_out(0, below, 1, 1)) --below;
    if (below == reach)
      while (level <= highest && comes_out(level, below, 1, 1)) ++level;
    else
      ++below;
    if (level > highest) return;  // always exact: nothing to see
    found_.block.fraction_bits = level + below - 1;
    // Three halves of a last place: to the even one above, or cut.
    const bool up = comes_out(level, below - 1, 1.5, 2);
    const bool down = comes_out(level, below - 1, 1.5, 1);
    if (up == down)
      found_.unexplained = "sums are rounded neither to nearest nor toward zero";
    else
      found_.rules.sum = up ? MmaRounding::nearest : MmaRounding::truncate;
  }

  /// A subnormal operand beside its negative: by which exponent are others aligned?
  void find_subnormals() {
    const int partner = std::min(format_.max_exponent - 1, 60);
    const std::pair<double, double> tiny{power(format_.min_exponent - 1), power(partner)};
    ChosenSum alone;
    alone.products = {tiny};
    if (result(alone) == 0) {
      found_.rules.subnormals = MmaSubnormals::flush;
      return;
    }
    // Representable beside an exponent one lower than that of the smallest normal number only.
    const int reach = kF32Fraction + found_.block.extra_bits;
    ChosenSum sum;
    sum.products = {tiny, {-tiny.first, tiny.second}};
    sum.c = power(format_.min_exponent - 1 + partner - reach);
    found_.rules.subnormals =
        result(sum) == sum.c ? MmaSubnormals::normalised : MmaSubnormals::minimum;
  }

  MmaFormat format_;
  ProductRange range_;
  const MultiplyTiles& multiply_;
  ProbedOperand found_;
};

bool is_fp8(MmaOperand operand) {
  return operand == MmaOperand::e4m3 || operand == MmaOperand::e5m2;
}

/// Tries what compilers do for a GPU without fp8 mma.sync; keeps the old findings where it does not
/// fit.
void try_f16(ProbedOperand& found, const ProbedOperand& f16, const MultiplyTiles& multiply) {
  ProbedOperand widened;
  widened.operand = found.operand;
  widened.by_f16 = true;
  // Two f16 multiplications and an addition: half the group size bounds their error.
  widened.block = f16.block;
  widened.block.products = std::max(1, f16.block.products / 2);
  MmaModel model = model_of_one(f16);
  model.fp8_by_f16 = true;
  confirm(widened, model, f16.rules, multiply);
  if (widened.explained()) found = widened;
}

}  // namespace

int mma_depth(MmaOperand operand) {
  switch (operand) {
    case MmaOperand::f16:
    case MmaOperand::bf16:
      return 16;
    case MmaOperand::tf32:
      return 8;
    case MmaOperand::e4m3:
    case MmaOperand::e5m2:
    case MmaOperand::s8:
      break;
  }
  return 32;
}

ProbedOperand canonical(ProbedOperand operand) {
  const int widest = kF32Fraction + operand.block.extra_bits +
                     highest_carry(operand.block.products, mma_format(operand.operand));
  if (widest <= operand.block.fraction_bits) {
    operand.block.fraction_bits = kF32Fraction;
    operand.rules.sum = MmaRounding::truncate;
  }
  return operand;
}

ProbedOperand probe_operand(MmaOperand operand, const MultiplyTiles& multiply) {
  ProbedOperand found = OperandProbe(operand, multiply).run();
  if (found.explained()) confirm(found, model_of_one(found), found.rules, multiply);
  return canonical(std::move(found));
}

std::vector<ProbedOperand> probe_mma(const std::function<bool(MmaOperand)>& has,
                                     const MultiplyTiles& multiply) {
  std::vector<ProbedOperand> all;
  for (const MmaOperand operand :
       {MmaOperand::f16, MmaOperand::bf16, MmaOperand::tf32, MmaOperand::e4m3, MmaOperand::e5m2}) {
    if (!has(operand)) continue;
    all.push_back(probe_operand(operand, multiply));
    const bool f16 = all.front().operand == MmaOperand::f16 && all.front().explained();
    if (!all.back().explained() && is_fp8(operand) && f16)
      try_f16(all.back(), all.front(), multiply);
  }
  return all;
}

OwnMmaModel model_of(const std::vector<ProbedOperand>& operands, std::string name,
                     std::string device) {
  OwnMmaModel model;
  model.name = std::move(name);
  model.device = std::move(device);
  model.model.ieee = !operands.empty();
  for (const ProbedOperand& operand : operands) {
    model.model.ieee = model.model.ieee && operand.ieee;
    if (!operand.explained() || operand.ieee) continue;
    const auto at = static_cast<std::size_t>(operand.operand);
    model.model.blocks[at] = operand.block;
    model.rules[at] = operand.rules;
    model.model.fp8_by_f16 = model.model.fp8_by_f16 || operand.by_f16;
  }
  return model;
}

}  // namespace wm
