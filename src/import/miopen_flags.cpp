#include "import/miopen_flags.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "import/collector.hpp"

namespace wm::importing {
namespace {

constexpr std::int64_t kMax = std::int64_t{1} << 40;

const std::vector<Flag>& common_flags() {
  static const std::vector<Flag> flags{{'i', "iter", "", true},
                                       {'V', "verify", "", true},
                                       {'t', "time", "", true},
                                       {'w', "wall", "", true},
                                       {'s', "search", "", true},
                                       {'o', "dump_output", "", true},
                                       {'C', "verification_cache", "", true},
                                       {'G', "gpualloc", "", true},
                                       {'S', "solution", "", true},
                                       {'d', "in_data", "", true},
                                       {'e', "weights", "", true},
                                       {'D', "dout_data", "", true},
                                       {'P', "print", "", true},
                                       {'N', "nan_fill", "", true}};
  return flags;
}

}  // namespace

const std::vector<Flag>& conv_flags() {
  static const std::vector<Flag> flags{
      {'F', "forw", "0"},           {'n', "batchsize", "100"},    {'c', "in_channels", "3"},
      {'!', "in_d", "32"},          {'H', "in_h", "32"},          {'W', "in_w", "32"},
      {'k', "out_channels", "32"},  {'@', "fil_d", "3"},          {'y', "fil_h", "3"},
      {'x', "fil_w", "3"},          {'#', "conv_stride_d", "1"},  {'u', "conv_stride_h", "1"},
      {'v', "conv_stride_w", "1"},  {'$', "pad_d", "0"},          {'p', "pad_h", "0"},
      {'q', "pad_w", "0"},          {'^', "dilation_d", "1"},     {'l', "dilation_h", "1"},
      {'j', "dilation_w", "1"},     {'b', "bias", "0"},           {'m', "mode", "conv"},
      {'z', "pad_mode", "default"}, {'g', "group_count", "1"},    {'_', "spatial_dim", "2"},
      {'I', "in_layout", ""},       {'f', "fil_layout", ""},      {'O', "out_layout", ""},
      {'r', "pad_val", "0"},        {'Z', "tensor_vect", "0"},    {'L', "vector_length", "1"},
      {'U', "in_cast_type", "-1"},  {'R', "wei_cast_type", "-1"}, {'T', "out_cast_type", "-1"},
      {'a', "in_bias", "", true}};
  return flags;
}

const std::vector<Flag>& gemm_flags() {
  static const std::vector<Flag> flags{{'F', "forw", "1"},       {'b', "batch_count", "1"},
                                       {'C', "isColMajor", "0"}, {'m', "a_h", "256"},
                                       {'k', "a_w", "256"},      {'n', "b_w", "256"},
                                       {'A', "alpha", "1"},      {'B', "beta", "0"},
                                       {'u', "transA", "0"},     {'v', "transB", "0"}};
  return flags;
}

const std::vector<Flag>& softmax_flags() {
  static const std::vector<Flag> flags{
      {'F', "forw", "0"},  {'n', "batchsize", "100"}, {'c', "in_channels", "3"},
      {'H', "in_h", "32"}, {'W', "in_w", "32"},       {'A', "alpha", "1"},
      {'B', "beta", "0"},  {'a', "algorithm", "1"},   {'m', "mode", "1"}};
  return flags;
}

const std::vector<Flag>& activ_flags() {
  static const std::vector<Flag> flags{
      {'F', "forw", "0"},  {'n', "batchsize", "100"}, {'c', "in_channels", "3"},
      {'H', "in_h", "32"}, {'W', "in_w", "32"},       {'m', "mode", "3"},
      {'A', "alpha", "0"}, {'B', "beta", "0"},        {'P', "power", "1"}};
  return flags;
}

Flags::Flags(const std::vector<Flag>& own, const std::vector<std::string>& words) : own_(own) {
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const Flag& flag = find(words[i]);
    if (i + 1 == words.size()) throw UnreadCommand{"option " + words[i] + " has no value"};
    if (!flag.ignored) values_[std::string(flag.name)] = words[i + 1];
  }
}

std::string Flags::text(std::string_view name) const {
  const auto found = values_.find(name);
  if (found != values_.end()) return found->second;
  const auto declared =
      std::find_if(own_.begin(), own_.end(), [&](const Flag& flag) { return flag.name == name; });
  return declared == own_.end() ? "" : std::string(declared->fallback);
}

std::int64_t Flags::integer(std::string_view name, std::int64_t lo) const {
  const auto value = int_within(text(name), lo, kMax);
  if (value) return *value;
  throw UnreadCommand{"--" + std::string(name) + " " + text(name) + ": expected an integer from " +
                      std::to_string(lo)};
}

double Flags::real(std::string_view name) const {
  const auto value = parse_real(text(name));
  if (value) return *value;
  throw UnreadCommand{"--" + std::string(name) + " " + text(name) + ": expected a number"};
}

const Flag& Flags::find(const std::string& word) const {
  const bool is_long = word.starts_with("--") && word.size() > 3;
  const bool is_short = word.size() == 2 && word[0] == '-';
  for (const std::vector<Flag>* flags : {&own_, &common_flags()}) {
    for (const Flag& flag : *flags) {
      if (is_long && flag.name == std::string_view(word).substr(2)) return flag;
      if (is_short && flag.letter == word[1]) return flag;
    }
  }
  throw UnreadCommand{"unknown option " + word};
}

}  // namespace wm::importing
