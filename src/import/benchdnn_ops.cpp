#include "import/benchdnn_ops.hpp"

#include <algorithm>
#include <array>

#include "core/text.hpp"

namespace wm::importing {
namespace {

const std::string& setting(const BenchdnnSettings& settings, std::string_view name) {
  return settings.find(name)->second;
}

bool contains(std::initializer_list<std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string dtype_word(const std::string& word) {
  static const std::map<std::string, std::string> names{
      {"f32", "f32"}, {"f64", "f64"}, {"f16", "f16"},      {"bf16", "bf16"},   {"s8", "s8"},
      {"u8", "u8"},   {"s32", "s32"}, {"f8_e4m3", "e4m3"}, {"f8_e5m2", "e5m2"}};
  const auto found = names.find(word);
  if (found == names.end()) throw UnreadProblem{"data type " + word + " not in this library"};
  return found->second;
}

/// "f16" or "f16:f16:f32" -> "f16.f16.f32".
std::string dtype_of(const std::string& text) {
  std::vector<std::string> words;
  for (const std::string& word : split(text, ':')) words.push_back(dtype_word(word));
  if (words.size() != 1 && words.size() != 3) {
    throw UnreadProblem{"--dt=" + text + ": expected one type or three"};
  }
  return join(words, ".");
}

/// "bf16bf16f32" of the former option --cfg; "_wino" says nothing about types.
std::string dtype_of_cfg(std::string_view cfg) {
  std::string_view rest = cfg;
  if (rest.ends_with("_wino")) rest.remove_suffix(5);
  std::vector<std::string> words;
  while (!rest.empty() && words.size() < 4) {
    std::size_t length = 0;
    for (const std::string_view word : {"bf16", "f16", "f32", "f64", "s8", "u8", "s32"}) {
      if (rest.starts_with(word)) length = std::max(length, word.size());
    }
    if (length == 0) break;
    words.emplace_back(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  if (!rest.empty() || (words.size() != 1 && words.size() != 3)) {
    throw UnreadProblem{"--cfg=" + std::string(cfg) + " not in this library"};
  }
  return dtype_of(join(words, ":"));
}

std::string conv_dtype(const BenchdnnSettings& settings) {
  const std::string& cfg = setting(settings, "cfg");
  return cfg.empty() ? dtype_of(setting(settings, "dt")) : dtype_of_cfg(cfg);
}

/// Layout of an image tag; empty where it says nothing.
std::string layout_of(const std::string& tag) {
  if (contains({"any", "undef", ""}, tag)) return "";
  if (contains({"abx", "ab", "abc", "abcd", "abcde", "nchw", "ncw", "ncdhw", "nc"}, tag)) {
    return "nchw";
  }
  if (contains({"axb", "acb", "acdb", "acdeb", "nhwc", "nwc", "ndhwc"}, tag)) return "nhwc";
  throw UnreadProblem{"layout tag " + tag + " not in this library"};
}

/// The layout that all tags agree on.
std::string common_layout(const BenchdnnSettings& settings,
                          std::initializer_list<const char*> options) {
  std::string layout;
  for (const char* option : options) {
    const std::string each = layout_of(setting(settings, option));
    if (each.empty()) continue;
    if (!layout.empty() && each != layout) throw UnreadProblem{"layouts of the tensors differ"};
    layout = each;
  }
  return layout.empty() ? "nchw" : layout;
}

/// What follows the product: sum (beta = 1), then one activation.
struct PostOps {
  bool sum = false;
  std::string act;  ///< empty: none
};

PostOps post_ops(const std::string& text) {
  PostOps ops;
  if (text.empty()) return ops;
  for (const std::string& word : split(text, '+')) {
    if (word == "sum" && !ops.sum && ops.act.empty()) {
      ops.sum = true;
    } else if (ops.act.empty() && contains({"relu", "tanh", "elu:1"}, word)) {
      ops.act = word.substr(0, word.find(':'));
    } else if (ops.act.empty() && word == "logistic") {
      ops.act = "sigmoid";
    } else if (ops.act.empty() && contains({"gelu_erf", "gelu_tanh"}, word)) {
      ops.act = word == "gelu_erf" ? "gelu" : word;
    } else {
      throw UnreadProblem{"post-op " + word + " of --attr-post-ops=" + text +
                          " not in this library"};
    }
  }
  return ops;
}

std::int64_t minibatch(const BenchdnnSettings& settings) {
  const std::string& text = setting(settings, "mb");
  const auto mb = int_within(text, 0, std::int64_t{1} << 40);
  if (!mb) throw UnreadProblem{"--mb=" + text + ": expected an integer from 0"};
  return *mb;
}

void add_conv(const Place& place, std::string_view text, const ProblemName& name,
              const BenchdnnSettings& settings, Collector& out) {
  const std::string& dir = setting(settings, "dir");
  if (!contains({"FWD_B", "FWD_D", "FWD_I", "BWD_D", "BWD_W", "BWD_WB"}, dir)) {
    throw UnreadProblem{"direction " + dir + " not in this library"};
  }
  KeyValues keys = conv_descriptor(text, minibatch(settings));
  keys.emplace_back("dtype", conv_dtype(settings));
  keys.emplace_back("layout", common_layout(settings, {"stag", "dtag"}));
  layout_of(setting(settings, "wtag"));
  const PostOps after = post_ops(setting(settings, "attr-post-ops"));
  if (dir.starts_with("BWD") && (after.sum || !after.act.empty())) {
    throw UnreadProblem{"post-ops of a backward convolution not in this library"};
  }
  if (after.sum) keys.emplace_back("beta", "1");
  if (!after.act.empty()) keys.emplace_back("act", after.act);
  const bool bias = dir.ends_with("B") || setting(settings, "bia-dt") != "undef";
  if (dir.starts_with("FWD") && bias) keys.emplace_back("bias", "1");
  const char* op = dir.starts_with("FWD") ? "conv_fwd"
                   : dir == "BWD_D"       ? "conv_bwd_data"
                                          : "conv_bwd_filter";
  out.add(place, op, keys, name.name, name.count);
  if (dir.starts_with("BWD_W") && bias) out.note(place, "the gradient of the bias is left out");
}

/// Whether the two innermost dimensions are swapped ("ba", "acb"); other orders are unread.
bool is_transposed(const std::string& tag, std::size_t rank) {
  if (contains({"any", "undef", "", "abx"}, tag)) return false;
  std::string plain;
  for (std::size_t i = 0; i < rank; ++i) plain += static_cast<char>('a' + static_cast<int>(i));
  if (tag == plain) return false;
  std::swap(plain[rank - 1], plain[rank - 2]);
  if (tag == plain) return true;
  throw UnreadProblem{"layout tag " + tag + " not in this library"};
}

std::string epilogue(const PostOps& after, bool bias) {
  if (after.act.empty()) return bias ? "bias" : "none";
  if (!contains({"relu", "gelu"}, after.act)) {
    throw UnreadProblem{"post-op " + after.act + " of a matmul not in this library"};
  }
  return (bias ? "bias_" : "") + after.act;
}

void add_matmul(const Place& place, std::string_view text, const ProblemName& name,
                const BenchdnnSettings& settings, Collector& out) {
  KeyValues keys = matmul_descriptor(text);
  const std::size_t rank = matmul_rank(text);
  const bool bias = setting(settings, "bia-dt") != "undef";
  const std::string& mask = setting(settings, "bia-mask");
  if (bias && !mask.empty() && mask != std::to_string(std::int64_t{1} << (rank - 1))) {
    throw UnreadProblem{"--bia-mask=" + mask + ": only a bias for each column is in this library"};
  }
  if (is_transposed(setting(settings, "dtag"), rank)) {
    throw UnreadProblem{"column-major results not in this library"};
  }
  const PostOps after = post_ops(setting(settings, "attr-post-ops"));
  keys.emplace_back("transpose_a", is_transposed(setting(settings, "stag"), rank) ? "1" : "0");
  keys.emplace_back("transpose_b", is_transposed(setting(settings, "wtag"), rank) ? "1" : "0");
  keys.emplace_back("epilogue", epilogue(after, bias));
  keys.emplace_back("beta", after.sum ? "1" : "0");
  const std::string& cfg = setting(settings, "cfg");
  keys.emplace_back("dtype", cfg.empty() ? dtype_of(setting(settings, "dt")) : dtype_of_cfg(cfg));
  out.add(place, "matmul", keys, name.name, name.count);
}

/// Product of dims[from, to); dims_descriptor bounds each by 2^40.
std::string product_text(const std::vector<std::int64_t>& dims, std::size_t from, std::size_t to) {
  std::int64_t result = 1;
  for (std::size_t i = from; i < to; ++i) {
    if (dims[i] != 0 && result > (std::int64_t{1} << 40) / dims[i]) {
      throw UnreadProblem{"more than 2^40 elements"};
    }
    result *= dims[i];
  }
  return std::to_string(result);
}

/// "_fwd" or "_bwd" of FWD_D, FWD_I, BWD_D.
std::string direction_suffix(const BenchdnnSettings& settings) {
  const std::string& dir = setting(settings, "dir");
  if (dir == "FWD_D" || dir == "FWD_I") return "_fwd";
  if (dir == "BWD_D") return "_bwd";
  throw UnreadProblem{"direction " + dir + " not in this library"};
}

void add_softmax(const Place& place, std::string_view text, const ProblemName& name,
                 const BenchdnnSettings& settings, Collector& out) {
  std::vector<std::int64_t> dims = dims_descriptor(text);
  const std::int64_t mb = minibatch(settings);
  if (mb > 0) dims[0] = mb;
  const auto axis =
      int_within(setting(settings, "axis"), 0, static_cast<std::int64_t>(dims.size()) - 1);
  if (!axis) throw UnreadProblem{"--axis=" + setting(settings, "axis") + " is not a dimension"};
  const std::string layout = common_layout(settings, {"stag", "dtag"});
  if (layout == "nhwc" && (*axis != 1 || dims.size() > 4)) {
    throw UnreadProblem{"channels last with this axis not in this library"};
  }
  const std::string& alg = setting(settings, "alg");
  if (!contains({"SOFTMAX", "softmax", "LOGSOFTMAX", "logsoftmax"}, alg)) {
    throw UnreadProblem{"softmax algorithm " + alg + " not in this library"};
  }
  const auto at = static_cast<std::size_t>(*axis);
  const bool image = at == 1 && dims.size() == 4;
  const std::string from = dtype_word(setting(settings, "sdt"));
  const std::string to = dtype_word(setting(settings, "ddt"));
  out.add(place, "softmax" + direction_suffix(settings),
          {{"n", product_text(dims, 0, at)},
           {"c", std::to_string(dims[at])},
           {"h", image ? std::to_string(dims[2]) : product_text(dims, at + 1, dims.size())},
           {"w", image ? std::to_string(dims[3]) : "1"},
           {"kind", alg.starts_with("L") || alg.starts_with("l") ? "log" : "accurate"},
           {"dtype", from == to ? from : from + "." + to},
           {"layout", layout}},
          name.name, name.count);
}

/// Eltwise algorithm with its alpha and beta as keys of an activation.
KeyValues activation_keys(std::string alg, double alpha, double beta) {
  if (alg.starts_with("eltwise_")) alg = alg.substr(8);
  if (alg.ends_with("_dst")) alg = alg.substr(0, alg.size() - 4);  // the same function
  const std::string alpha_text = format_real(alpha);
  if (alg == "relu" && alpha == 0) return {{"fn", "relu"}};
  if (alg == "relu") return {{"fn", "leaky_relu"}, {"alpha", alpha_text}};
  if (alg == "elu") return {{"fn", "elu"}, {"alpha", alpha_text}};
  if (alg == "swish") return {{"fn", "swish"}, {"beta", alpha_text}};
  if (alg == "soft_relu" && alpha > 0) return {{"fn", "softplus"}, {"beta", alpha_text}};
  if ((alg == "clip" || alg == "clip_v2") && alpha == 0) {
    return {{"fn", "clipped_relu"}, {"alpha", format_real(beta)}};
  }
  if (alg == "linear" && alpha == 1 && beta == 0) return {{"fn", "identity"}};
  static const std::map<std::string, std::string> same{{"tanh", "tanh"},
                                                       {"logistic", "sigmoid"},
                                                       {"gelu_erf", "gelu"},
                                                       {"gelu_tanh", "gelu_tanh"},
                                                       {"mish", "mish"}};
  const auto found = same.find(alg);
  if (found == same.end()) {
    throw UnreadProblem{"eltwise " + alg + " alpha=" + alpha_text + " beta=" + format_real(beta) +
                        " not in this library"};
  }
  return {{"fn", found->second}};
}

double real_setting(const BenchdnnSettings& settings, std::string_view name) {
  const std::string& text = setting(settings, name);
  const auto value = parse_real(text);
  if (!value) throw UnreadProblem{"--" + std::string(name) + "=" + text + ": expected a number"};
  return *value;
}

void add_eltwise(const Place& place, std::string_view text, const ProblemName& name,
                 const BenchdnnSettings& settings, Collector& out) {
  std::vector<std::int64_t> dims = dims_descriptor(text);
  const std::int64_t mb = minibatch(settings);
  if (mb > 0) dims[0] = mb;
  dims.resize(std::max<std::size_t>(dims.size(), 3), 1);
  const std::string layout = layout_of(setting(settings, "tag"));
  KeyValues keys{{"n", std::to_string(dims[0])},
                 {"c", std::to_string(dims[1])},
                 {"h", std::to_string(dims[2])},
                 {"w", product_text(dims, 3, dims.size())},
                 {"dtype", dtype_word(setting(settings, "dt"))},
                 {"layout", layout.empty() ? "nchw" : layout}};
  for (auto& key : activation_keys(setting(settings, "alg"), real_setting(settings, "alpha"),
                                   real_setting(settings, "beta"))) {
    keys.push_back(std::move(key));
  }
  out.add(place, "activation" + direction_suffix(settings), keys, name.name, name.count);
}

}  // namespace

const BenchdnnSettings& benchdnn_defaults(const std::string& driver) {
  static const BenchdnnSettings conv{{"dir", "FWD_B"}, {"dt", "f32"},       {"cfg", ""},
                                     {"stag", "any"},  {"wtag", "any"},     {"dtag", "any"},
                                     {"mb", "0"},      {"bia-dt", "undef"}, {"attr-post-ops", ""}};
  static const BenchdnnSettings matmul{{"dt", "f32"},    {"cfg", ""},          {"stag", "any"},
                                       {"wtag", "any"},  {"dtag", "any"},      {"bia-dt", "undef"},
                                       {"bia-mask", ""}, {"attr-post-ops", ""}};
  static const BenchdnnSettings softmax{{"dir", "FWD_D"},   {"sdt", "f32"},  {"ddt", "f32"},
                                        {"stag", "abx"},    {"dtag", "any"}, {"axis", "1"},
                                        {"alg", "SOFTMAX"}, {"mb", "0"}};
  static const BenchdnnSettings eltwise{{"dir", "FWD_D"}, {"dt", "f32"},  {"tag", "abx"},
                                        {"alg", "relu"},  {"alpha", "0"}, {"beta", "0"},
                                        {"mb", "0"}};
  if (driver == "conv") return conv;
  if (driver == "matmul") return matmul;
  return driver == "softmax" ? softmax : eltwise;
}

void add_benchdnn_problem(const Place& place, const std::string& driver, std::string_view text,
                          const ProblemName& name, const BenchdnnSettings& settings,
                          Collector& out) {
  if (driver == "conv") return add_conv(place, text, name, settings, out);
  if (driver == "matmul") return add_matmul(place, text, name, settings, out);
  if (driver == "softmax") return add_softmax(place, text, name, settings, out);
  add_eltwise(place, text, name, settings, out);
}

}  // namespace wm::importing
