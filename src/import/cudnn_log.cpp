// The API log of cuDNN 8 and 9 (CUDNN_LOGINFO_DBG, CUDNN_LOGLEVEL_DBG): each call of the classic
// API prints its descriptors field by field. Repeated calls count. Prefixes ("i!", those of other
// loggers) and indentation are not relied on.
#include <algorithm>
#include <map>
#include <set>

#include "core/tensor.hpp"
#include "core/text.hpp"
#include "import/collector.hpp"

namespace wm::importing {
namespace {

/// Why a call was not read; thrown inside this file only.
struct Unread {
  std::string reason;
};

constexpr std::int64_t kMax = std::int64_t{1} << 40;

/// A call: its descriptors' fields as "xDesc.dimA" -> "32,896,1,832", its own as "algo".
struct Call {
  Place place;
  std::string function;
  std::map<std::string, std::string> fields;

  const std::string* find(const std::string& name) const {
    const auto found = fields.find(name);
    return found == fields.end() ? nullptr : &found->second;
  }
  const std::string& text(const std::string& name) const {
    const std::string* value = find(name);
    if (!value) throw Unread{"the log has no " + name + " of this call"};
    return *value;
  }
  Dims list(const std::string& name) const {
    Dims values;
    for (const std::string& part : split(text(name), ',')) {
      const auto value = int_within(trimmed(part), 0, kMax);
      if (!value) throw Unread{name + "=[" + text(name) + "]: expected sizes"};
      values.push_back(*value);
    }
    return values;
  }
};

/// Fields inside a descriptor; any other name ends it.
bool is_descriptor_field(const std::string& name) {
  static const std::set<std::string> names{"dataType",    "vect",      "nbDims",     "dimA",
                                           "strideA",     "format",    "mode",       "mathType",
                                           "padA",        "dilationA", "groupCount", "arrayLength",
                                           "reorderType", "coef",      "nanOpt",     "reluNanOpt"};
  return names.contains(name);
}

/// Value of "type=int; val=[1,2];" or "val=CUDNN_DATA_HALF (2);" without brackets and number.
std::string value_of(std::string_view rest) {
  const std::size_t at = rest.find("val=");
  if (at == std::string_view::npos) return "";
  rest.remove_prefix(at + 4);
  if (rest.starts_with('[')) {
    rest.remove_prefix(1);
    return std::string(rest.substr(0, rest.find(']')));
  }
  rest = rest.substr(0, rest.find(';'));
  return std::string(trimmed(rest.substr(0, rest.find(" ("))));
}

/// "xDesc" of "i!     xDesc: type=cudnnTensorDescriptor_t:"; empty where the line is no field.
std::string_view field_name(std::string_view line, std::string_view& rest) {
  std::size_t colon = line.find(": type=");
  if (colon == std::string_view::npos) colon = line.find(": location=");
  if (colon == std::string_view::npos) return {};
  std::string_view name = line.substr(0, colon);
  const std::size_t blank = name.find_last_of(" \t!|");
  if (blank != std::string_view::npos) name.remove_prefix(blank + 1);
  rest = line.substr(colon + 2);
  return name;
}

std::string dtype_of(const Call& call, const std::string& descriptor) {
  static const std::map<std::string, std::string> names{
      {"CUDNN_DATA_FLOAT", "f32"},    {"CUDNN_DATA_DOUBLE", "f64"},
      {"CUDNN_DATA_HALF", "f16"},     {"CUDNN_DATA_BFLOAT16", "bf16"},
      {"CUDNN_DATA_INT8", "s8"},      {"CUDNN_DATA_UINT8", "u8"},
      {"CUDNN_DATA_INT32", "s32"},    {"CUDNN_DATA_FP8_E4M3", "e4m3"},
      {"CUDNN_DATA_FP8_E5M2", "e5m2"}};
  const std::string& name = call.text(descriptor + ".dataType");
  const auto found = names.find(name);
  if (found == names.end()) throw Unread{"data type " + name + " not in this library"};
  return found->second;
}

/// Sizes n c [d] h w; 3 to 5 of them.
Dims dims_of(const Call& call, const std::string& descriptor) {
  Dims dims = call.list(descriptor + ".dimA");
  if (const auto count = int_within(call.text(descriptor + ".nbDims"), 1, 8)) {
    dims.resize(std::min(dims.size(), static_cast<std::size_t>(*count)));
  }
  if (dims.size() < 3 || dims.size() > 5) {
    throw Unread{descriptor + " has " + std::to_string(dims.size()) + " dimensions"};
  }
  return dims;
}

/// Whether two stride lists address alike: the stride of a size 1 says nothing.
bool same_strides(const Dims& dims, const Dims& a, const Dims& b) {
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != 1 && a[i] != b[i]) return false;
  }
  return true;
}

