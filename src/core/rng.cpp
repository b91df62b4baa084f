#include "core/rng.hpp"

#include <bit>
#include <cmath>
#include <string>

#include "core/error.hpp"

namespace wm {
namespace {

constexpr std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
constexpr std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }
constexpr std::uint64_t join_words(std::uint32_t upper, std::uint32_t lower) {
  return (static_cast<std::uint64_t>(upper) << 32) | lower;
}

std::array<std::uint32_t, 4> philox_rounds(std::array<std::uint32_t, 4> counter,
                                           std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53U} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57U} * counter[2];
    counter = {high(b) ^ counter[1] ^ key[0], low(b), high(a) ^ counter[3] ^ key[1], low(a)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return counter;
}

/// The upper 53 bits as a multiple of 2^-53 in [0, 1).
double unit_interval(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

/// Natural logarithm of a normal number in (0, 1], within an ulp: fdlibm's e_log.c polynomial.
double log_unit(double x) {
  constexpr std::uint64_t kSqrtHalf = 0x3fe6a09e667f3bcdU;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const std::int64_t exponent = static_cast<std::int64_t>(bits - kSqrtHalf) >> 52;
  const double k = static_cast<double>(exponent);
  const double f = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(exponent) << 52)) - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  double r = 1.479819860511658591e-01;
  r = std::fma(r, z, 1.531383769920937332e-01);
  r = std::fma(r, z, 1.818357216161805012e-01);
  r = std::fma(r, z, 2.222219843214978396e-01);
  r = std::fma(r, z, 2.857142874366239149e-01);
  r = std::fma(r, z, 3.999999999940941908e-01);
  r = std::fma(r, z, 6.666666666666735130e-01);
  const double half_square = 0.5 * f * f;
  const double tail = std::fma(s, std::fma(r, z, half_square), k * 1.90821492927058770002e-10);
  return std::fma(k, 6.93147180369123816490e-01, f - (half_square - tail));
}

/// cos(2 pi turn) for turn in [0, 1): fdlibm's k_sin.c and k_cos.c polynomials on a quarter turn.
double cos_turn(double turn) {
  const double quarters = 4.0 * turn;
  const auto quadrant = static_cast<std::int32_t>(quarters + 0.5);
  const double x = (quarters - static_cast<double>(quadrant)) * 1.57079632679489661923;
  const double z = x * x;
  double s = 1.58969099521155010221e-10;
  s = std::fma(s, z, -2.50507602534068634195e-08);
  s = std::fma(s, z, 2.75573137070700676789e-06);
  s = std::fma(s, z, -1.98412698298579493134e-04);
  s = std::fma(s, z, 8.33333333332248946124e-03);
  s = std::fma(s, z, -1.66666666666666324348e-01);
  s = std::fma(s * z, x, x);
  double c = -1.13596475577881948265e-11;
  c = std::fma(c, z, 2.08757232129817482790e-09);
  c = std::fma(c, z, -2.75573143513906633035e-07);
  c = std::fma(c, z, 2.48015872894767294178e-05);
  c = std::fma(c, z, -1.38888888888741095749e-03);
  c = std::fma(c, z, 4.16666666666666019037e-02);
  c = std::fma(c * z, z, std::fma(-0.5, z, 1.0));
  const double magnitude = (quadrant & 1) != 0 ? s : c;
  return ((quadrant + 1) & 2) != 0 ? -magnitude : magnitude;
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
  return philox_rounds(counter, key);
}

Random::Random(std::uint64_t seed, std::uint64_t stream)
    : key_{low(seed), high(seed)}, stream_(stream) {}

std::array<std::uint32_t, 4> Random::block(std::uint64_t index) const {
  return philox_rounds({low(index), high(index), low(stream_), high(stream_)}, key_);
}

std::uint32_t Random::bits(std::uint64_t index) const { return block(index)[0]; }

double Random::uniform(std::uint64_t index) const {
  const std::array<std::uint32_t, 4> word = block(index);
  return unit_interval(join_words(word[0], word[1]));
}

double Random::normal(std::uint64_t index) const {
  const std::array<std::uint32_t, 4> word = block(index);
  // (0, 1]: the logarithm stays finite.
  const double u = unit_interval(join_words(word[0], word[1])) + 0x1p-53;
  const double turn = unit_interval(join_words(word[2], word[3]));
  return std::sqrt(-2.0 * log_unit(u)) * cos_turn(turn);
}

std::int64_t Random::integer(std::uint64_t index, std::int64_t lo, std::int64_t hi) const {
  if (lo > hi) {
    throw UsageError("no integer between " + std::to_string(lo) + " and " + std::to_string(hi));
  }
  const std::array<std::uint32_t, 4> word = block(index);
  const std::uint64_t random = join_words(word[0], word[1]);
  const std::uint64_t count = static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo) + 1;
  __extension__ using Wide = unsigned __int128;
  const auto scaled = static_cast<std::uint64_t>((static_cast<Wide>(random) * count) >> 64);
  // count wraps to 0 for the full 64-bit range, where every bit pattern is wanted.
  const std::uint64_t picked = count == 0 ? random : scaled;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) + picked);
}

}  // namespace wm
