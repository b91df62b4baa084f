#pragma once
// The activation functions and their derivatives in device code, in the accumulation type.
//
// Formulas are arranged so that no term cancels and no intermediate result underflows where the
// answer does not: gelu's tail comes from a fitted Mills ratio instead of 1 + erf, sigmoids of a
// computed argument carry its rounding error along, tails multiply by exp(t / 2) twice. Near the
// zero of a derivative (gelu, gelu_tanh, swish, mish) the error is a few ulp of its largest term,
// not of the result.
//
// NaN propagates through every function; at infinity the functions take their limits. Derivatives
// at a kink: relu 0, leaky_relu and elu alpha, clipped_relu 0 at both ends, hardswish 0 at -3 and
// 1 at 3.
#include "gpu/kernel.hpp"
#include "ops/activation_fn.hpp"

namespace wm::WM_FLAVOUR {

template <class Acc>
struct ActivationParams {
  ActivationFn fn;
  Acc alpha;
  Acc beta;
  Acc beta_lo;  ///< what rounding beta to Acc lost: the tail of swish magnifies it
};

template <class Acc>
ActivationParams<Acc> make_activation_params(ActivationFn fn, double alpha, double beta) {
  const Acc rounded = static_cast<Acc>(beta);
  return {fn, static_cast<Acc>(alpha), rounded,
          static_cast<Acc>(beta - static_cast<double>(rounded))};
}

/// Where exp() of the type comes near its subnormals, and where even a scaled exp() is zero.
template <class Acc>
inline constexpr Acc kExpTail = sizeof(Acc) == 4 ? Acc(-80) : Acc(-690);
template <class Acc>
inline constexpr Acc kExpZero = sizeof(Acc) == 4 ? Acc(-140) : Acc(-800);

/// hi + lo, lo being the rounding error of hi.
template <class Acc>
struct Extended {
  Acc hi, lo;
  __device__ Extended negated() const { return {-hi, -lo}; }
};

template <class Acc>
__device__ inline Extended<Acc> exact_product(Acc a, Acc b) {
  const Acc hi = a * b;
  return {hi, wm::fma(a, b, -hi)};
}

/// scale * exp(t) for t.hi <= 0. Infinite t: 0, whatever scale is. NaN stays.
template <class Acc>
__device__ inline Acc scaled_exp(Acc scale, Extended<Acc> t) {
  if (t.hi > kExpTail<Acc>) {
    const Acc e = wm::exp(t.hi);
    return scale * wm::fma(e, t.lo, e);
  }
  if (!(t.hi > kExpZero<Acc>)) return t.hi != t.hi ? t.hi : Acc(0);
  const Acc root = wm::exp(t.hi * Acc(0.5));
  const Acc scaled = scale * root;
  return wm::fma(scaled, t.lo, scaled) * root;
}

/// scale / (1 + exp(-t)).
template <class Acc>
__device__ inline Acc scaled_sigmoid(Acc scale, Extended<Acc> t) {
  if (t.hi >= Acc(0)) return scale / (Acc(1) + scaled_exp(Acc(1), t.negated()));
  if (!(t.hi > kExpTail<Acc>)) return scaled_exp(scale, t);
  const Acc e = scaled_exp(Acc(1), t);
  return scale * (e / (Acc(1) + e));
}

/// Phi(-a) / exp(-a^2 / 2) for a >= 0, Phi the normal distribution: g(q) / (1 + a) with g fitted in
/// q = (a - 4) / (a + 4) (Chebyshev; relative error 3e-9 in f32 up to a = 15, 8e-18 in f64 up to
/// a = 40, beyond which the exponential is zero).
__device__ inline float normal_tail_ratio(float a) {
  const float clamped = a < 15.0F ? a : 15.0F;
  const float q = (clamped - 4.0F) / (clamped + 4.0F);
  float g = -7.43745477e-05F;
  g = wm::fma(g, q, -6.6737186e-05F);
  g = wm::fma(g, q, 0.000690844841F);
  g = wm::fma(g, q, -0.000299918756F);
  g = wm::fma(g, q, -0.005002141F);
  g = wm::fma(g, q, 0.0179394502F);
  g = wm::fma(g, q, -0.0321978144F);
  g = wm::fma(g, q, 0.0286000334F);
  g = wm::fma(g, q, 0.0139996363F);
  g = wm::fma(g, q, -0.0967034698F);
  g = wm::fma(g, q, 0.4720532F);
  return g / (1.0F + clamped);
}
__device__ inline double normal_tail_ratio(double a) {
  constexpr double kFit[24] = {
      -8.0213931002626951e-10, -1.576226490491662e-09,  6.268135725359487e-09,
      1.7761831883850369e-08,  -1.9907797909474972e-08, -1.1116003136701888e-07,
      1.42485002339593e-09,    5.5211953322426436e-07,  4.0453496074040365e-07,
      -2.6129632472369104e-06, -3.4322292663927294e-06, 1.3626886779207572e-05,
      2.1250059867512045e-05,  -8.7853187320358336e-05, -9.443025611294547e-05,
      0.00069489710506476341,  -0.00028562309769187731, -0.0050023785910847064,
      0.017936097479653624,    -0.032197837428084124,   0.028600364053551482,
      0.013999634724425385,    -0.096703477326525816,   0.47205320650984467};
  const double clamped = a < 40.0 ? a : 40.0;
  const double q = (clamped - 4.0) / (clamped + 4.0);
  double g = kFit[0];
  WM_UNROLL
  for (int i = 1; i < 24; ++i) g = wm::fma(g, q, kFit[i]);
  return g / (1.0 + clamped);
}

/// exp(-x^2 / 2) as the exponent's extended value.
template <class Acc>
__device__ inline Extended<Acc> gauss_exponent(Acc x) {
  const Extended<Acc> square = exact_product(x, x);
  return {Acc(-0.5) * square.hi, Acc(-0.5) * square.lo};
}

/// 2 sqrt(2/pi) (x + 0.044715 x^3): gelu_tanh is x sigmoid of it. In extended precision, because
/// the exponential magnifies its relative error by its size.
template <class Acc>
__device__ inline Extended<Acc> gelu_tanh_argument(Acc x) {
  constexpr double kRoot = 1.5957691216057307117597842397375;
  constexpr double kCube = 0.044715;
  constexpr Acc root = static_cast<Acc>(kRoot);
  constexpr Acc root_lo = sizeof(Acc) == 4 ? static_cast<Acc>(kRoot - static_cast<double>(root))
                                           : static_cast<Acc>(-9.969308809e-17);
  constexpr Acc cube = static_cast<Acc>(kCube);
  constexpr Acc cube_lo = sizeof(Acc) == 4 ? static_cast<Acc>(kCube - static_cast<double>(cube))
                                           : static_cast<Acc>(2.196021143e-18);
  const Extended<Acc> square = exact_product(x, x);
  const Extended<Acc> scaled = exact_product(cube, square.hi);
  const Acc scaled_lo = wm::fma(cube, square.lo, wm::fma(cube_lo, square.hi, scaled.lo));
  const Acc sum = Acc(1) + scaled.hi;
  const Acc sum_lo = scaled.hi > Acc(1) ? Acc(1) - (sum - scaled.hi) : scaled.hi - (sum - Acc(1));
  const Acc tail = sum_lo + scaled_lo;
  const Extended<Acc> linear = exact_product(root, x);
  const Acc linear_lo = wm::fma(root_lo, x, linear.lo);
  const Extended<Acc> product = exact_product(linear.hi, sum);
  return {product.hi, wm::fma(linear.hi, tail, wm::fma(linear_lo, sum, product.lo))};
}

/// beta x with the rounding errors of the product and of beta itself.
template <class Acc>
__device__ inline Extended<Acc> beta_argument(const ActivationParams<Acc>& p, Acc x) {
  const Extended<Acc> product = exact_product(p.beta, x);
  return {product.hi, wm::fma(p.beta_lo, x, product.lo)};
}

/// mish above this is x and its derivative 1, to the last bit of f64.
template <class Acc>
inline constexpr Acc kMishLinear = Acc(22);

template <class Acc>
__device__ inline Acc gelu_value(Acc x) {
  if (x < Acc(0)) return scaled_exp(x * normal_tail_ratio(-x), gauss_exponent(x));
  return x * (Acc(1) - scaled_exp(normal_tail_ratio(x), gauss_exponent(x)));
}
template <class Acc>
__device__ inline Acc gelu_slope(Acc x) {
  constexpr Acc kDensity = static_cast<Acc>(0.39894228040143267793994605993438);
  const Acc density = x * kDensity;
  if (x < Acc(0)) return scaled_exp(density + normal_tail_ratio(-x), gauss_exponent(x));
  return Acc(1) + scaled_exp(density - normal_tail_ratio(x), gauss_exponent(x));
}

template <class Acc>
__device__ inline Acc softplus_value(const ActivationParams<Acc>& p, Acc x) {
  const Extended<Acc> t = beta_argument(p, x);
  if (t.hi > Acc(40)) return x;
  if (t.hi > Acc(0)) return x + wm::log1p(scaled_exp(Acc(1), t.negated())) / p.beta;
  return wm::log1p(scaled_exp(Acc(1), t)) / p.beta;
}

template <class Acc>
__device__ inline Acc mish_value(Acc x) {
  if (x > kMishLinear<Acc>) return x;
  if (!(x > kExpTail<Acc>)) return scaled_exp(x, Extended<Acc>{x, Acc(0)});
  const Acc e = wm::exp(x);
  const Acc n = e * (e + Acc(2));
  return x * (n / (n + Acc(2)));
}
template <class Acc>
__device__ inline Acc mish_slope(Acc x) {
  if (x > kMishLinear<Acc>) return Acc(1);
  if (!(x > kExpTail<Acc>)) return scaled_exp(Acc(1) + x, Extended<Acc>{x, Acc(0)});
  const Acc e = wm::exp(x);
  const Acc n = e * (e + Acc(2));
  const Acc d = n + Acc(2);
  return wm::fma(Acc(4) * x, e * (e + Acc(1)) / d, n) / d;
}

/// fn(x) with the function as a template argument.
template <ActivationFn kFn, class Acc>
__device__ inline Acc activation_value(const ActivationParams<Acc>& p, Acc x) {
  using F = ActivationFn;
  if constexpr (kFn == F::relu) return x <= Acc(0) ? Acc(0) : x;
  if constexpr (kFn == F::sigmoid) return wm::sigmoid(x);
  if constexpr (kFn == F::tanh) return wm::tanh(x);
  if constexpr (kFn == F::clipped_relu) return x <= Acc(0) ? Acc(0) : x >= p.alpha ? p.alpha : x;
  if constexpr (kFn == F::leaky_relu) return x <= Acc(0) ? p.alpha * x : x;
  if constexpr (kFn == F::elu) return x <= Acc(0) ? p.alpha * wm::expm1(x) : x;
  if constexpr (kFn == F::gelu) return gelu_value(x);
  if constexpr (kFn == F::gelu_tanh) return scaled_sigmoid(x, gelu_tanh_argument(x));
  if constexpr (kFn == F::swish) return scaled_sigmoid(x, beta_argument(p, x));
  if constexpr (kFn == F::softplus) return softplus_value(p, x);
  if constexpr (kFn == F::mish) return mish_value(x);
  if constexpr (kFn == F::hardswish) {
    return x <= Acc(-3) ? Acc(0) : x >= Acc(3) ? x : x * (x + Acc(3)) / Acc(6);
  }
  return x;
}

/// The derivative at x.
template <ActivationFn kFn, class Acc>
__device__ inline Acc activation_slope(const ActivationParams<Acc>& p, Acc x) {
  using F = ActivationFn;
  if constexpr (kFn == F::relu) return x > Acc(0) ? Acc(1) : x <= Acc(0) ? Acc(0) : x;
  if constexpr (kFn == F::sigmoid) {
    const Acc e = scaled_exp(Acc(1), Extended<Acc>{-wm::abs(x), Acc(0)});
    return e / ((Acc(1) + e) * (Acc(1) + e));
  }
  if constexpr (kFn == F::tanh) {
    const Acc e = scaled_exp(Acc(1), Extended<Acc>{Acc(-2) * wm::abs(x), Acc(0)});
    return Acc(4) * e / ((Acc(1) + e) * (Acc(1) + e));
  }
  if constexpr (kFn == F::clipped_relu) {
    return x > Acc(0) && x < p.alpha ? Acc(1) : x != x ? x : Acc(0);
  }
  if constexpr (kFn == F::leaky_relu) return x > Acc(0) ? Acc(1) : x <= Acc(0) ? p.alpha : x;
  if constexpr (kFn == F::elu) return x > Acc(0) ? Acc(1) : p.alpha * wm::exp(x);
  if constexpr (kFn == F::gelu) return gelu_slope(x);
  if constexpr (kFn == F::gelu_tanh) {
    constexpr Acc kRoot = static_cast<Acc>(1.5957691216057307117597842397375);
    constexpr Acc kCube = static_cast<Acc>(3 * 0.044715);
    const Extended<Acc> t = gelu_tanh_argument(x);
    const Acc x_slope = x * (kRoot * wm::fma(kCube * x, x, Acc(1)));
    return scaled_sigmoid(Acc(1) + scaled_sigmoid(x_slope, t.negated()), t);
  }
  if constexpr (kFn == F::swish) {
    const Extended<Acc> t = beta_argument(p, x);
    return scaled_sigmoid(Acc(1) + scaled_sigmoid(t.hi, t.negated()), t);
  }
  if constexpr (kFn == F::softplus) return scaled_sigmoid(Acc(1), beta_argument(p, x));
  if constexpr (kFn == F::mish) return mish_slope(x);
  if constexpr (kFn == F::hardswish) {
    if (x != x) return x;
    return x <= Acc(-3) ? Acc(0) : x >= Acc(3) ? Acc(1) : wm::fma(Acc(2), x, Acc(3)) / Acc(6);
  }
  return Acc(1);
}

template <ActivationFn kFn>
struct ActivationTag {
  static constexpr ActivationFn fn = kFn;
};

/// Calls visit(ActivationTag<fn>{}): put loops inside the visitor, so that the choice is made once.
template <class Visitor>
__device__ inline void with_activation(ActivationFn fn, Visitor&& visit) {
  using F = ActivationFn;
  switch (fn) {
    case F::identity:
      return visit(ActivationTag<F::identity>{});
    case F::relu:
      return visit(ActivationTag<F::relu>{});
    case F::sigmoid:
      return visit(ActivationTag<F::sigmoid>{});
    case F::tanh:
      return visit(ActivationTag<F::tanh>{});
    case F::clipped_relu:
      return visit(ActivationTag<F::clipped_relu>{});
    case F::leaky_relu:
      return visit(ActivationTag<F::leaky_relu>{});
    case F::elu:
      return visit(ActivationTag<F::elu>{});
    case F::gelu:
      return visit(ActivationTag<F::gelu>{});
    case F::gelu_tanh:
      return visit(ActivationTag<F::gelu_tanh>{});
    case F::swish:
      return visit(ActivationTag<F::swish>{});
    case F::softplus:
      return visit(ActivationTag<F::softplus>{});
    case F::mish:
      return visit(ActivationTag<F::mish>{});
    case F::hardswish:
      return visit(ActivationTag<F::hardswish>{});
  }
}

/// A function call, so that an unrolled epilogue does not carry thirteen functions an element.
template <class Acc>
__device__ __attribute__((noinline)) Acc call_activation(ActivationFn fn, Acc x, Acc alpha,
                                                         Acc beta) {
  const ActivationParams<Acc> p{fn, alpha, beta, Acc(0)};
  Acc y = x;
  with_activation(fn, [&](auto tag) { y = activation_value<decltype(tag)::fn>(p, x); });
  return y;
}

/// fn(x) with the function chosen at run time: for epilogues.
template <class Acc>
__device__ inline Acc apply_activation(ActivationFn fn, Acc x, Acc alpha, Acc beta) {
  if (fn == ActivationFn::identity) return x;
  if (fn == ActivationFn::relu) return x <= Acc(0) ? Acc(0) : x;
  return call_activation(fn, x, alpha, beta);
}

/// The same for kCount values in registers, without a call, which would spill what else is live:
/// the loop stays one and rotates the values through x[0], so that no register is indexed at run
/// time.
template <class Acc, int kCount>
__device__ inline void apply_activation_all(ActivationFn fn, Acc (&x)[kCount], Acc alpha,
                                            Acc beta) {
  if (fn == ActivationFn::identity) return;
  const ActivationParams<Acc> p{fn, alpha, beta, Acc(0)};
  with_activation(fn, [&](auto tag) {
    WM_NO_UNROLL
    for (int i = 0; i < kCount; ++i) {
      const Acc y = activation_value<decltype(tag)::fn>(p, x[0]);
      WM_UNROLL
      for (int next = 1; next < kCount; ++next) x[next - 1] = x[next];
      x[kCount - 1] = y;
    }
  });
}

}  // namespace wm::WM_FLAVOUR
