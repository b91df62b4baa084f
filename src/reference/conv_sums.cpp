#include "reference/conv_sums.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <vector>

#include "reference/parallel.hpp"

namespace wm {
namespace {

// Sizes of the independent tasks. They depend on the problem only, so that results are the same for
// any number of threads. A patch matrix of 2^17 doubles fits a 1 MiB second-level cache.
constexpr std::int64_t kPatchElements = std::int64_t{1} << 17;
constexpr std::int64_t kForwardFilters = 128;    // filters of a forward task
constexpr std::int64_t kDataRows = 256;          // patch rows (channels * taps) of a bwd_data task
constexpr std::int64_t kFilterFilters = 64;      // filters of a bwd_filter task
constexpr std::int64_t kFilterRows = 64;         // patch rows of a bwd_filter task
constexpr std::int64_t kFilterPositions = 1024;  // most output positions of a bwd_filter product

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using ConstView = Eigen::Map<const Matrix<T>, 0, Eigen::OuterStride<>>;
template <class T>
using View = Eigen::Map<Matrix<T>, 0, Eigen::OuterStride<>>;

struct Range {
  std::int64_t begin, end;
  std::int64_t size() const { return end - begin; }
};

Range block_range(std::int64_t block, std::int64_t block_size, std::int64_t total) {
  return {block * block_size, std::min(total, (block + 1) * block_size)};
}

/// Number of output positions a task handles at once so that its patch matrix stays in cache.
std::int64_t positions_per_patch(const ConvProblem& p, std::int64_t patch_rows) {
  const std::int64_t wanted = std::max<std::int64_t>(8, kPatchElements / patch_rows);
  return std::max<std::int64_t>(1, std::min(p.out_positions(), wanted));
}

std::int64_t filter_channels(const ConvProblem& p) {
  return std::max<std::int64_t>(1, kFilterRows / p.filter_taps());
}

/// Output positions of one product of bwd_filter.
std::int64_t filter_positions(const ConvProblem& p) {
  return std::min(kFilterPositions, positions_per_patch(p, filter_channels(p) * p.filter_taps()));
}

/// One line of output positions (fixed o, p) meeting one filter tap: output columns [begin, end)
/// of it read inside the image, the first at input column `in_column` of input line `in_line`.
struct TapLine {
  std::int64_t begin = 0, end = 0;
  std::int64_t in_line = 0, in_column = 0;
};

/// Calls visit(row, position - positions.begin, count, line) for each line segment of `positions`
/// and each row (channel, tap) of the patch matrix; `line.begin` and `line.end` count from the
/// segment's first position.
template <class Visit>
void for_each_tap_line(const ConvProblem& p, Range channels, Range positions, Visit&& visit) {
  const std::int64_t width = p.out[2];
  const std::int64_t taps = p.filter_taps();
  for (std::int64_t start = positions.begin; start < positions.end;) {
    const std::int64_t line = start / width;
    const std::int64_t q = start % width;
    const std::int64_t count = std::min(positions.end - start, width - q);
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      const std::int64_t place = p.flip ? taps - 1 - tap : tap;
      const std::int64_t t = place / (p.filter[1] * p.filter[2]);
      const std::int64_t r = place / p.filter[2] % p.filter[1];
      const std::int64_t s = place % p.filter[2];
      const std::int64_t d = line / p.out[1] * p.stride[0] + t * p.dilation[0] - p.pad_begin[0];
      const std::int64_t h = line % p.out[1] * p.stride[1] + r * p.dilation[1] - p.pad_begin[1];
      const std::int64_t w = q * p.stride[2] + s * p.dilation[2] - p.pad_begin[2];
      TapLine found;
      if (d >= 0 && d < p.in[0] && h >= 0 && h < p.in[1]) {
        found.begin = std::clamp<std::int64_t>(w < 0 ? ceil_div(-w, p.stride[2]) : 0, 0, count);
        const std::int64_t inside = w < p.in[2] ? ceil_div(p.in[2] - w, p.stride[2]) : 0;
        found.end = std::clamp<std::int64_t>(inside, found.begin, count);
        found.in_line = d * p.in[1] + h;
        found.in_column = w + found.begin * p.stride[2];
      }
      for (std::int64_t c = channels.begin; c < channels.end; ++c) {
        visit(c, (c - channels.begin) * taps + tap, start - positions.begin, count, found);
      }
    }
    start += count;
  }
}

/// patches[(c, tap)][position] = image[c, position's input at tap], 0 outside the image.
template <class T>
void gather_patches(const ConvProblem& p, const T* image, Range channels, Range positions,
                    Matrix<T>& patches) {
  const std::int64_t step = p.stride[2];
  for_each_tap_line(p, channels, positions,
                    [&](std::int64_t c, std::int64_t row, std::int64_t column, std::int64_t count,
                        const TapLine& line) {
                      T* to = patches.data() + row * patches.cols() + column;
                      const T* from =
                          image + c * p.in_positions() + line.in_line * p.in[2] + line.in_column;
                      std::fill(to, to + line.begin, T(0));
                      if (step == 1) {
                        std::copy_n(from, line.end - line.begin, to + line.begin);
                      } else {
                        for (std::int64_t i = line.begin; i < line.end; ++i, from += step) {
                          to[i] = *from;
                        }
                      }
                      std::fill(to + line.end, to + count, T(0));
                    });
}

/// The transpose of gather_patches: image[c, input] += patches[(c, tap)][position].
template <class T>
void scatter_patches(const ConvProblem& p, const Matrix<T>& patches, Range channels,
                     Range positions, T* image) {
  const std::int64_t step = p.stride[2];
  for_each_tap_line(p, channels, positions,
                    [&](std::int64_t c, std::int64_t row, std::int64_t column, std::int64_t,
                        const TapLine& line) {
                      const T* from = patches.data() + row * patches.cols() + column;
                      T* to =
                          image + c * p.in_positions() + line.in_line * p.in[2] + line.in_column;
                      for (std::int64_t i = line.begin; i < line.end; ++i, to += step) {
                        *to += from[i];
                      }
                    });
}

/// y[n][k][position] = filters[k][(c, tap)] * patches[(c, tap)][position].
template <class T>
void forward_sums(const ConvProblem& p, const T* x, const T* w, T* y) {
  const std::int64_t depth = p.c_per_group() * p.filter_taps();
  const std::int64_t step = positions_per_patch(p, depth);
  const std::int64_t position_blocks = ceil_div(p.out_positions(), step);
  const std::int64_t filter_blocks = ceil_div(p.k_per_group(), kForwardFilters);
  parallel_for(p.n * p.groups * position_blocks * filter_blocks, [&](std::int64_t task) {
    const Range filters = block_range(task % filter_blocks, kForwardFilters, p.k_per_group());
    const std::int64_t chunk = task / filter_blocks;
    const Range positions = block_range(chunk % position_blocks, step, p.out_positions());
    const std::int64_t group = chunk / position_blocks % p.groups;
    const std::int64_t n = chunk / position_blocks / p.groups;
    Matrix<T> patches(depth, positions.size());
    gather_patches(p, x + (n * p.groups + group) * p.c_per_group() * p.in_positions(),
                   {0, p.c_per_group()}, positions, patches);
    const std::int64_t first = group * p.k_per_group() + filters.begin;
    const ConstView<T> filter_rows(w + first * depth, filters.size(), depth,
                                   Eigen::OuterStride<>(depth));
    View<T> result(y + (n * p.k + first) * p.out_positions() + positions.begin, filters.size(),
                   positions.size(), Eigen::OuterStride<>(p.out_positions()));
    result.noalias() = filter_rows * patches;
  });
}

/// patches = filters^T[(c, tap)][k] * dy[k][position], scattered into dx.
template <class T>
void data_sums(const ConvProblem& p, const T* dy, const T* w, T* dx) {
  const std::int64_t taps = p.filter_taps();
  const std::int64_t depth = p.c_per_group() * taps;
  const std::int64_t channel_step = std::max<std::int64_t>(1, kDataRows / taps);
  const std::int64_t channel_blocks = ceil_div(p.c_per_group(), channel_step);
  const std::int64_t step = positions_per_patch(p, channel_step * taps);
  parallel_for(p.n * p.groups * channel_blocks, [&](std::int64_t task) {
    const Range channels = block_range(task % channel_blocks, channel_step, p.c_per_group());
    const std::int64_t group = task / channel_blocks % p.groups;
    const std::int64_t n = task / channel_blocks / p.groups;
    const std::int64_t first = group * p.k_per_group();
    const ConstView<T> filters(w + first * depth + channels.begin * taps, p.k_per_group(),
                               channels.size() * taps, Eigen::OuterStride<>(depth));
    T* image = dx + (n * p.groups + group) * p.c_per_group() * p.in_positions();
    std::fill(image + channels.begin * p.in_positions(), image + channels.end * p.in_positions(),
              T(0));
    Matrix<T> patches;
    for (std::int64_t begin = 0; begin < p.out_positions(); begin += step) {
      const Range positions{begin, std::min(p.out_positions(), begin + step)};
      const ConstView<T> gradient(dy + (n * p.k + first) * p.out_positions() + begin,
                                  p.k_per_group(), positions.size(),
                                  Eigen::OuterStride<>(p.out_positions()));
      patches.noalias() = filters.transpose() * gradient;
      scatter_patches(p, patches, channels, positions, image);
    }
  });
}

/// dw[k][(c, tap)] = sum over n and blocks of positions of dy[k][position] * patches^T.
template <class T>
void filter_sums(const ConvProblem& p, const T* x, const T* dy, T* dw) {
  const std::int64_t taps = p.filter_taps();
  const std::int64_t depth = p.c_per_group() * taps;
  const std::int64_t channel_step = filter_channels(p);
  const std::int64_t step = filter_positions(p);
  const std::int64_t channel_blocks = ceil_div(p.c_per_group(), channel_step);
  const std::int64_t filter_blocks = ceil_div(p.k_per_group(), kFilterFilters);
  parallel_for(p.groups * filter_blocks * channel_blocks, [&](std::int64_t task) {
    const Range channels = block_range(task % channel_blocks, channel_step, p.c_per_group());
    const Range filters =
        block_range(task / channel_blocks % filter_blocks, kFilterFilters, p.k_per_group());
    const std::int64_t group = task / channel_blocks / filter_blocks;
    const std::int64_t first = group * p.k_per_group() + filters.begin;
    View<T> result(dw + first * depth + channels.begin * taps, filters.size(),
                   channels.size() * taps, Eigen::OuterStride<>(depth));
    result.setZero();
    Matrix<T> patches;
    for (std::int64_t n = 0; n < p.n; ++n) {
      const T* image = x + (n * p.groups + group) * p.c_per_group() * p.in_positions();
      for (std::int64_t begin = 0; begin < p.out_positions(); begin += step) {
        const Range positions{begin, std::min(p.out_positions(), begin + step)};
        patches.resize(channels.size() * taps, positions.size());
        gather_patches(p, image, channels, positions, patches);
        const ConstView<T> gradient(dy + (n * p.k + first) * p.out_positions() + begin,
                                    filters.size(), positions.size(),
                                    Eigen::OuterStride<>(p.out_positions()));
        result.noalias() += gradient * patches.transpose();
      }
    }
  });
}

}  // namespace

template <class T>
void conv_sums_gemm(const ConvProblem& p, const T* a, const T* b, T* out) {
  switch (p.direction) {
    case ConvDirection::fwd:
      return forward_sums(p, a, b, out);
    case ConvDirection::bwd_data:
      return data_sums(p, a, b, out);
    case ConvDirection::bwd_filter:
      return filter_sums(p, a, b, out);
  }
}

double conv_sum_path(const ConvProblem& p) {
  const auto taps = static_cast<double>(p.filter_taps());
  switch (p.direction) {
    case ConvDirection::fwd:
      return static_cast<double>(p.c_per_group()) * taps;
    case ConvDirection::bwd_data:
      return static_cast<double>(p.k_per_group()) + taps;
    case ConvDirection::bwd_filter:
      break;
  }
  const std::int64_t step = filter_positions(p);
  return static_cast<double>(step) +
         static_cast<double>(p.n) * static_cast<double>(ceil_div(p.out_positions(), step));
}

template void conv_sums_gemm(const ConvProblem&, const float*, const float*, float*);
template void conv_sums_gemm(const ConvProblem&, const double*, const double*, double*);
template void conv_sums_gemm(const ConvProblem&, const long double*, const long double*,
                             long double*);

}  // namespace wm
