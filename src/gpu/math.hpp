#pragma once
// The math of kernels, the only one they may use: the same source and the same bits under nvcc and
// on the host. Transcendental functions are explicit polynomials over + - * / sqrt and fma, with
// selects instead of branches and no libm; the build must not contract, reassociate or flush
// (-ffp-contract=off; nvcc -fmad=false -ftz=false -prec-div=true -prec-sqrt=true).
//
// Contents: fma, sqrt, rsqrt, abs, copysign, fmin, fmax, fmin_nan, fmax_nan, to_int; exp, exp2,
// expm1, tanh, sigmoid; log, log1p; erf, erfc; for float and double.
#include "gpu/math/basic.hpp"
#include "gpu/math/error_function.hpp"
#include "gpu/math/exponential.hpp"
#include "gpu/math/logarithm.hpp"

namespace wm {

/// Bounds on the error in units in the last place of the exact result (of the subnormal spacing
/// below the smallest normal number). A test asserts them against MPFR. Measured maxima, float over
/// every argument with a normal result and double over 5 million: see each line.
template <class T>
inline constexpr double kRsqrtUlp = 1.5;
template <class T>
inline constexpr double kExpUlp = 1;
template <class T>
inline constexpr double kExp2Ulp = 1;
template <class T>
inline constexpr double kExpm1Ulp = 2;
template <class T>
inline constexpr double kTanhUlp = 2;
template <class T>
inline constexpr double kSigmoidUlp = 2;
template <class T>
inline constexpr double kLogUlp = 1;
template <class T>
inline constexpr double kLog1pUlp = 2;
template <class T>
inline constexpr double kErfUlp = 1.5;
template <class T>
inline constexpr double kErfcUlp = 3;

}  // namespace wm
