#include "emu/mma_models.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/float_types.hpp"

namespace wm::emu {
namespace {

constexpr int kRows = 16, kCols = 8, kMaxDepth = 32;
constexpr std::uint32_t kNan = 0x7fffffffU;
/// Exponent of a zero: below every sum of exponents, far enough for sums of two.
constexpr int kZeroExponent = -(1 << 20);

using RowsOfA = std::array<std::array<float, kMaxDepth>, kRows>;
using RowsOfB = std::array<std::array<float, kCols>, kMaxDepth>;
using Accumulators = std::array<std::array<float, kCols>, kRows>;

template <class Row>
void decode_row(MmaOperand operand, const Row& bits, int count, float* values) {
  const auto each = [&](auto&& convert) {
    for (int i = 0; i < count; ++i) values[i] = convert(bits[static_cast<std::size_t>(i)]);
  };
  switch (operand) {
    case MmaOperand::f16:
      return each([](std::uint32_t x) { return f16_value(static_cast<std::uint16_t>(x)); });
    case MmaOperand::bf16:
      return each([](std::uint32_t x) { return bf16_value(static_cast<std::uint16_t>(x)); });
    case MmaOperand::tf32:  // the low 13 bits are not read
      return each([](std::uint32_t x) { return std::bit_cast<float>(x & 0xffffe000U); });
    case MmaOperand::e4m3:
      return each([](std::uint32_t x) { return e4m3_value(static_cast<std::uint8_t>(x)); });
    case MmaOperand::e5m2:
      return each([](std::uint32_t x) { return e5m2_value(static_cast<std::uint8_t>(x)); });
    case MmaOperand::s8:
      break;
  }
}

struct Values {
  int depth;
  RowsOfA a;
  RowsOfB b;
  Accumulators c;
};

void decode(MmaOperand operand, const MmaMatrices& from, Values& to) {
  to.depth = from.depth;
  for (int i = 0; i < kRows; ++i) decode_row(operand, from.a[i], from.depth, to.a[i].data());
  for (int k = 0; k < from.depth; ++k) decode_row(operand, from.b[k], kCols, to.b[k].data());
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kCols; ++j) to.c[i][j] = std::bit_cast<float>(from.c[i][j]);
}

void encode(const Accumulators& from, MmaMatrices& to) {
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kCols; ++j) {
      const std::uint32_t bits = std::bit_cast<std::uint32_t>(from[i][j]);
      to.c[i][j] = from[i][j] != from[i][j] ? kNan : bits;
    }
}

void fma_chain(Values& v) {
  for (int i = 0; i < kRows; ++i)
    for (int k = 0; k < v.depth; ++k)
      for (int j = 0; j < kCols; ++j) v.c[i][j] = __builtin_fmaf(v.a[i][k], v.b[k][j], v.c[i][j]);
}

/// value = significand 2^(exponent - fraction bits of the format); not normalised below its
/// smallest normal number.
struct Parts {
  std::int32_t significand, exponent;
};
inline Parts parts_of(float value, const MmaFormat& format) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const int biased = static_cast<int>(bits >> 23 & 0xffU);
  const int own = std::max(biased, 1) - 127;
  const int exponent = std::max(own, format.min_exponent);
  const int hidden = biased > 0 ? 1 << 23 : 0;
  const int magnitude = static_cast<int>(bits & 0x7fffffU) | hidden;
  const int shift = std::min(24 - format.precision + exponent - own, 31);
  const int significand = magnitude >> shift;
  return {static_cast<std::int32_t>(bits >> 31) != 0 ? -significand : significand,
          magnitude == 0 ? kZeroExponent : exponent};
}

/// Significands and exponents, columns of b and c side by side.
struct Decomposed {
  std::array<std::array<std::int32_t, kMaxDepth>, kRows> a, a_exponent;
  std::array<std::array<std::int32_t, kCols>, kMaxDepth> b, b_exponent;
};

void decompose(const Values& v, const MmaFormat& format, Decomposed& d) {
  for (int i = 0; i < kRows; ++i)
    for (int k = 0; k < v.depth; ++k) {
      const Parts parts = parts_of(v.a[i][k], format);
      d.a[i][k] = parts.significand;
      d.a_exponent[i][k] = parts.exponent;
    }
  for (int k = 0; k < v.depth; ++k)
    for (int j = 0; j < kCols; ++j) {
      const Parts parts = parts_of(v.b[k][j], format);
      d.b[k][j] = parts.significand;
      d.b_exponent[k][j] = parts.exponent;
    }
}

/// magnitude >> shift with the sign put back: cut toward zero.
inline std::int32_t cut(std::int32_t value, int left, int right) {
  const std::uint32_t magnitude = static_cast<std::uint32_t>(value < 0 ? -value : value);
  const std::int32_t kept = static_cast<std::int32_t>(magnitude << left >> std::min(right, 31));
  return value < 0 ? -kept : kept;
}

