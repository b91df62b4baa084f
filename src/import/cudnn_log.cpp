// The API log of cuDNN 8 and 9 (CUDNN_LOGINFO_DBG, CUDNN_LOGLEVEL_DBG): each call of the classic
// API prints its descriptors field by field. Repeated calls count. Prefixes ("i!", those of other
// loggers) and indentation are not relied on.
#include <algorithm>
#include <map>

#include "core/tensor.hpp"
#include "core/text.hpp"
#include "import/collector.hpp"
#include "import/cudnn_call.hpp"

namespace wm::importing {
namespace {

constexpr std::int64_t kMax = std::int64_t{1} << 40;

std::string dtype_of(const CudnnCall& call, const std::string& descriptor) {
  static const std::map<std::string, std::string> names{
      {"CUDNN_DATA_FLOAT", "f32"},    {"CUDNN_DATA_DOUBLE", "f64"},
      {"CUDNN_DATA_HALF", "f16"},     {"CUDNN_DATA_BFLOAT16", "bf16"},
      {"CUDNN_DATA_INT8", "s8"},      {"CUDNN_DATA_UINT8", "u8"},
      {"CUDNN_DATA_INT32", "s32"},    {"CUDNN_DATA_FP8_E4M3", "e4m3"},
      {"CUDNN_DATA_FP8_E5M2", "e5m2"}};
  const std::string& name = call.text(descriptor + ".dataType");
  const auto found = names.find(name);
  if (found == names.end()) throw UnreadCall{"data type " + name + " not in this library"};
  return found->second;
}

/// Sizes n c [d] h w; 3 to 5 of them.
Dims dims_of(const CudnnCall& call, const std::string& descriptor) {
  Dims dims = call.list(descriptor + ".dimA");
  if (const auto count = int_within(call.text(descriptor + ".nbDims"), 1, 8)) {
    dims.resize(std::min(dims.size(), static_cast<std::size_t>(*count)));
  }
  if (dims.size() < 3 || dims.size() > 5) {
    throw UnreadCall{descriptor + " has " + std::to_string(dims.size()) + " dimensions"};
  }
  Dims at_least_one = dims;
  std::replace(at_least_one.begin(), at_least_one.end(), std::int64_t{0}, std::int64_t{1});
  (void)element_count(at_least_one);  // throws UsageError past 2^62
  return dims;
}

/// Whether two stride lists address alike: the stride of a size 1 says nothing.
bool same_strides(const Dims& dims, const Dims& a, const Dims& b) {
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != 1 && a[i] != b[i]) return false;
  }
  return true;
}

std::string strides_text(const Dims& strides) {
  std::vector<std::string> parts;
  for (const std::int64_t stride : strides) parts.push_back(std::to_string(stride));
  return join(parts, ",");
}

/// Adds "x.strides" where the tensor is not packed in the layout.
void add_strides(const CudnnCall& call, const std::string& descriptor, const std::string& tensor,
                 bool channels_last, KeyValues& keys) {
  const Dims dims = dims_of(call, descriptor);
  Dims strides = call.list(descriptor + ".strideA");
  if (strides.size() < dims.size()) throw UnreadCall{descriptor + " has too few strides"};
  strides.resize(dims.size());
  const Dims packed = channels_last ? channels_last_strides(dims) : packed_strides(dims);
  if (same_strides(dims, strides, packed)) return;
  keys.emplace_back(tensor + ".strides", strides_text(strides));
}

/// Whether the strides are those of channels last and not also those of nchw.
bool is_channels_last(const CudnnCall& call, const std::string& descriptor) {
  const Dims dims = dims_of(call, descriptor);
  const Dims strides = call.list(descriptor + ".strideA");
  if (strides.size() < dims.size()) throw UnreadCall{descriptor + " has too few strides"};
  return same_strides(dims, strides, channels_last_strides(dims)) &&
         !same_strides(dims, strides, packed_strides(dims));
}

