#pragma once
// The `exact` recipe of the linear ops: integers such that every partial sum, in any order, is a
// value of the accumulation type, so that every algorithm must give the correctly rounded result.
//
// Guarantee. With terms a b, all integers, and factors alpha, beta, residual = odd * 2^e, every
// intermediate result is a multiple of g = min(1, 2^e...) and at most
//   T = |alpha| n a_max b_max + |beta| prior_max + |residual| z_max + bias_max
// in magnitude, so it is exact where T <= 2^p g and n a_max b_max <= 2^p (p: significand bits of
// the accumulation type). T is kept below the output's largest finite value too; the one rounding
// left is the conversion to the output type.
// Where even a_max = b_max = 1 is too much for n products, one operand is zero except at one
// position, drawn at random, of each block of `period` positions of a reduction. (A fixed position
// would resonate with the filter taps: outputs at an image's border see some taps only, and could
// see none of the nonzero ones.)
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "ops/linear.hpp"

namespace wm {

struct LinearTypes {
  DType first = DType::f32, second = DType::f32;  ///< operands
  DType out = DType::f32, bias = DType::f32, acc = DType::f32;
};

struct ExactPlan {
  std::string why_not;  ///< empty: the plan holds
  std::int64_t first_max = 1, second_max = 1;
  std::int64_t extra_max = 1;  ///< prior output, z and bias
  std::int64_t period = 1;     ///< one product in `period` may be nonzero
};

ExactPlan plan_exact(const LinearForm& form, const LinearTypes& types);

/// Position of an operand's element: (which reduction, index inside it).
using ReductionIndex = std::function<std::pair<std::int64_t, std::int64_t>(std::int64_t)>;

/// Nonzero integers in [-max, max] ([1, max] for unsigned types); with period > 1 all but one
/// of every `period` consecutive positions of a reduction are zero.
void fill_integers(const FillRequest& request, const TensorDesc& tensor, std::int64_t max,
                   std::span<double> values, std::int64_t period = 1,
                   const ReductionIndex& reduction = {});

/// f = odd * 2^exponent.
struct Dyadic {
  double odd = 0;
  int exponent = 0;
};
Dyadic dyadic(double value);

}  // namespace wm
