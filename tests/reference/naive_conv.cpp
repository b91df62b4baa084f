#include "reference/naive_conv.hpp"

#include <cmath>

namespace wm {
namespace {

using Index = std::int64_t;

/// One axis: whether output `o` meets input `i` at filter tap `t`, walking the axis as a person
/// would: start at the padded edge, step by the stride, then by the dilation.
bool meets(const ConvProblem& p, int axis, Index o, Index i, Index t) {
  Index place = -p.pad_begin[axis];
  for (Index step = 0; step < o; ++step) place += p.stride[axis];
  const Index tap = p.flip ? p.filter[axis] - 1 - t : t;
  for (Index step = 0; step < tap; ++step) place += p.dilation[axis];
  return place == i;
}

struct Shape3 {
  Index a, b, c;
};

template <class Visit>
void loop3(const std::array<Index, 3>& extent, Visit&& visit) {
  Index flat = 0;
  for (Index a = 0; a < extent[0]; ++a) {
    for (Index b = 0; b < extent[1]; ++b) {
      for (Index c = 0; c < extent[2]; ++c) visit(Shape3{a, b, c}, flat++);
    }
  }
}

}  // namespace

NaiveResult naive_conv(const ConvProblem& p, const NaiveConvData& data) {
  const Index cg = p.c / p.groups;
  const Index kg = p.k / p.groups;
  const Index out = p.out[0] * p.out[1] * p.out[2];
  const Index in = p.in[0] * p.in[1] * p.in[2];
  const Index taps = p.filter[0] * p.filter[1] * p.filter[2];
  const bool fwd = p.direction == ConvDirection::fwd;
  const bool bwd_data = p.direction == ConvDirection::bwd_data;
  const Index count = fwd ? p.n * p.k * out : bwd_data ? p.n * p.c * in : p.k * cg * taps;
  NaiveResult result{std::vector<long double>(count), std::vector<long double>(count)};
  const auto accumulate = [&](Index to, long double factor_a, long double factor_b) {
    result.value[to] += factor_a * factor_b;
    result.magnitude[to] += std::fabs(factor_a * factor_b);
  };
  loop3(p.out, [&](Shape3 o, Index o_flat) {
    loop3(p.in, [&](Shape3 i, Index i_flat) {
      loop3(p.filter, [&](Shape3 t, Index t_flat) {
        if (!meets(p, 0, o.a, i.a, t.a) || !meets(p, 1, o.b, i.b, t.b) ||
            !meets(p, 2, o.c, i.c, t.c)) {
          return;
        }
        for (Index n = 0; n < p.n; ++n) {
          for (Index k = 0; k < p.k; ++k) {
            for (Index c = 0; c < cg; ++c) {
              const Index x = (n * p.c + k / kg * cg + c) * in + i_flat;
              const Index w = (k * cg + c) * taps + t_flat;
              const Index y = (n * p.k + k) * out + o_flat;
              if (fwd) accumulate(y, data.x[x], data.w[w]);
              if (bwd_data) accumulate(x, data.dy[y], data.w[w]);
              if (!fwd && !bwd_data) accumulate(w, data.dy[y], data.x[x]);
            }
          }
        }
      });
    });
  });
  for (Index i = 0; i < count; ++i) {
    long double value = static_cast<long double>(p.alpha) * result.value[i];
    long double magnitude = std::fabs(static_cast<long double>(p.alpha)) * result.magnitude[i];
    const auto add = [&](long double factor, double term) {
      value += factor * term;
      magnitude += std::fabs(factor * term);
    };
    if (p.beta != 0) add(p.beta, data.prior[i]);
    if (fwd && p.residual != 0) add(p.residual, data.z[i]);
    if (fwd && p.bias) add(1, data.bias[i / out % p.k]);
    result.value[i] = value;
    result.magnitude[i] = magnitude;
  }
  return result;
}

}  // namespace wm