/// 2^exponent, -1022 to 1023.
inline double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

/// sum 2^scale cut toward zero to `fraction_bits` bits after the leading one, or to the spacing of
/// f32's subnormals.
float cut_to_float(std::int64_t sum, int scale, int fraction_bits) {
  const double exact = static_cast<double>(sum) * power_of_two(scale);
  const std::uint64_t mask = ~std::uint64_t{0} << (52 - fraction_bits);
  const double kept = std::bit_cast<double>(std::bit_cast<std::uint64_t>(exact) & mask);
  if (std::fabs(kept) >= 0x1p-126) return static_cast<float>(kept);
  return static_cast<float>(std::trunc(exact * 0x1p149) * 0x1p-149);
}

/// Adds the products k0 <= k < k1 of row i to its eight accumulators as one group.
void add_group(const Decomposed& d, int i, int k0, int k1, const MmaFormat& format,
               const MmaBlock& block, std::array<float, kCols>& c) {
  constexpr MmaFormat kF32{24, -126, 127};
  const int fraction = 23 + block.extra_bits;
  std::array<std::int32_t, kCols> top, part, exponent;
  for (int j = 0; j < kCols; ++j) {
    const Parts parts = parts_of(c[j], kF32);
    part[j] = parts.significand;
    exponent[j] = parts.exponent;
    top[j] = std::max(parts.exponent, -126);
  }
  for (int k = k0; k < k1; ++k)
    for (int j = 0; j < kCols; ++j)
      top[j] = std::max(top[j], d.a_exponent[i][k] + d.b_exponent[k][j]);
  std::array<std::int64_t, kCols> sum;
  const int widen = std::max(fraction - 23, 0), narrow = std::max(23 - fraction, 0);
  for (int j = 0; j < kCols; ++j) sum[j] = cut(part[j], widen, narrow + top[j] - exponent[j]);
  const int left = fraction - 2 * (format.precision - 1);
  for (int k = k0; k < k1; ++k) {
    std::array<std::int32_t, kCols> term;
    for (int j = 0; j < kCols; ++j)
      term[j] =
          cut(d.a[i][k] * d.b[k][j], left, top[j] - (d.a_exponent[i][k] + d.b_exponent[k][j]));
    for (int j = 0; j < kCols; ++j) sum[j] += term[j];
  }
  for (int j = 0; j < kCols; ++j)
    c[j] = cut_to_float(sum[j], top[j] - fraction, block.fraction_bits);
}

/// Elements with other terms are the business of add_specials.
bool finite(float value) { return std::fabs(value) <= 0x1.fffffep127F; }

double rounded(double value, MmaRounding rounding) {
  return rounding == MmaRounding::nearest ? std::nearbyint(value) : std::trunc(value);
}

/// A number as significand 2^exponent, the significand in [1, 2) or, by the rules for subnormals,
/// below.
struct Scaled {
  double significand;
  int exponent;
};
Scaled scaled(float value, const MmaFormat& format, MmaSubnormals subnormals) {
  if (value == 0 || !finite(value)) return {0, kZeroExponent};
  const int own = std::ilogb(value);
  if (own < format.min_exponent && subnormals == MmaSubnormals::flush) return {0, kZeroExponent};
  const bool keeps = subnormals == MmaSubnormals::minimum;
  const int exponent = keeps ? std::max(own, format.min_exponent) : own;
  return {double{value} * power_of_two(-exponent), exponent};
}

/// `exact` rounded to `fraction_bits` bits after the leading one, or to the spacing of f32's
/// subnormals.
float round_to_float(double exact, int fraction_bits, MmaRounding rounding) {
  if (exact == 0) return 0;
  const int exponent = std::ilogb(exact);
  const int last = exponent < -126 ? -149 : exponent - fraction_bits;
  return static_cast<float>(rounded(exact * power_of_two(-last), rounding) * power_of_two(last));
}

/// One element of add_group under any rules.
float add_terms(const Values& v, int i, int j, int k0, int k1, const MmaFormat& format,
                const MmaBlock& block, const MmaRules& rules) {
  constexpr MmaFormat kF32{24, -126, 127};
  const int fraction = 23 + block.extra_bits;
  std::array<Scaled, kMaxDepth + 1> terms;
  int count = 0, top = -126;
  terms[count++] = scaled(v.c[i][j], kF32, MmaSubnormals::minimum);
  for (int k = k0; k < k1; ++k) {
    const Scaled a = scaled(v.a[i][k], format, rules.subnormals);
    const Scaled b = scaled(v.b[k][j], format, rules.subnormals);
    terms[count++] = {a.significand * b.significand, a.exponent + b.exponent};
  }
  for (int t = 0; t < count; ++t) top = std::max(top, terms[t].exponent);
  double sum = 0;
  for (int t = 0; t < count; ++t) {
    if (terms[t].significand == 0) continue;
    sum += rounded(terms[t].significand * power_of_two(fraction - top + terms[t].exponent),
                   rules.terms);
  }
  return round_to_float(sum * power_of_two(top - fraction), block.fraction_bits, rules.sum);
}

