#pragma once
// The benchmark's two kernels on the emulator.
#include "gpu/stream.hpp"

namespace wm::bench {

/// c = a b, row-major square matrices of a size that is a multiple of 128.
void sgemm(Stream stream, const float* a, const float* b, float* c, int size);

/// y = factor x + y, one thread an element; n is a multiple of 256.
void axpy(Stream stream, float factor, const float* x, float* y, int n);

}  // namespace wm::bench
