// MIOpenDriver command lines: conv, gemm, softmax and activ, with fp16 and bfp16 suffixes. Flags
// and their defaults are those of the driver's AddInputFlag tables.
#include <algorithm>

#include "core/text.hpp"
#include "import/collector.hpp"
#include "import/miopen_flags.hpp"

namespace wm::importing {
namespace {

std::string number(std::int64_t value) { return std::to_string(value); }

/// nchw or nhwc from the three layout flags, which must agree.
std::string conv_layout(const Flags& flags) {
  std::string layout;
  for (const char* name : {"in_layout", "fil_layout", "out_layout"}) {
    const std::string text = flags.text(name);
    if (text.empty()) continue;
    const bool last = text == "NHWC" || text == "NDHWC";
    if (!last && text != "NCHW" && text != "NCDHW") {
      throw UnreadCommand{"layout " + text + " not in this library"};
    }
    const std::string word = last ? "nhwc" : "nchw";
    if (!layout.empty() && word != layout) throw UnreadCommand{"layouts of the tensors differ"};
    layout = word;
  }
  return layout.empty() ? "nchw" : layout;
}

/// Padding of one dimension; `same` is the driver's own rule.
std::int64_t padding(const Flags& flags, const std::string& dim) {
  const std::string mode = flags.text("pad_mode");
  if (mode == "default") return flags.integer("pad_" + dim);
  if (mode == "valid") return 0;
  if (mode != "same")
    throw UnreadCommand{"--pad_mode " + mode + ": expected default, same or valid"};
  const std::int64_t size = flags.integer("in_" + dim, 1), filter = flags.integer("fil_" + dim, 1),
                     stride = flags.integer("conv_stride_" + dim, 1);
  const std::int64_t rest = size % stride;
  return std::max<std::int64_t>(0, filter - (rest == 0 ? stride : rest)) / 2;
}

void add_spatial(const Flags& flags, KeyValues& keys) {
  const std::int64_t rank = flags.integer("spatial_dim");
  if (rank != 2 && rank != 3)
    throw UnreadCommand{"--spatial_dim " + number(rank) + ": expected 2 or 3"};
  const std::vector<std::string> dims =
      rank == 3 ? std::vector<std::string>{"d", "h", "w"} : std::vector<std::string>{"h", "w"};
  for (const std::string& dim : dims) {
    const std::string filter = dim == "d" ? "t" : dim == "h" ? "r" : "s";
    keys.emplace_back(dim, number(flags.integer("in_" + dim, 1)));
    keys.emplace_back(filter, number(flags.integer("fil_" + dim, 1)));
    keys.emplace_back("pad_" + dim, number(padding(flags, dim)));
    keys.emplace_back("stride_" + dim, number(flags.integer("conv_stride_" + dim, 1)));
    keys.emplace_back("dil_" + dim, number(flags.integer("dilation_" + dim, 1)));
  }
}

void refuse_conv_extras(const Flags& flags) {
  const std::string mode = flags.text("mode");
  if (mode != "conv") throw UnreadCommand{"convolution mode " + mode + " not in this library"};
  if (flags.text("pad_val") != "0") throw UnreadCommand{"padding with other values than 0"};
  if (flags.text("tensor_vect") != "0")
    throw UnreadCommand{"vectorised layouts not in this library"};
  for (const char* cast : {"in_cast_type", "wei_cast_type", "out_cast_type"}) {
    if (flags.text(cast) != "-1")
      throw UnreadCommand{"--" + std::string(cast) + " not in this library"};
  }
}

void add_conv(const Place& place, const Flags& flags, const std::string& dtype, Collector& out) {
  refuse_conv_extras(flags);
  const std::int64_t directions = flags.integer("forw");
  if (directions > 7) throw UnreadCommand{"-F " + number(directions) + ": expected 0 to 7"};
  KeyValues keys{{"n", number(flags.integer("batchsize"))},
                 {"c", number(flags.integer("in_channels", 1))},
                 {"k", number(flags.integer("out_channels", 1))},
                 {"groups", number(flags.integer("group_count", 1))},
                 {"dtype", dtype},
                 {"layout", conv_layout(flags)}};
  add_spatial(flags, keys);
  const std::int64_t mask = directions == 0 ? 7 : directions;
  const bool bias = flags.integer("bias") != 0;
  if ((mask & 1) != 0) {
    KeyValues forward = keys;
    if (bias) forward.emplace_back("bias", "1");
    out.add(place, "conv_fwd", forward);
  }
  if ((mask & 2) != 0) out.add(place, "conv_bwd_data", keys);
  if ((mask & 4) != 0) out.add(place, "conv_bwd_filter", keys);
  if (bias && (mask & 6) != 0) out.note(place, "the gradient of the bias is left out");
}

void add_gemm(const Place& place, const Flags& flags, const std::string& dtype, Collector& out) {
  std::int64_t m = flags.integer("a_h"), n = flags.integer("b_w");
  bool transpose_a = flags.integer("transA") != 0, transpose_b = flags.integer("transB") != 0;
  // Column-major C = A B is row-major C^T = B^T A^T.
  if (flags.integer("isColMajor") != 0) {
    std::swap(m, n);
    std::swap(transpose_a, transpose_b);
  }
  out.add(place, "matmul",
          {{"m", number(m)},
           {"n", number(n)},
           {"k", number(flags.integer("a_w"))},
           {"batch", number(flags.integer("batch_count"))},
           {"transpose_a", transpose_a ? "1" : "0"},
           {"transpose_b", transpose_b ? "1" : "0"},
           {"alpha", format_real(flags.real("alpha"))},
           {"beta", format_real(flags.real("beta"))},
           {"dtype", dtype}});
}

/// n c h w of a 4D driver.
KeyValues image_keys(const Flags& flags, const std::string& dtype) {
  return {{"n", number(flags.integer("batchsize"))},
          {"c", number(flags.integer("in_channels", 1))},
          {"h", number(flags.integer("in_h", 1))},
          {"w", number(flags.integer("in_w", 1))},
          {"dtype", dtype}};
}

/// -F 0: both directions, 1: forward, 2: backward.
void add_directions(const Place& place, const Flags& flags, const std::string& family,
                    const KeyValues& keys, Collector& out) {
  const std::int64_t directions = flags.integer("forw");
  if (directions > 3) throw UnreadCommand{"-F " + number(directions) + ": expected 0 to 3"};
  if (directions != 2) out.add(place, family + "_fwd", keys);
  if (directions != 1) out.add(place, family + "_bwd", keys);
}

void add_softmax(const Place& place, const Flags& flags, const std::string& dtype, Collector& out) {
  static const std::vector<std::string> kinds{"fast", "accurate", "log"};
  const std::int64_t kind = flags.integer("algorithm"), mode = flags.integer("mode");
  if (kind > 2) throw UnreadCommand{"--algorithm " + number(kind) + ": expected 0 to 2"};
  if (flags.real("alpha") != 1 || flags.real("beta") != 0) {
    throw UnreadCommand{"softmax with alpha or beta not in this library"};
  }
  KeyValues keys = image_keys(flags, dtype);
  keys.emplace_back("kind", kinds[static_cast<std::size_t>(kind)]);
  keys.emplace_back("mode", mode == 0 ? "instance" : "channel");
  add_directions(place, flags, "softmax", keys, out);
}

/// miopenActivationMode_t. Its tanh and sigmoid take factors that this library does not have.
KeyValues activation_keys(const Flags& flags) {
  const std::int64_t mode = flags.integer("mode");
  const double alpha = flags.real("alpha"), beta = flags.real("beta");
  const std::string alpha_text = format_real(alpha);
  switch (mode) {
    case 0:
      return {{"fn", "identity"}};
    case 1:
      return {{"fn", "sigmoid"}};
    case 2:
      if (alpha == beta && (alpha == 0 || alpha == 1)) return {{"fn", "tanh"}};
      throw UnreadCommand{"tanh with factors not in this library"};
    case 3:
      return {{"fn", "relu"}};
    case 4:
      return {{"fn", "softplus"}};
    case 7:
      return {{"fn", "clipped_relu"}, {"alpha", alpha_text}};
    case 8:
      return {{"fn", "leaky_relu"}, {"alpha", alpha_text}};
    case 9:
      return {{"fn", "elu"}, {"alpha", alpha_text}};
    default:
      throw UnreadCommand{"activation mode " + number(mode) + " not in this library"};
  }
}

void add_activ(const Place& place, const Flags& flags, const std::string& dtype, Collector& out) {
  KeyValues keys = image_keys(flags, dtype);
  for (auto& key : activation_keys(flags)) keys.push_back(std::move(key));
  add_directions(place, flags, "activation", keys, out);
}

/// Base name and type of a driver word: "convfp16" -> conv, f16.
std::string split_type(const std::string& word, std::string& dtype) {
  static const std::vector<std::pair<std::string, std::string>> suffixes{
      {"bfp16", "bf16"}, {"fp16", "f16"}, {"fp64", "f64"},
      {"int8", "s8"},    {"bfp8", ""},    {"fp8", ""}};
  dtype = "f32";
  for (const auto& [suffix, type] : suffixes) {
    if (!word.ends_with(suffix) || word.size() == suffix.size()) continue;
    if (type.empty()) throw UnreadCommand{"data type " + suffix + " (fnuz) not in this library"};
    dtype = type;
    return word.substr(0, word.size() - suffix.size());
  }
  return word;
}

/// Position of the word after the driver's name, or of a bare driver word.
std::size_t command_start(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].ends_with("MIOpenDriver")) return i + 1;
  }
  for (const char* known : {"conv", "gemm", "softmax", "activ"}) {
    if (!words.empty() && words[0].starts_with(known)) return 0;
  }
  throw UnreadCommand{"no MIOpenDriver command"};
}

