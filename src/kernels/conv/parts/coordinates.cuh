#pragma once
// Index arithmetic of convolution kernels. A GEMM or grid index stands for a site (outer, row,
// col): an image with a position in it, or a channel with a filter tap. A site map turns a site
// into a place: an element offset and the image coordinates it reads around. A row's place and a
// depth's place add up to one element, which a window accepts or takes for padding.
//
// All indices are below 2^31 (conv_index_support); element offsets have 64 bits.
#include <cstdint>

#include "gpu/kernel.hpp"

namespace wm::WM_FLAVOUR {

/// Exact n / d for 0 <= n < 2^31 and 1 <= d < 2^31 by one multiplication: with l = ceil(log2 d) and
/// m = ceil(2^(31+l) / d) < 2^32, floor(n m / 2^(31+l)) is the quotient (Granlund, Montgomery,
/// Division by Invariant Integers using Multiplication, PLDI 1994, theorem 4.2).
class FastDivisor {
 public:
  FastDivisor() = default;
  explicit FastDivisor(std::int64_t divisor) {
    int log2 = 0;
    while ((std::int64_t{1} << log2) < divisor) ++log2;
    shift_ = 31 + log2;
    const std::uint64_t power = std::uint64_t{1} << shift_;
    const auto unsigned_divisor = static_cast<std::uint64_t>(divisor);
    multiplier_ = static_cast<std::uint32_t>((power + unsigned_divisor - 1) / unsigned_divisor);
    divisor_ = static_cast<int>(divisor);
  }
  __host__ __device__ __forceinline__ int value() const { return divisor_; }
  __host__ __device__ __forceinline__ int divide(int n) const {
    return static_cast<int>((static_cast<std::uint64_t>(n) * multiplier_) >> shift_);
  }
  /// Quotient; n becomes the remainder.
  __host__ __device__ __forceinline__ int split(int& n) const {
    const int quotient = divide(n);
    n -= quotient * divisor_;
    return quotient;
  }

 private:
  std::uint32_t multiplier_ = std::uint32_t{1} << 31;
  int shift_ = 31;
  int divisor_ = 1;
};

struct Site {
  int outer = 0, row = 0, col = 0;
};

/// An element offset and the coordinates (h, w) a window tests.
struct Place {
  std::int64_t offset = 0;
  int h = 0, w = 0;
};

/// Outside every image whatever is added: coordinates stay within +-kCoordinateLimit.
inline constexpr std::int64_t kCoordinateLimit = (std::int64_t{1} << 30) - 1;
__device__ __forceinline__ Place nowhere() { return {0, -(3 << 29), -(3 << 29)}; }

/// Enumeration of the sites of an extent, row-major or with `outer` innermost (the order of
/// channels in a channels-last filter).
class SiteOrder {
 public:
  SiteOrder() = default;
  SiteOrder(std::int64_t outer, std::int64_t rows, std::int64_t cols, bool outer_fastest)
      : outer_(outer > 0 ? outer : 1), rows_(rows), cols_(cols), outer_fastest_(outer_fastest) {}

  __host__ __device__ __forceinline__ Site at(int index) const {
    Site site;
    if (outer_fastest_) {
      int tap = outer_.split(index);
      site.outer = index;
      site.row = cols_.split(tap);
      site.col = tap;
    } else {
      int line = cols_.split(index);
      site.col = index;
      site.outer = rows_.split(line);
      site.row = line;
    }
    return site;
  }
  /// The site after `site`.
  __device__ __forceinline__ void advance(Site& site) const {
    if (outer_fastest_) {
      if (++site.outer < outer_.value()) return;
      site.outer = 0;
      if (++site.col < cols_.value()) return;
      site.col = 0;
      ++site.row;
    } else {
      if (++site.col < cols_.value()) return;
      site.col = 0;
      if (++site.row < rows_.value()) return;
      site.row = 0;
      ++site.outer;
    }
  }
  /// The site `step` (decoded by at()) places further, row-major order only.
  __device__ __forceinline__ void advance_by(Site& site, const Site& step) const {
    site.col += step.col;
    int carry = site.col >= cols_.value() ? 1 : 0;
    site.col -= carry * cols_.value();
    site.row += step.row + carry;
    carry = site.row >= rows_.value() ? 1 : 0;
    site.row -= carry * rows_.value();
    site.outer += step.outer + carry;
  }

