#pragma once
// Published arithmetic models of NVIDIA tensor cores: which products are summed together, and with
// how many bits. Facts from F. A. Khattak, M. Mikaitis, Accurate Models of NVIDIA Tensor Cores,
// arXiv 2512.07004, compared there bit for bit with the GPUs. The emulator computes with them
// (emu/mma_models.hpp) and error bounds are derived from them (ops/bounds.cpp).
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wm {

/// Type of the operands of a matrix multiply-accumulate.
enum class MmaOperand : std::uint8_t { f16, bf16, tf32, e4m3, e5m2, s8 };
inline constexpr std::size_t kMmaOperands = 6;

std::string_view name_of(MmaOperand operand);

/// Number format of an operand: significand bits with the hidden one, and the exponents of its
/// smallest and largest normal numbers. Zeros for integers.
struct MmaFormat {
  int precision, min_exponent, max_exponent;
};
constexpr MmaFormat mma_format(MmaOperand operand) {
  constexpr std::array<MmaFormat, kMmaOperands> kFormats{
      {{11, -14, 15}, {8, -126, 127}, {11, -126, 127}, {4, -6, 8}, {3, -14, 15}, {0, 0, 0}}};
  return kFormats[static_cast<std::size_t>(operand)];
}

/// One group: `products` products and the accumulator are aligned to the largest of their
/// exponents, each cut to 23 + extra_bits fraction bits, and added exactly; the sum is cut to
/// `fraction_bits` and is the accumulator of the next group.
struct MmaBlock {
  int products = 0;  ///< 0: the device has no such operand, or nobody published a model
  int extra_bits = 0;
  int fraction_bits = 23;
  constexpr bool published() const { return products > 0; }
};

struct MmaModel {
  std::string_view name;
  std::string_view device;
  std::array<MmaBlock, kMmaOperands> blocks;
  /// No tensor core: a chain of f32 fused multiply-adds, k ascending, rounded to nearest.
  bool ieee = false;
  /// The device has no fp8 mma.sync: compilers widen the operands to f16.
  bool fp8_by_f16 = false;

  constexpr const MmaBlock& block(MmaOperand operand) const {
    return blocks[static_cast<std::size_t>(operand)];
  }
};

/// In the order of MmaOperand. fp8 on H100 and B200: the numbers of wgmma and tcgen05.
inline constexpr std::array<MmaModel, 6> kMmaModels{{
    {"ieee", "no tensor core: f32 fused multiply-adds", {}, true},
    {"v100", "V100", {{{4, 0}, {}, {}, {}, {}, {}}}},
    {"a100", "A100", {{{8, 1}, {8, 1}, {4, 1}, {}, {}, {}}}},
    {"ada", "RTX 4090, L40S", {{{8, 1}, {8, 1}, {4, 1}, {16, -10, 13}, {16, -10, 13}, {}}}},
    {"h100",
     "H100, H200",
     {{{16, 2}, {16, 2}, {8, 2}, {32, -10, 13}, {32, -10, 13}, {}}},
     false,
     true},
    {"b200", "B200", {{{16, 2}, {16, 2}, {8, 2}, {32, 2}, {32, 2}, {}}}, false, true},
}};

/// What a claim or a device says when no model is known: bounds then take the weakest.
inline constexpr std::string_view kUnknownMmaModel = "any";

std::vector<std::string> mma_model_names();
/// Throws UsageError naming the models.
const MmaModel& mma_model(std::string_view name);

/// Rounding error of one group as a part of the sum of the magnitudes of its terms: each of
/// products + 1 terms loses less than 2^-(23 + extra_bits) of the largest, then the sum less than
/// 2^-fraction_bits of itself. Holds while no operand is subnormal.
double mma_group_error(const MmaBlock& block);
/// What subnormal operands can add to it, absolute: they are aligned by the exponent of the
/// smallest normal number, so all terms of a group may be cut at 2^-(23 + extra_bits) times that
/// number and the other operand's power of two. For the types with f32's exponents the other
/// operand is taken to stay below 2^kSubnormalPartner: otherwise a single subnormal bf16 beside one
/// of 2^127 would have to be allowed for in every bound.
inline constexpr int kSubnormalPartner = 64;
double mma_group_underflow(const MmaBlock& block, const MmaFormat& format);

}  // namespace wm
