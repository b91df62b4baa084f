#pragma once
// The sums of products of the three convolution directions, without epilogue.
#include "ops/conv.hpp"

namespace wm {

/// Factors by direction: fwd (x, w) -> y, bwd_data (dy, w) -> dx, bwd_filter (x, dy) -> dw.
/// As blocked matrix products over gathered patches. T is float, double or long double. Zeros stand
/// for positions outside the image, so the factors must be finite.
template <class T>
void conv_sums_gemm(const ConvProblem& problem, const T* a, const T* b, T* out);

/// The same sums term by term, straight from the definition; for factors with inf or NaN.
template <class T>
void conv_sums_by_definition(const ConvProblem& problem, const T* a, const T* b, T* out);

/// Longest path of rounded additions in conv_sums_gemm, counted in products.
double conv_sum_path(const ConvProblem& problem);

}  // namespace wm