void add_factors(const CudnnCall& call, const std::string& alpha, KeyValues& keys) {
  for (const auto& [field, key] : {std::pair<std::string, std::string>{alpha, "alpha"},
                                   std::pair<std::string, std::string>{"beta", "beta"}}) {
    if (const std::string* value = call.find(field)) {
      const auto number = parse_real(*value);
      if (!number) throw UnreadCall{field + "=" + *value + ": expected a number"};
      keys.emplace_back(key, format_real(*number));
    }
  }
}

/// Names of the descriptors of a convolution call.
struct ConvNames {
  std::string op, x, w, y;         // cuDNN's
  std::string x_tensor, y_tensor;  // this library's
};

/// Padding after that gives the stated output; cuDNN pads alike on both sides.
void check_output(std::int64_t in, std::int64_t filter, std::int64_t pad, std::int64_t stride,
                  std::int64_t dilation, std::int64_t out) {
  if (filter < 1 || stride < 1 || dilation < 1 || filter > kMax / dilation) {
    throw UnreadCall{"filter, stride and dilation must be at least 1"};
  }
  const std::int64_t room = in + 2 * pad - ((filter - 1) * dilation + 1);
  if (room < 0 || room / stride + 1 != out) {
    throw UnreadCall{"the output size " + std::to_string(out) + " does not follow from the input " +
                     std::to_string(in)};
  }
}

void add_window(const CudnnCall& call, const Dims& x, const Dims& w, const Dims& y,
                KeyValues& keys) {
  const std::size_t rank = x.size() - 2;
  const Dims pads = call.list("convDesc.padA"), strides = call.list("convDesc.strideA"),
             dilations = call.list("convDesc.dilationA");
  if (pads.size() < rank || strides.size() < rank || dilations.size() < rank) {
    throw UnreadCall{"convDesc has fewer dimensions than the tensors"};
  }
  static const std::vector<std::string> in{"d", "h", "w"}, filter{"t", "r", "s"};
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t dim = 3 - rank + i;
    check_output(x[i + 2], w[i + 2], pads[i], strides[i], dilations[i], y[i + 2]);
    keys.emplace_back(in[dim], std::to_string(x[i + 2]));
    keys.emplace_back(filter[dim], std::to_string(w[i + 2]));
    keys.emplace_back("pad_" + in[dim], std::to_string(pads[i]));
    keys.emplace_back("stride_" + in[dim], std::to_string(strides[i]));
    keys.emplace_back("dil_" + in[dim], std::to_string(dilations[i]));
  }
}

void add_types(const CudnnCall& call, const ConvNames& names, KeyValues& keys) {
  const std::string in = dtype_of(call, names.x), weights = dtype_of(call, names.w),
                    out = dtype_of(call, names.y), acc = dtype_of(call, "convDesc");
  const bool same = in == weights && in == out;
  keys.emplace_back("dtype", same ? in : in + "." + weights + "." + out);
  // cuDNN's "pseudo-half" computes in f32; that is the default here.
  if (acc == "f16" || acc == "f64") keys.emplace_back("acc", acc);
}

KeyValues conv_keys(const CudnnCall& call, const ConvNames& names) {
  const Dims x = dims_of(call, names.x), w = dims_of(call, names.w), y = dims_of(call, names.y);
  if (w.size() != x.size() || y.size() != x.size()) throw UnreadCall{"tensors of different ranks"};
  const std::string* group_count = call.find("convDesc.groupCount");
  const auto groups = group_count ? int_within(*group_count, 1, kMax) : 1;
  if (!groups) throw UnreadCall{"groupCount=" + *group_count + ": expected a number from 1"};
  if (x[1] % *groups != 0 || w[1] != x[1] / *groups || w[0] != y[1] || x[0] != y[0]) {
    throw UnreadCall{"sizes of the tensors do not belong together"};
  }
  const std::string* format = call.find(names.w + ".format");
  const bool last = (format && *format == "CUDNN_TENSOR_NHWC") || is_channels_last(call, names.x) ||
                    is_channels_last(call, names.y);
  if (format && *format == "CUDNN_TENSOR_NCHW_VECT_C") {
    throw UnreadCall{"vectorised layouts not in this library"};
  }
  KeyValues keys{{"n", std::to_string(x[0])},
                 {"c", std::to_string(x[1])},
                 {"k", std::to_string(y[1])},
                 {"groups", std::to_string(*groups)},
                 {"layout", last ? "nhwc" : "nchw"}};
  const std::string* mode = call.find("convDesc.mode");
  if (mode && *mode == "CUDNN_CONVOLUTION") keys.emplace_back("mode", "convolution");
  add_window(call, x, w, y, keys);
  add_types(call, names, keys);
  add_strides(call, names.x, names.x_tensor, last, keys);
  add_strides(call, names.y, names.y_tensor, last, keys);
  // An NCHW filter beside channels-last images.
  const Dims strides = packed_strides(w);
  if (last && format && *format != "CUDNN_TENSOR_NHWC" &&
      !same_strides(w, strides, channels_last_strides(w))) {
    keys.emplace_back(names.op == "conv_bwd_filter" ? "dw.strides" : "w.strides",
                      strides_text(strides));
  }
  return keys;
}

