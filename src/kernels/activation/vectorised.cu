// activation_fwd/vectorised and activation_bwd/vectorised: elementwise, 16 bytes a thread.
//
// Mapping: where all tensors are packed in the same order and aligned, thread i handles the i-th
// 16-byte piece and the last piece is a scalar tail; otherwise a thread finds as many elements
// through their strides, neighbouring threads along the smallest stride. The function is
// chosen once a thread, outside the loop over its elements.
//
// Bytes per output: one read and one write (backward: two reads and one write), the minimum.
//
// Wins: always, for what it does; an activation after a convolution or a matmul is cheaper fused
// into its epilogue.
//
// Arithmetic: the formulas of common/activation_device.cuh in the accumulation type, rounded
// once.
#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "kernels/common/activation_device.cuh"
#include "kernels/common/activation_error.cuh"
#include "ops/activation.hpp"
#include "registry/register.hpp"

namespace wm::WM_FLAVOUR {
namespace {

constexpr int kThreads = 256;

/// Tensors of either direction: forward x, y; backward x, dy, dx.
template <class T, int kTensors>
struct Elements {
  T* data[kTensors] = {};
  std::int64_t count = 0;
  unsigned extents[3] = {1, 1, 1};  ///< of the three inner dimensions, innermost last
  std::int64_t strides[kTensors][4] = {};
};

template <class T>
inline constexpr int kPiece = 16 / static_cast<int>(sizeof(T));

/// What an element becomes: fn(x), or dy fn'(x).
template <ActivationFn kFn, int kTensors, class Acc>
__device__ inline Acc element(const ActivationParams<Acc>& params, const Acc* in) {
  if constexpr (kTensors == 2) return activation_value<kFn>(params, in[0]);
  if constexpr (kTensors == 3) return in[1] * activation_slope<kFn>(params, in[0]);
}

/// Offset of element `index` in tensor t, through its strides.
template <class T, int kTensors>
__device__ inline std::int64_t strided_offset(const Elements<T, kTensors>& elements, int t,
                                              std::int64_t index) {
  std::int64_t offset = 0;
  WM_UNROLL
  for (int d = 3; d > 0; --d) {
    const std::int64_t outer = index / elements.extents[d - 1];
    offset += (index - outer * elements.extents[d - 1]) * elements.strides[t][d];
    index = outer;
  }
  return offset + index * elements.strides[t][0];
}

/// The kPiece elements of a thread: neighbours where tensors are packed, else a block apart so that
/// neighbouring threads have neighbouring elements.
template <class T, int kTensors>
class Share {
 public:
  using Piece = Vec<T, kPiece<T>>;
  __device__ Share(const Elements<T, kTensors>& elements, bool packed)
      : elements_(elements),
        packed_(packed),
        first_(packed ? (std::int64_t{blockIdx.x} * kThreads + threadIdx.x) * kPiece<T>
                      : std::int64_t{blockIdx.x} * kThreads * kPiece<T> + threadIdx.x) {}

  __device__ Piece load(int t) const {
    const T* data = elements_.data[t];
    if (whole()) return load_vec<kPiece<T>>(data + first_);
    Piece piece;
    WM_UNROLL
    for (int v = 0; v < kPiece<T>; ++v)
      piece[v] = exists(v) ? data[offset(t, v)] : from_acc<T>(acc_t<T>(0));
    return piece;
  }
  __device__ void store(int t, const Piece& piece) const {
    T* data = elements_.data[t];
    if (whole()) return store_vec(data + first_, piece);
    WM_UNROLL
    for (int v = 0; v < kPiece<T>; ++v) {
      if (exists(v)) data[offset(t, v)] = piece[v];
    }
  }

 private:
  __device__ bool whole() const { return packed_ && first_ + kPiece<T> <= elements_.count; }
  __device__ std::int64_t index(int v) const { return first_ + v * (packed_ ? 1 : kThreads); }
  __device__ bool exists(int v) const { return index(v) < elements_.count; }
  __device__ std::int64_t offset(int t, int v) const {
    return packed_ ? index(v) : strided_offset(elements_, t, index(v));
  }

  const Elements<T, kTensors>& elements_;
  bool packed_;
  std::int64_t first_;
};

template <class T, int kTensors>
__global__ void __launch_bounds__(kThreads)
    activation_kernel(const Elements<T, kTensors> elements, const bool packed,
                      const ActivationParams<acc_t<T>> params) {
  using Acc = acc_t<T>;
  constexpr int kInputs = kTensors - 1;
  const Share<T, kTensors> share(elements, packed);
  Vec<T, kPiece<T>> in[kInputs];
  WM_UNROLL
  for (int t = 0; t < kInputs; ++t) in[t] = share.load(t);
  Vec<T, kPiece<T>> out = in[0];
  with_activation(params.fn, [&](auto tag) {
    WM_UNROLL
    for (int v = 0; v < kPiece<T>; ++v) {
      Acc values[kInputs];
      WM_UNROLL
      for (int t = 0; t < kInputs; ++t) values[t] = to_acc(in[t][v]);
      out[v] = from_acc<T>(element<decltype(tag)::fn, kTensors>(params, values));
    }
  });
  share.store(kInputs, out);
}

/// Dimensions in the memory order of the first tensor, outermost first.
std::array<std::size_t, 4> memory_order(const TensorDesc& desc) {
  std::array<std::size_t, 4> order{0, 1, 2, 3};
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return desc.strides[a] > desc.strides[b]; });
  return order;
}