/// Adds "x.strides" where the tensor is not packed in the layout.
void add_strides(const Call& call, const std::string& descriptor, const std::string& tensor,
                 bool channels_last, KeyValues& keys) {
  const Dims dims = dims_of(call, descriptor);
  Dims strides = call.list(descriptor + ".strideA");
  if (strides.size() < dims.size()) throw Unread{descriptor + " has too few strides"};
  strides.resize(dims.size());
  const Dims packed = channels_last ? channels_last_strides(dims) : packed_strides(dims);
  if (same_strides(dims, strides, packed)) return;
  std::vector<std::string> parts;
  for (const std::int64_t stride : strides) parts.push_back(std::to_string(stride));
  keys.emplace_back(tensor + ".strides", join(parts, ","));
}

/// Whether the strides are those of channels last and not also those of nchw.
bool is_channels_last(const Call& call, const std::string& descriptor) {
  const Dims dims = dims_of(call, descriptor);
  const Dims strides = call.list(descriptor + ".strideA");
  if (strides.size() < dims.size()) throw Unread{descriptor + " has too few strides"};
  return same_strides(dims, strides, channels_last_strides(dims)) &&
         !same_strides(dims, strides, packed_strides(dims));
}

void add_factors(const Call& call, const std::string& alpha, KeyValues& keys) {
  for (const auto& [field, key] : {std::pair<std::string, std::string>{alpha, "alpha"},
                                   std::pair<std::string, std::string>{"beta", "beta"}}) {
    if (const std::string* value = call.find(field)) {
      const auto number = parse_real(*value);
      if (!number) throw Unread{field + "=" + *value + ": expected a number"};
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
    throw Unread{"filter, stride and dilation must be at least 1"};
  }
  const std::int64_t room = in + 2 * pad - ((filter - 1) * dilation + 1);
  if (room < 0 || room / stride + 1 != out) {
    throw Unread{"the output size " + std::to_string(out) + " does not follow from the input " +
                 std::to_string(in)};
  }
}

void add_window(const Call& call, const Dims& x, const Dims& w, const Dims& y, KeyValues& keys) {
  const std::size_t rank = x.size() - 2;
  const Dims pads = call.list("convDesc.padA"), strides = call.list("convDesc.strideA"),
             dilations = call.list("convDesc.dilationA");
  if (pads.size() < rank || strides.size() < rank || dilations.size() < rank) {
    throw Unread{"convDesc has fewer dimensions than the tensors"};
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

void add_types(const Call& call, const ConvNames& names, KeyValues& keys) {
  const std::string in = dtype_of(call, names.x), weights = dtype_of(call, names.w),
                    out = dtype_of(call, names.y), acc = dtype_of(call, "convDesc");
  const bool same = in == weights && in == out;
  keys.emplace_back("dtype", same ? in : in + "." + weights + "." + out);
  // cuDNN's "pseudo-half" computes in f32; that is the default here.
  if (acc == "f16" || acc == "f64") keys.emplace_back("acc", acc);
  const std::string* math = call.find("convDesc.mathType");
  if (math && *math == "CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION" && same && in == "f32") {
    keys.emplace_back("math", "tf32");
  }
}

KeyValues conv_keys(const Call& call, const ConvNames& names) {
  const Dims x = dims_of(call, names.x), w = dims_of(call, names.w), y = dims_of(call, names.y);
  if (w.size() != x.size() || y.size() != x.size()) throw Unread{"tensors of different ranks"};
  const std::string* group_count = call.find("convDesc.groupCount");
  const auto groups = group_count ? int_within(*group_count, 1, kMax) : 1;
  if (!groups) throw Unread{"groupCount=" + *group_count + ": expected a number from 1"};
  if (x[1] % *groups != 0 || w[1] != x[1] / *groups || w[0] != y[1] || x[0] != y[0]) {
    throw Unread{"sizes of the tensors do not belong together"};
  }
  const std::string* format = call.find(names.w + ".format");
  const bool last = (format && *format == "CUDNN_TENSOR_NHWC") || is_channels_last(call, names.x) ||
                    is_channels_last(call, names.y);
  if (format && *format == "CUDNN_TENSOR_NCHW_VECT_C") {
    throw Unread{"vectorised layouts not in this library"};
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
  if (last && format && *format != "CUDNN_TENSOR_NHWC") {
    Dims dims = w, strides = packed_strides(w);
    if (!same_strides(dims, strides, channels_last_strides(w))) {
      const std::string tensor = names.op == "conv_bwd_filter" ? "dw" : "w";
      std::vector<std::string> parts;
      for (const std::int64_t stride : strides) parts.push_back(std::to_string(stride));
      keys.emplace_back(tensor + ".strides", join(parts, ","));
    }
  }
  return keys;
}

void add_conv(const Call& call, const ConvNames& names, Collector& out) {
  KeyValues keys = conv_keys(call, names);
  add_factors(call, "alpha", keys);
  out.add(call.place, names.op, keys);
}

/// y = act(alpha1 conv(x, w) + alpha2 z + bias).
void add_fused_conv(const Call& call, Collector& out) {
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
    throw Unread{"fused activation " + act + " not in this library"};
  }
  out.add(call.place, "conv_fwd", keys);
}

/// n c h w; the depth of a 5D tensor joins the height.
KeyValues image_keys(const Call& call, const std::string& descriptor, const std::string& tensor) {
  Dims dims = dims_of(call, descriptor);
  const bool last = is_channels_last(call, descriptor);
  KeyValues strides;
  add_strides(call, descriptor, tensor, last, strides);
  if (!strides.empty()) throw Unread{descriptor + " is not packed"};
  if (dims.size() == 5) {
    if (dims[2] != 0 && dims[3] > kMax / dims[2]) throw Unread{"more than 2^40 positions"};
    dims = {dims[0], dims[1], dims[2] * dims[3], dims[4]};
  }
  dims.resize(4, 1);
  return {{"n", std::to_string(dims[0])},        {"c", std::to_string(dims[1])},
          {"h", std::to_string(dims[2])},        {"w", std::to_string(dims[3])},
          {"dtype", dtype_of(call, descriptor)}, {"layout", last ? "nhwc" : "nchw"}};
}

void refuse_factors(const Call& call) {
  KeyValues factors;
  add_factors(call, "alpha", factors);
  for (const auto& [key, value] : factors) {
    if (value != (key == "alpha" ? "1" : "0")) {
      throw Unread{key + "=" + value + " of this op not in this library"};
    }
  }
}

void add_softmax(const Call& call, bool backward, Collector& out) {
  static const std::map<std::string, std::string> kinds{{"CUDNN_SOFTMAX_FAST", "fast"},
                                                        {"CUDNN_SOFTMAX_ACCURATE", "accurate"},
                                                        {"CUDNN_SOFTMAX_LOG", "log"}};
  refuse_factors(call);
  KeyValues keys = image_keys(call, backward ? "yDesc" : "xDesc", backward ? "y" : "x");
  const std::string* algo = call.find("algorithm");
  const auto kind = kinds.find(algo ? *algo : call.text("algo"));
  if (kind == kinds.end()) throw Unread{"softmax algorithm not in this library"};
  keys.emplace_back("kind", kind->second);
  const bool instance = call.text("mode") == "CUDNN_SOFTMAX_MODE_INSTANCE";
  keys.emplace_back("mode", instance ? "instance" : "channel");
  out.add(call.place, backward ? "softmax_bwd" : "softmax_fwd", keys);
}

void add_activation(const Call& call, bool backward, Collector& out) {
  static const std::map<std::string, std::string> functions{
      {"CUDNN_ACTIVATION_SIGMOID", "sigmoid"}, {"CUDNN_ACTIVATION_RELU", "relu"},
      {"CUDNN_ACTIVATION_TANH", "tanh"},       {"CUDNN_ACTIVATION_CLIPPED_RELU", "clipped_relu"},
      {"CUDNN_ACTIVATION_ELU", "elu"},         {"CUDNN_ACTIVATION_IDENTITY", "identity"},
      {"CUDNN_ACTIVATION_SWISH", "swish"}};
  refuse_factors(call);
  KeyValues keys = image_keys(call, "xDesc", "x");
  const std::string& mode = call.text("activationDesc.mode");
  const auto fn = functions.find(mode);
  if (fn == functions.end()) throw Unread{"activation " + mode + " not in this library"};
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

void read_call(const Call& call, Collector& out) {
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
    throw Unread{"a call of the graph API does not name its shapes in the log"};
  }
  throw Unread{"op " + function + " not in this library"};
}

/// Name of the function of a heading line, or empty.
std::string_view called_function(std::string_view line) {
  const std::size_t end = line.find("() called");
  const std::size_t start = line.find("function ");
  if (end == std::string_view::npos || start == std::string_view::npos || start + 9 >= end) {
    return {};
  }
  return line.substr(start + 9, end - start - 9);
}

class LogReader {
 public:
  explicit LogReader(Collector& out) : out_(out) {}

  void read(std::istream& stream, const std::string& file) {
    LineReader reader(stream);
    for (std::string line; reader.next(line);) {
      if (const std::string_view function = called_function(line); !function.empty()) {
        finish();
        call_ = Call{{file, reader.number(), std::string(trimmed(line)).substr(0, 1000)},
                     std::string(function),
                     {}};
        descriptor_.clear();
      } else {
        add_field(line);
      }
    }
    finish();
  }

 private:
  void add_field(std::string_view line) {
    std::string_view rest;
    const std::string name(field_name(line, rest));
    if (name.empty() || call_.function.empty() || call_.fields.size() > 1000) return;
    if (rest.find("Descriptor_t") != std::string_view::npos &&
        rest.find("val=") == std::string_view::npos) {
      descriptor_ = name;
      return;
    }
    if (!is_descriptor_field(name)) descriptor_.clear();
    // A call's own `mode` (softmax) stands where no descriptor is open.
    const std::string key = descriptor_.empty() ? name : descriptor_ + "." + name;
    call_.fields.emplace(key, value_of(rest));
  }

  void finish() {
    if (call_.function.empty()) return;
    try {
      read_call(call_, out_);
    } catch (const Unread& why) {
      out_.unread(call_.place, why.reason);
    }
    call_ = {};
  }

  Collector& out_;
  Call call_;
  std::string descriptor_;
};

}  // namespace

void read_cudnn_log(std::istream& stream, const std::string& file, Collector& out) {
  LogReader(out).read(stream, file);
}

}  // namespace wm::importing