void add_conv(const CudnnCall& call, const ConvNames& names, Collector& out) {
  KeyValues keys = conv_keys(call, names);
  add_factors(call, "alpha", keys);
  out.add(call.place, names.op, keys);
}

/// y = act(alpha1 conv(x, w) + alpha2 z + bias).
void add_fused_conv(const CudnnCall& call, Collector& out) {
  KeyValues keys = conv_keys(call, {"conv_fwd", "xDesc", "wDesc", "yDesc", "x", "y"});
  const std::string* alpha = call.find("alpha1");
  const std::string* residual = call.find("alpha2");
  if (alpha) keys.emplace_back("alpha", *alpha);
  if (residual) keys.emplace_back("residual", *residual);
  keys.emplace_back("bias", "1");
  const std::string& act = call.text("activationDesc.mode");
  if (act == "CUDNN_ACTIVATION_RELU") {
    keys.emplace_back("act", "relu");
  } else if (act != "CUDNN_ACTIVATION_IDENTITY") {
    throw UnreadCall{"fused activation " + act + " not in this library"};
  }
  out.add(call.place, "conv_fwd", keys);
}

/// n c h w; the depth of a 5D tensor joins the height.
KeyValues image_keys(const CudnnCall& call, const std::string& descriptor,
                     const std::string& tensor) {
  Dims dims = dims_of(call, descriptor);
  const bool last = is_channels_last(call, descriptor);
  KeyValues strides;
  add_strides(call, descriptor, tensor, last, strides);
  if (!strides.empty()) throw UnreadCall{descriptor + " is not packed"};
  if (dims.size() == 5) {
    if (dims[2] != 0 && dims[3] > kMax / dims[2]) throw UnreadCall{"more than 2^40 positions"};
    dims = {dims[0], dims[1], dims[2] * dims[3], dims[4]};
  }
  dims.resize(4, 1);
  return {{"n", std::to_string(dims[0])},        {"c", std::to_string(dims[1])},
          {"h", std::to_string(dims[2])},        {"w", std::to_string(dims[3])},
          {"dtype", dtype_of(call, descriptor)}, {"layout", last ? "nhwc" : "nchw"}};
}

void refuse_factors(const CudnnCall& call) {
  KeyValues factors;
  add_factors(call, "alpha", factors);
  for (const auto& [key, value] : factors) {
    if (value != (key == "alpha" ? "1" : "0")) {
      throw UnreadCall{key + "=" + value + " of this op not in this library"};
    }
  }
}

void add_softmax(const CudnnCall& call, bool backward, Collector& out) {
  static const std::map<std::string, std::string> kinds{{"CUDNN_SOFTMAX_FAST", "fast"},
                                                        {"CUDNN_SOFTMAX_ACCURATE", "accurate"},
                                                        {"CUDNN_SOFTMAX_LOG", "log"}};
  refuse_factors(call);
  KeyValues keys = image_keys(call, backward ? "yDesc" : "xDesc", backward ? "y" : "x");
  const std::string* algo = call.find("algorithm");
  const auto kind = kinds.find(algo ? *algo : call.text("algo"));
  if (kind == kinds.end()) throw UnreadCall{"softmax algorithm not in this library"};
  keys.emplace_back("kind", kind->second);
  const bool instance = call.text("mode") == "CUDNN_SOFTMAX_MODE_INSTANCE";
  keys.emplace_back("mode", instance ? "instance" : "channel");
  out.add(call.place, backward ? "softmax_bwd" : "softmax_fwd", keys);
}

