#pragma once
// Accumulating an output by atomicAdd. float and double outputs take the sums themselves, after a
// pass that writes beta * prior (or zeros); 16-bit outputs collect them in a packed float workspace
// and are blended and converted by a last pass.
#include "kernels/conv/parts/conv_output.cuh"
#include "kernels/conv/parts/variant.cuh"

namespace wm::WM_FLAVOUR {

template <class T>
inline constexpr bool kAccumulatesInPlace = sizeof(T) >= 4;

/// rows x columns elements of a tensor; `columns` maps sites of `order`.
template <class T>
struct ElementGrid {
  T* data = nullptr;
  std::int64_t row = 0;
  SiteMap columns;
  __device__ T& at(std::int64_t row_index, const Site& column) const {
    return data[row_index * row + columns.place(column).offset];
  }
};

inline constexpr int kBlendThreads = 256;
inline constexpr int kBlendPerThread = 4;

/// out = beta * prior + partial, absent terms being zero.
template <class T>
struct Blend {
  ElementGrid<T> out;
  ElementGrid<const T> prior;           ///< data null: absent
  ElementGrid<const acc_t<T>> partial;  ///< data null: absent
  acc_t<T> beta = 0;
  SiteOrder order;
  std::int64_t elements = 0;
  bool rows_fastest = false;
  FastDivisor fast;  ///< extent of the direction lanes walk: rows or columns
};

template <class T>
__global__ void __launch_bounds__(kBlendThreads) blend_kernel(Blend<T> args) {
  using Acc = acc_t<T>;
  // One 64-bit division a block; within it 32 bits are enough.
  const std::int64_t first = std::int64_t{blockIdx.x} * (kBlendThreads * kBlendPerThread);
  const std::int64_t first_slow = first / args.fast.value();
  const int first_fast = static_cast<int>(first - first_slow * args.fast.value());
  for (int e = 0; e < kBlendPerThread; ++e) {
    const int local = static_cast<int>(threadIdx.x) + e * kBlendThreads;
    if (first + local >= args.elements) return;
    int fast = first_fast + local;
    const std::int64_t slow = first_slow + args.fast.split(fast);
    const std::int64_t row = args.rows_fastest ? fast : slow;
    const Site column = args.order.at(args.rows_fastest ? static_cast<int>(slow) : fast);
    Acc value = args.partial.data != nullptr ? args.partial.at(row, column) : Acc(0);
    if (args.prior.data != nullptr)
      value = wm::fma(args.beta, to_acc(args.prior.at(row, column)), value);
    args.out.at(row, column) = from_acc<T>(value);
  }
}

/// The shape of the direction's output as rows x columns.
struct GridShape {
  std::int64_t rows = 0, cols = 0;
  SiteOrder order;
};
inline GridShape output_shape(const ConvProblem& p) {
  if (p.direction == ConvDirection::bwd_filter)
    return {p.k, p.c_per_group() * p.filter_taps(), tap_order(p, p.c_per_group(), false)};
  return {p.c, p.n * p.in_positions(), position_order(p.n, p.in[1], p.in[2])};
}

template <class T>
void launch_blend(const ConvProblem& p, Blend<T> args, Stream stream) {
  const GridShape shape = output_shape(p);
  args.elements = shape.rows * shape.cols;
  if (args.elements == 0) return;
  args.order = shape.order;
  args.rows_fastest = std::llabs(args.out.row) < std::llabs(args.out.columns.col_stride);
  args.fast = FastDivisor(args.rows_fastest ? shape.rows : shape.cols);
  const std::int64_t blocks =
      ceil_div(args.elements, std::int64_t{kBlendThreads} * kBlendPerThread);
  launch<blend_kernel<T>>(LaunchShape{.grid = flat_grid(blocks), .block = dim3(kBlendThreads)},
                          stream, args);
}

template <class T>
ElementGrid<T> element_grid(const ConvProblem& p, const TensorDesc& desc, void* data) {
  const OutputLayout layout = output_layout(p, desc);
  return {static_cast<T*>(data), layout.row, layout.columns};
}

/// The output tensor as the workspace stores it: packed, in the problem's layout.
inline TensorDesc packed_output(const Problem& problem, const TensorDesc& output) {
  TensorDesc packed = output;
  packed.offset = 0;
  packed.strides = problem.layout == Layout::nhwc ? channels_last_strides(packed.dims)
                                                  : packed_strides(packed.dims);
  return packed;
}

/// Name of the direction's output.
inline std::string_view output_name(ConvDirection direction) {
  return direction == ConvDirection::bwd_data     ? "dx"
         : direction == ConvDirection::bwd_filter ? "dw"
                                                  : "y";
}

template <class T>
std::size_t accumulation_workspace(const Problem& problem, const Config&) {
  if (kAccumulatesInPlace<T>) return 0;
  const auto& p = problem.as<ConvProblem>();
  const std::int64_t elements = problem.tensor(output_name(p.direction)).elements();
  return static_cast<std::size_t>(elements) * sizeof(float);
}

/// Where the atomics of a launch go, and the passes before and after them.
template <class T>
class Accumulation {
 public:
  using Acc = acc_t<T>;