template <class T, int kTensors>
Elements<T, kTensors> elements_of(const LaunchArgs& args,
                                  const std::array<const char*, kTensors>& names) {
  Elements<T, kTensors> out;
  const TensorDesc& first = *args.tensor(names[0]).desc;
  const auto order = memory_order(first);
  out.count = first.elements();
  for (std::size_t d = 1; d < 4; ++d)
    out.extents[d - 1] = static_cast<unsigned>(first.dims[order[d]]);
  for (std::size_t t = 0; t < kTensors; ++t) {
    const TensorArg& arg = args.tensor(names[t]);
    out.data[t] = static_cast<T*>(arg.data);
    for (std::size_t d = 0; d < 4; ++d) out.strides[t][d] = arg.desc->strides[order[d]];
  }
  return out;
}

/// Whether every tensor is packed in the order of `elements` and starts at a vector's address.
template <class T, int kTensors>
bool packed_alike(const Elements<T, kTensors>& elements) {
  for (int t = 0; t < kTensors; ++t) {
    if (!is_aligned(elements.data[t], sizeof(T) * kPiece<T>)) return false;
    std::int64_t expected = 1;
    std::int64_t inner = 1;
    for (int d = 3; d > 0; --d) {
      const std::int64_t extent = elements.extents[d - 1];
      if (extent != 1 && elements.strides[t][d] != expected) return false;
      expected *= extent;
      inner *= extent;
    }
    if (elements.count != inner && elements.strides[t][0] != expected) return false;
  }
  return true;
}

template <class T, int kTensors>
void launch_elements(const Problem& problem, const LaunchArgs& args,
                     const std::array<const char*, kTensors>& names) {
  const auto& p = problem.as<ActivationProblem>();
  const Elements<T, kTensors> elements = elements_of<T, kTensors>(args, names);
  if (elements.count == 0) return;
  const auto params = make_activation_params<acc_t<T>>(p.fn, p.alpha, p.beta);
  const bool packed = packed_alike(elements);
  const std::int64_t threads = wm::ceil_div<std::int64_t>(elements.count, kPiece<T>);
  const std::int64_t blocks = wm::ceil_div<std::int64_t>(threads, kThreads);
  launch<activation_kernel<T, kTensors>>(
      LaunchShape{.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(kThreads)},
      args.stream, elements, packed, params);
}

Support activation_support(const Problem& problem) {
  constexpr std::int64_t kLimit = std::int64_t{std::numeric_limits<std::int32_t>::max()} * kThreads;
  const TensorDesc& x = problem.tensors.front();
  if (x.elements() > kLimit)
    return Support::no(std::to_string(x.elements()) + " elements: at most " +
                       std::to_string(kLimit));
  for (const std::int64_t extent : x.dims) {
    if (extent > std::numeric_limits<std::int32_t>::max())
      return Support::no("a dimension of " + std::to_string(extent) + ": at most 2147483647");
  }
  return Support::yes();
}

template <class T>
Variant vectorised(const char* op, Layout layout) {
  Variant variant;
  variant.id = variant_id<T>(op, "vectorised", layout);
  variant.summary = "Elementwise, 16 bytes a thread where tensors are packed.";
  variant.supports = [](const Problem& problem, const DeviceProps&) {
    return activation_support(problem);
  };
  variant.claims = [](const Problem& problem, const Config&) {
    const auto& p = problem.as<ActivationProblem>();
    Claims claims;
    claims.acc = dtype_of<acc_t<T>>;
    claims.function_ulp = p.backward ? activation_slope_ulp(p.fn) : activation_value_ulp(p.fn);
    return claims;
  };
  variant.launch = [](const Problem& problem, const Config&, const LaunchArgs& args) {
    if (problem.as<ActivationProblem>().backward) {
      launch_elements<T, 3>(problem, args, {"x", "dy", "dx"});
    } else {
      launch_elements<T, 2>(problem, args, {"x", "y"});
    }
  };
  return variant;
}

}  // namespace

void register_activation_vectorised(Catalog& catalog);
void register_activation_vectorised(Catalog& catalog) {
  for_types<float, double, f16, bf16>([&]<class T>() {
    for (const Layout layout : kBothLayouts) {
      for (const char* op : {"activation_fwd", "activation_bwd"})
        catalog.add(vectorised<T>(op, layout));
    }
  });
}

}  // namespace wm::WM_FLAVOUR