void add_activation(const CudnnCall& call, bool backward, Collector& out) {
  static const std::map<std::string, std::string> functions{
      {"CUDNN_ACTIVATION_SIGMOID", "sigmoid"}, {"CUDNN_ACTIVATION_RELU", "relu"},
      {"CUDNN_ACTIVATION_TANH", "tanh"},       {"CUDNN_ACTIVATION_CLIPPED_RELU", "clipped_relu"},
      {"CUDNN_ACTIVATION_ELU", "elu"},         {"CUDNN_ACTIVATION_IDENTITY", "identity"},
      {"CUDNN_ACTIVATION_SWISH", "swish"}};
  refuse_factors(call);
  KeyValues keys = image_keys(call, "xDesc", "x");
  const std::string& mode = call.text("activationDesc.mode");
  const auto fn = functions.find(mode);
  if (fn == functions.end()) throw UnreadCall{"activation " + mode + " not in this library"};
  keys.emplace_back("fn", fn->second);
  if (fn->second == "clipped_relu" || fn->second == "elu") {
    keys.emplace_back("alpha", call.text("activationDesc.coef"));
  }
  out.add(call.place, backward ? "activation_bwd" : "activation_fwd", keys);
}

/// Calls that only prepare: nothing is computed, so nothing is missing.
bool computes_nothing(const std::string& function) {
  static const std::vector<std::string> prefixes{"cudnnCreate",
                                                 "cudnnDestroy",
                                                 "cudnnSet",
                                                 "cudnnGet",
                                                 "cudnnFind",
                                                 "cudnnQuery",
                                                 "cudnnInit",
                                                 "cudnnRestore",
                                                 "cudnnSave",
                                                 "cudnnCopy",
                                                 "cudnnAdvInferVersionCheck"};
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& prefix) { return function.starts_with(prefix); }) ||
         function.ends_with("VersionCheck") ||
         (function.starts_with("cudnnBackend") && function != "cudnnBackendExecute");
}

void read_call(const CudnnCall& call, Collector& out) {
  const std::string& function = call.function;
  if (function == "cudnnConvolutionForward") {
    return add_conv(call, {"conv_fwd", "xDesc", "wDesc", "yDesc", "x", "y"}, out);
  }
  if (function == "cudnnConvolutionBackwardData") {
    return add_conv(call, {"conv_bwd_data", "dxDesc", "wDesc", "dyDesc", "dx", "dy"}, out);
  }
  if (function == "cudnnConvolutionBackwardFilter") {
    return add_conv(call, {"conv_bwd_filter", "xDesc", "dwDesc", "dyDesc", "x", "dy"}, out);
  }
  if (function == "cudnnConvolutionBiasActivationForward") return add_fused_conv(call, out);
  if (function == "cudnnSoftmaxForward") return add_softmax(call, false, out);
  if (function == "cudnnSoftmaxBackward") return add_softmax(call, true, out);
  if (function == "cudnnActivationForward") return add_activation(call, false, out);
  if (function == "cudnnActivationBackward") return add_activation(call, true, out);
  if (computes_nothing(function)) return;
  if (function == "cudnnBackendExecute") {
    throw UnreadCall{"a call of the graph API does not name its shapes in the log"};
  }
  throw UnreadCall{"op " + function + " not in this library"};
}

}  // namespace

void read_cudnn_log(std::istream& stream, const std::string& file, Collector& out) {
  for_each_cudnn_call(stream, file, [&](const CudnnCall& call) {
    try {
      read_call(call, out);
    } catch (const UnreadCall& why) {
      out.unread(call.place, why.reason);
    } catch (const UsageError& error) {
      out.unread(call.place, error.what());
    }
  });
}

}  // namespace wm::importing