  Accumulation(const Problem& problem, const LaunchArgs& args)
      : p_(problem.as<ConvProblem>()), stream_(args.stream) {
    const TensorArg& output = args.tensor(output_name(p_.direction));
    blend_.out = element_grid<T>(p_, *output.desc, output.data);
    if (p_.beta != 0) {
      const TensorArg& prior = args.tensor(prior_name(p_.direction));
      blend_.beta = static_cast<Acc>(p_.beta);
      blend_.prior = element_grid<const T>(p_, *prior.desc, prior.data);
    }
    if constexpr (kAccumulatesInPlace<T>) {
      target_desc_ = *output.desc;
      target_data_ = static_cast<Acc*>(output.data);
    } else {
      target_desc_ = packed_output(problem, *output.desc);
      target_data_ = static_cast<Acc*>(args.workspace);
      blend_.partial = element_grid<const Acc>(p_, target_desc_, target_data_);
    }
  }

  Acc* data() const { return target_data_; }
  const TensorDesc& desc() const { return target_desc_; }

  /// Zeros, or beta * prior where the sums go into the output itself.
  void begin() const {
    if constexpr (kAccumulatesInPlace<T>) {
      launch_blend(p_, blend_, stream_);
    } else {
      Blend<Acc> zeros;
      zeros.out = element_grid<Acc>(p_, target_desc_, target_data_);
      launch_blend(p_, zeros, stream_);
    }
  }
  void end() const {
    if constexpr (!kAccumulatesInPlace<T>) launch_blend(p_, blend_, stream_);
  }

 private:
  const ConvProblem& p_;
  Stream stream_;
  Blend<T> blend_;
  TensorDesc target_desc_;
  Acc* target_data_ = nullptr;
};

/// Claims of sums of `chain` products each, `partials` of which are added to an output by
/// atomicAdd. Two partial sums onto zero commute; three, or two onto beta * prior, depend on their
/// order.
inline Claims claims_atomic(const Problem& problem, std::int64_t chain, std::int64_t partials) {
  const auto& p = problem.as<ConvProblem>();
  const bool onto_prior = p.beta != 0 && info(problem.dtypes.in).bytes >= 4;
  Claims claims;
  claims.acc = problem.acc;
  claims.nan_policy = "propagate; padding is multiplied as zeros (0 * inf = NaN)";
  const std::int64_t terms = partials + (onto_prior ? 1 : 0);
  claims.tree_height = static_cast<double>(chain + std::max<std::int64_t>(terms - 1, 0));
  if (claims.acc == DType::f32) claims.flushing_additions = static_cast<double>(terms);
  if (terms > 2) {
    claims.nondeterministic = "atomicAdd of " + std::to_string(partials) +
                              " partial sums an element" + (onto_prior ? " onto beta prior" : "");
    claims.batch_invariant = false;
  }
  return claims;
}

}  // namespace wm::WM_FLAVOUR
