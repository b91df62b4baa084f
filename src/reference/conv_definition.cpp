// Term by term: visits every (n, group, k, c, tap, output position) whose input position lies
// inside the image and adds a product to the direction's output.
#include <algorithm>

#include "reference/conv_sums.hpp"
#include "reference/parallel.hpp"

namespace wm {
namespace {

std::int64_t tap_place(const ConvProblem& p, std::int64_t tap) {
  return p.flip ? p.filter_taps() - 1 - tap : tap;
}

/// Input position of an output position at a tap, -1 outside the image.
std::int64_t input_position(const ConvProblem& p, std::int64_t out, std::int64_t tap) {
  const std::int64_t place = tap_place(p, tap);
  const std::int64_t o[3] = {out / (p.out[1] * p.out[2]), out / p.out[2] % p.out[1],
                             out % p.out[2]};
  const std::int64_t t[3] = {place / (p.filter[1] * p.filter[2]), place / p.filter[2] % p.filter[1],
                             place % p.filter[2]};
  std::int64_t position = 0;
  for (int i = 0; i < 3; ++i) {
    const std::int64_t at = o[i] * p.stride[i] + t[i] * p.dilation[i] - p.pad_begin[i];
    if (at < 0 || at >= p.in[i]) return -1;
    position = position * p.in[i] + at;
  }
  return position;
}

/// Calls term(y index, x index, w index) for one filter k and one of its group's channels.
template <class Term>
void for_each_term(const ConvProblem& p, std::int64_t k, std::int64_t c, Term&& term) {
  const std::int64_t channel = k / p.k_per_group() * p.c_per_group() + c;
  for (std::int64_t n = 0; n < p.n; ++n) {
    for (std::int64_t out = 0; out < p.out_positions(); ++out) {
      for (std::int64_t tap = 0; tap < p.filter_taps(); ++tap) {
        const std::int64_t in = input_position(p, out, tap);
        if (in < 0) continue;
        term((n * p.k + k) * p.out_positions() + out, (n * p.c + channel) * p.in_positions() + in,
             (k * p.c_per_group() + c) * p.filter_taps() + tap);
      }
    }
  }
}

}  // namespace

template <class T>
void conv_sums_by_definition(const ConvProblem& p, const T* a, const T* b, T* out) {
  // Groups share no output in any direction: one task each. `out` starts at zero.
  parallel_for(p.groups, [&](std::int64_t group) {
    for (std::int64_t k = group * p.k_per_group(); k < (group + 1) * p.k_per_group(); ++k) {
      for (std::int64_t c = 0; c < p.c_per_group(); ++c) {
        for_each_term(p, k, c, [&](std::int64_t y, std::int64_t x, std::int64_t w) {
          switch (p.direction) {
            case ConvDirection::fwd:
              out[y] += a[x] * b[w];
              break;
            case ConvDirection::bwd_data:
              out[x] += a[y] * b[w];
              break;
            case ConvDirection::bwd_filter:
              out[w] += a[x] * b[y];
              break;
          }
        });
      }
    }
  });
}

template void conv_sums_by_definition(const ConvProblem&, const float*, const float*, float*);
template void conv_sums_by_definition(const ConvProblem&, const double*, const double*, double*);
template void conv_sums_by_definition(const ConvProblem&, const long double*, const long double*,
                                      long double*);

}  // namespace wm