void read_line(const Place& place, const std::string& line, Collector& out) {
  const std::vector<std::string> words = shell_words(line);
  const std::size_t start = command_start(words);
  if (start >= words.size()) throw UnreadCommand{"no driver after MIOpenDriver"};
  std::string dtype;
  const std::string driver = split_type(words[start], dtype);
  const std::vector<std::string> rest(words.begin() + static_cast<std::ptrdiff_t>(start) + 1,
                                      words.end());
  if (driver == "conv") return add_conv(place, {conv_flags(), rest}, dtype, out);
  if (driver == "gemm") return add_gemm(place, {gemm_flags(), rest}, dtype, out);
  if (driver == "softmax") return add_softmax(place, {softmax_flags(), rest}, dtype, out);
  if (driver == "activ") return add_activ(place, {activ_flags(), rest}, dtype, out);
  throw UnreadCommand{"op " + words[start] + " not in this library"};
}

}  // namespace

void read_miopen(std::istream& stream, const std::string& file, Collector& out) {
  LineReader reader(stream);
  for (std::string line; reader.next(line);) {
    const std::string_view content = trimmed(line);
    if (content.empty() || content.front() == '#') continue;
    const Place place{file, reader.number(), std::string(content.substr(0, 1000))};
    if (reader.too_long()) {
      out.unread(place, "line longer than 1 MiB");
      continue;
    }
    try {
      read_line(place, line, out);
    } catch (const UnreadCommand& why) {
      out.unread(place, why.reason);
    }
  }
}

}  // namespace wm::importing