/// Elements with an infinite or NaN term are what f64 gives: NaN or an infinity.
void add_specials(const Values& v, const Accumulators& before, Accumulators& c) {
  std::array<bool, kRows> row{};
  std::array<bool, kCols> col{};
  for (int k = 0; k < v.depth; ++k) {
    for (int i = 0; i < kRows; ++i) row[i] = row[i] || !finite(v.a[i][k]);
    for (int j = 0; j < kCols; ++j) col[j] = col[j] || !finite(v.b[k][j]);
  }
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kCols; ++j) {
      if (!row[i] && !col[j] && finite(before[i][j])) continue;
      double sum = before[i][j];
      for (int k = 0; k < v.depth; ++k) sum += double{v.a[i][k]} * double{v.b[k][j]};
      c[i][j] = static_cast<float>(sum);
    }
}

/// Under the rules of the published models, which are the fast path, or others.
void add_blocks(Values& v, const MmaFormat& format, const MmaBlock& block, const MmaRules& rules) {
  const Accumulators before = v.c;
  const bool usual = rules == MmaRules{} && block.extra_bits >= 2 * (format.precision - 1) - 23;
  Decomposed d;
  if (usual) decompose(v, format, d);
  for (int k0 = 0; k0 < v.depth; k0 += block.products) {
    const int k1 = std::min(k0 + block.products, v.depth);
    for (int i = 0; i < kRows; ++i) {
      if (usual) {
        add_group(d, i, k0, k1, format, block, v.c[i]);
        continue;
      }
      for (int j = 0; j < kCols; ++j) v.c[i][j] = add_terms(v, i, j, k0, k1, format, block, rules);
    }
  }
  add_specials(v, before, v.c);
}

/// What compilers make of an fp8 mma.sync for devices without one: the first two operands of every
/// register, widened to f16, are one m16n8k16, the other two the next, from zero; the accumulator
/// is added last, rounded to nearest.
void add_fp8_by_f16(Values& v, const MmaModel& model, const MmaRules& rules) {
  Values wide;
  wide.depth = v.depth;
  wide.c = {};
  for (int k = 0; k < v.depth; ++k) {
    const int half = k % 4 / 2;
    const int to = half * v.depth / 2 + k / 4 * 2 + k % 2;
    for (int i = 0; i < kRows; ++i) wide.a[i][to] = v.a[i][k];
    wide.b[to] = v.b[k];
  }
  add_blocks(wide, mma_format(MmaOperand::f16), model.block(MmaOperand::f16), rules);
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kCols; ++j) v.c[i][j] += wide.c[i][j];
}

bool is_fp8(MmaOperand operand) {
  return operand == MmaOperand::e4m3 || operand == MmaOperand::e5m2;
}

void multiply_integers(MmaMatrices& m) {
  for (int i = 0; i < kRows; ++i)
    for (int k = 0; k < m.depth; ++k)
      for (int j = 0; j < kCols; ++j) {
        const int a = static_cast<std::int8_t>(m.a[i][k]), b = static_cast<std::int8_t>(m.b[k][j]);
        m.c[i][j] += static_cast<std::uint32_t>(a * b);
      }
}

}  // namespace

bool has_mma(const MmaModel& model, MmaOperand operand) {
  return model.ieee || operand == MmaOperand::s8 || model.block(operand).published();
}

void multiply_accumulate(const MmaModel& model, MmaOperand operand, MmaMatrices& matrices) {
  const bool widened = is_fp8(operand) && model.fp8_by_f16;
  multiply_accumulate(model, mma_rules(model, widened ? MmaOperand::f16 : operand), operand,
                      matrices);
}

void multiply_accumulate(const MmaModel& model, const MmaRules& rules, MmaOperand operand,
                         MmaMatrices& matrices) {
  if (operand == MmaOperand::s8) return multiply_integers(matrices);
  Values values;
  decode(operand, matrices, values);
  if (model.ieee)
    fma_chain(values);
  else if (is_fp8(operand) && model.fp8_by_f16)
    add_fp8_by_f16(values, model, rules);
  else
    add_blocks(values, mma_format(operand), model.block(operand), rules);
  encode(values.c, matrices);
}

}  // namespace wm::emu