 private:
  FastDivisor outer_, rows_, cols_;
  bool outer_fastest_ = false;
};

/// Linear map of sites to places.
struct SiteMap {
  std::int64_t origin = 0;  ///< offset of site (0, 0, 0)
  std::int64_t outer_stride = 0, row_stride = 0, col_stride = 0;
  int row_step = 0, row_origin = 0;
  int col_step = 0, col_origin = 0;

  __device__ __forceinline__ Place place(const Site& site) const {
    return {origin + site.outer * outer_stride + site.row * row_stride + site.col * col_stride,
            site.row * row_step + row_origin, site.col * col_step + col_origin};
  }
};

/// A GEMM axis whose indices are sites.
class SiteAxis {
 public:
  using State = Site;
  SiteAxis() = default;
  SiteAxis(const SiteOrder& order, const SiteMap& map) : order_(order), map_(map) {}
  __device__ __forceinline__ Site start(int index) const { return order_.at(index); }
  __device__ __forceinline__ void advance(Site& site) const { order_.advance(site); }
  __device__ __forceinline__ Place place(const Site& site) const { return map_.place(site); }

 private:
  SiteOrder order_;
  SiteMap map_;
};

/// A GEMM axis that walks memory at a constant stride.
class LinearAxis {
 public:
  using State = int;
  LinearAxis() = default;
  explicit LinearAxis(std::int64_t stride) : stride_(stride) {}
  __device__ __forceinline__ int start(int index) const { return index; }
  __device__ __forceinline__ void advance(int& index) const { ++index; }
  __device__ __forceinline__ Place place(int index) const { return {index * stride_, 0, 0}; }

 private:
  std::int64_t stride_ = 0;
};

/// Every element exists: filters, and images read at their own positions.
struct NoWindow {
  __device__ __forceinline__ bool find(const Place& a, const Place& b, std::int64_t& offset) const {
    offset = a.offset + b.offset;
    return true;
  }
};

/// Elements exist at 0 <= h < rows, 0 <= w < cols; elsewhere is padding.
struct ImageWindow {
  int rows = 0, cols = 0;
  __device__ __forceinline__ bool find(const Place& a, const Place& b, std::int64_t& offset) const {
    offset = a.offset + b.offset;
    return static_cast<unsigned>(a.h + b.h) < static_cast<unsigned>(rows) &&
           static_cast<unsigned>(a.w + b.w) < static_cast<unsigned>(cols);
  }
};

/// An output image seen from the input: coordinates count input steps, and only multiples of the
/// stride have an element, at (h / stride, w / stride). At unit stride places already hold the
/// whole offset, as for an ImageWindow.
struct StridedWindow {
  int rows = 0, cols = 0;
  bool unit = false;
  FastDivisor row_step, col_step;
  std::int64_t row_stride = 0, col_stride = 0;
  __device__ __forceinline__ bool find(const Place& a, const Place& b, std::int64_t& offset) const {
    const int h = a.h + b.h;
    const int w = a.w + b.w;
    offset = a.offset + b.offset;
    if (unit) {
      return static_cast<unsigned>(h) < static_cast<unsigned>(rows) &&
             static_cast<unsigned>(w) < static_cast<unsigned>(cols);
    }
    if (h < 0 || w < 0) return false;
    const int row = row_step.divide(h);
    const int col = col_step.divide(w);
    offset += row * row_stride + col * col_stride;
    return row < rows && col < cols && row * row_step.value() == h && col * col_step.value() == w;
  }
};

}  // namespace wm::WM_FLAVOUR
