#pragma once
// Element types of kernels and the built-in vector types. Under nvcc the types are NVIDIA's; on the
// host they are the bit-compatible ones of core/float_types.hpp: no NVIDIA header is included
// there.
#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#define WM_HOST_DEVICE __host__ __device__
#else
#include "core/float_types.hpp"
#define WM_HOST_DEVICE

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
#endif

namespace wm {

#if defined(__CUDACC__)
using f16 = __half;
using bf16 = __nv_bfloat16;
#endif

namespace detail {
template <class T>
struct Acc {
  using type = float;
};
template <>
struct Acc<double> {
  using type = double;
};
}  // namespace detail

/// The type sums of T are formed in: double for double, else float.
template <class T>
using acc_t = typename detail::Acc<T>::type;

/// Exact conversion of an element to its accumulation type.
WM_HOST_DEVICE inline float to_acc(float x) { return x; }
WM_HOST_DEVICE inline double to_acc(double x) { return x; }
#if defined(__CUDACC__)
WM_HOST_DEVICE inline float to_acc(f16 x) { return __half2float(x); }
WM_HOST_DEVICE inline float to_acc(bf16 x) { return __bfloat162float(x); }
#else
inline float to_acc(f16 x) { return f16_value(x.bits); }
inline float to_acc(bf16 x) { return bf16_value(x.bits); }
#endif

namespace detail {
template <class T>
struct FromAcc {
  static WM_HOST_DEVICE T convert(T v) { return v; }
};
#if defined(__CUDACC__)
template <>
struct FromAcc<f16> {
  static WM_HOST_DEVICE f16 convert(float v) { return __float2half_rn(v); }
};
template <>
struct FromAcc<bf16> {
  static WM_HOST_DEVICE bf16 convert(float v) { return __float2bfloat16_rn(v); }
};
#else
template <>
struct FromAcc<f16> {
  static f16 convert(float v) { return {f16_bits(v)}; }
};
template <>
struct FromAcc<bf16> {
  static bf16 convert(float v) { return {bf16_bits(v)}; }
};
#endif
}  // namespace detail

/// Rounds an accumulated value to the element type, to nearest even.
template <class T>
WM_HOST_DEVICE inline T from_acc(acc_t<T> v) {
  return detail::FromAcc<T>::convert(v);
}

inline constexpr int kWarpSize = 32;
inline constexpr unsigned kFullMask = 0xffffffffU;

/// Smaller, larger and rounded-up quotient of integers (floating point: gpu/math.hpp).
template <class T>
WM_HOST_DEVICE constexpr T min(T a, T b) {
  static_assert(T(1) / T(2) == T(0), "wm::min is for integers; use wm::fmin");
  return b < a ? b : a;
}
template <class T>
WM_HOST_DEVICE constexpr T max(T a, T b) {
  static_assert(T(1) / T(2) == T(0), "wm::max is for integers; use wm::fmax");
  return a < b ? b : a;
}
template <class T>
WM_HOST_DEVICE constexpr T ceil_div(T a, T b) {
  return (a + b - 1) / b;
}

}  // namespace wm
