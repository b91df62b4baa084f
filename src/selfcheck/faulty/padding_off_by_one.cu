// Planted fault: the first row and column of the image are taken for padding.
#include "ops/conv.hpp"
#include "selfcheck/faulty/faulty.cuh"

namespace wm::WM_FLAVOUR {
namespace {

struct ConvArgs {
  const float* x;
  const float* w;
  float* y;
  int channels, rows, cols;     ///< of x
  int filters, taps_h, taps_w;  ///< of w
  int out_rows, out_cols, pad_h, pad_w;
  int outputs;  ///< n k p q
};

template <bool kFaulty>
__global__ void padding_off_by_one_kernel(ConvArgs args) {
  constexpr int kFirst = kFaulty ? 1 : 0;
  const int i = thread_index();
  if (i >= args.outputs) return;
  const int q = i % args.out_cols;
  const int p = i / args.out_cols % args.out_rows;
  const int filter = i / args.out_cols / args.out_rows % args.filters;
  const int sample = i / args.out_cols / args.out_rows / args.filters;
  float sum = 0;
  for (int c = 0; c < args.channels; ++c) {
    for (int r = 0; r < args.taps_h; ++r) {
      for (int s = 0; s < args.taps_w; ++s) {
        const int h = p + r - args.pad_h;
        const int w = q + s - args.pad_w;
        if (h < kFirst || h >= args.rows || w < kFirst || w >= args.cols) continue;
        const float x = args.x[((sample * args.channels + c) * args.rows + h) * args.cols + w];
        const float weight =
            args.w[((filter * args.channels + c) * args.taps_h + r) * args.taps_w + s];
        sum = wm::fma(x, weight, sum);
      }
    }
  }
  args.y[i] = sum;
}

template <bool kFaulty>
void run_padding_off_by_one(const Problem& problem, const Config&, const LaunchArgs& args) {
  const auto& p = problem.as<ConvProblem>();
  const Dims& x = problem.tensor("x").dims;
  const Dims& y = problem.tensor("y").dims;
  ConvArgs a{args.data<const float>("x"), args.data<const float>("w"), args.data<float>("y")};
  a.channels = static_cast<int>(x[1]);
  a.rows = static_cast<int>(x[2]);
  a.cols = static_cast<int>(x[3]);
  a.filters = static_cast<int>(y[1]);
  a.taps_h = static_cast<int>(p.filter[1]);
  a.taps_w = static_cast<int>(p.filter[2]);
  a.out_rows = static_cast<int>(y[2]);
  a.out_cols = static_cast<int>(y[3]);
  a.pad_h = static_cast<int>(p.pad_begin[1]);
  a.pad_w = static_cast<int>(p.pad_begin[2]);
  a.outputs = static_cast<int>(problem.tensor("y").elements());
  launch<padding_off_by_one_kernel<kFaulty>>(element_shape(a.outputs), args.stream, a);
}

Variant padded_conv(const char* algorithm, const char* summary, LaunchFn launch) {
  Variant variant;
  variant.id = variant_id<float>("conv_fwd", algorithm, Layout::nchw);
  variant.id.has_weights = true;
  variant.summary = summary;
  variant.supports = [](const Problem& problem, const DeviceProps&) {
    const auto& p = problem.as<ConvProblem>();
    const bool plain = p.rank == 2 && p.groups == 1 && !p.flip && p.alpha == 1 && p.beta == 0 &&
                       p.residual == 0 && !p.bias && p.act == ActivationFn::identity &&
                       p.stride[1] == 1 && p.stride[2] == 1 && p.dilation[1] == 1 &&
                       p.dilation[2] == 1 && all_packed(problem);
    return plain ? Support::yes()
                 : Support::no("only a plain 2D convolution of unit stride, packed");
  };
  variant.claims = [](const Problem& problem, const Config&) {
    const auto& p = problem.as<ConvProblem>();
    Claims claims;
    claims.tree_height = static_cast<double>(p.c_per_group() * p.filter_taps());
    return claims;
  };
  variant.launch = launch;
  return variant;
}

}  // namespace

void register_faulty_padding_off_by_one(Catalog& catalog) {
  catalog.add(padded_conv("faulty_padding_off_by_one",
                          "the first row and column of the image are taken for padding",
                          &run_padding_off_by_one<true>));
  catalog.add(padded_conv("sound_padding_off_by_one", "convolution without the planted fault",
                          &run_padding_off_by_one<false>));
}

}  // namespace wm::WM_FLAVOUR
