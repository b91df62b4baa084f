#pragma once
// The math of kernels, the only one they may use: the same source and the same bits under nvcc and
// on the host. Transcendental functions are explicit polynomials over + - * / sqrt and fma, with
// selects instead of branches and no libm; the build must not contract, reassociate or flush
// (-ffp-contract=off; nvcc -fmad=false -ftz=false -prec-div=true -prec-sqrt=true).
//
// Contents: fma, sqrt, rsqrt, abs, copysign, fmin, fmax, fmin_nan, fmax_nan, to_int; exp, exp2,
// expm1, tanh, sigmoid; log, log1p, log2, log10; erf, erfc; sin, cos; pow; for float and double.
#include "gpu/math/basic.hpp"
#include "gpu/math/error_function.hpp"
#include "gpu/math/exponential.hpp"
#include "gpu/math/logarithm.hpp"
#include "gpu/math/power.hpp"
#include "gpu/math/trigonometric.hpp"

namespace wm {

/// Bounds on the error in units in the last place of the exact result (of the subnormal spacing
/// below the smallest normal number); a test asserts them. Beside each the largest error found: for
/// float over every argument whose result is not trivial (sin and cos: up to 200; pow: 600,000
/// random ones), for double over a million random ones against MPFR (from erfc on 400,000).
template <class T>
inline constexpr double kRsqrtUlp = 1.5;  // float 1.490, double 1.473
template <class T>
inline constexpr double kExpUlp = 1;  // float 0.988, double 0.964
template <class T>
inline constexpr double kExp2Ulp = 1;  // float 0.948, double 0.867
template <class T>
inline constexpr double kExpm1Ulp = 2;  // float 1.439, double 1.795
template <class T>
inline constexpr double kTanhUlp = 2;  // float 1.463, double 1.431
template <class T>
inline constexpr double kSigmoidUlp = 2;  // float 1.480, double 1.469
template <class T>
inline constexpr double kLogUlp = 1;  // float 0.945, double 0.842
template <class T>
inline constexpr double kLog1pUlp = 2;  // float 1.581, double 1.398
template <class T>
inline constexpr double kErfUlp = 1.5;  // float 1.389, double 1.328
template <class T>
inline constexpr double kErfcUlp = 4;  // float 3.687, double 2.582
template <class T>
inline constexpr double kLog2Ulp = 1.5;  // float 1.291, double 1.027
template <class T>
inline constexpr double kLog10Ulp = 1.5;  // float 1.267, double 0.968
template <class T>
inline constexpr double kSinUlp = 1;  // float 0.893, double 0.810
template <class T>
inline constexpr double kCosUlp = 1;  // float 0.864, double 0.814
template <class T>
inline constexpr double kPowUlp = 1.5;  // float 1.026, double 0.981

}  // namespace wm
