#pragma once
// Softmax over C for each (n, h, w) (mode=channel) or over (C, H, W) for each n (mode=instance).
// kind: fast (no max subtraction), accurate, log. Backward: dx = y (dy - sum dy y), log: dx = dy -
// exp(y) sum dy.
#include <cstdint>

#include "ops/op.hpp"

namespace wm {

enum class SoftmaxKind : int { fast, accurate, log };

struct SoftmaxProblem {
  bool backward = false;
  std::int64_t n = 1, c = 1, h = 1, w = 1;
  bool instance = false;
  SoftmaxKind kind = SoftmaxKind::accurate;

  std::int64_t rows() const { return instance ? n : n * h * w; }
  std::int64_t length() const { return instance ? c * h * w : c; }
};

}  // namespace wm
