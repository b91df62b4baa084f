#include "reference/tracked.hpp"

#include <algorithm>

#include "core/dtype.hpp"

namespace wm {

Arithmetic arithmetic_of(const Claims& claims, bool wide) {
  const double acc = unit_roundoff(claims.acc);
  const double spacing = subnormal_spacing(claims.acc);
  const double own = wide ? 0x1p-64 : 0x1p-53;
  Arithmetic result{};
  result.reference_unit = own;
  result.unit = acc + own;
  result.spacing = spacing;
  // Half the spacing of float64 is no double: the next larger one bounds it.
  result.eta = std::max(spacing / 2, std::numeric_limits<double>::denorm_min());
  result.max_finite = info(claims.acc).max_finite;
  // libm's exp and log are within one ulp.
  result.exp_relative = 2 * claims.exp_ulp * acc + 2 * own;
  result.exp_absolute = claims.exp_ulp * spacing;
  result.log_relative = 2 * claims.function_ulp * acc + 2 * own;
  result.function_relative = 2 * claims.function_ulp * acc;
  result.function_absolute = claims.function_ulp * spacing;
  return result;
}

}  // namespace wm
