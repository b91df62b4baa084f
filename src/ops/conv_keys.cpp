#include "ops/conv_keys.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/text.hpp"
#include "ops/values.hpp"

namespace wm {
namespace {

using Triple = std::array<std::int64_t, 3>;

constexpr std::array<std::string_view, 3> kIn{"d", "h", "w"};
constexpr std::array<std::string_view, 3> kFilter{"t", "r", "s"};
constexpr std::array<std::string_view, 3> kInDocs{"input depth", "input height", "input width"};
constexpr std::array<std::string_view, 3> kFilterDocs{"filter depth", "filter height",
                                                      "filter width"};

std::string dim_key(std::string_view prefix, std::size_t dim) {
  return std::string(prefix) + std::string(kIn[dim]);
}

Key list_key(std::string name, std::int64_t default_value, std::string doc) {
  Key key = keys::size_or(std::move(name), default_value, std::move(doc), default_value,
                          keys::kMaxWindow);
  key.kind = Key::Kind::list;
  return key;
}

Key alias_key(std::string name, std::int64_t min, std::string doc) {
  Key key = keys::size(std::move(name), std::move(doc), min, keys::kMaxWindow);
  key.alias = true;
  return key;
}

void add_window_keys(std::vector<Key>& list) {
  list.push_back(list_key("pad", 0, "zeros around the input; pad_h beats pad, pad_begin_h both"));
  list.push_back(list_key("stride", 1, "step between outputs; stride_h beats stride"));
  list.push_back(list_key("dil", 1, "step between filter taps, 1: dense; dil_h beats dil"));
}

void add_aliases(std::vector<Key>& list) {
  for (std::size_t dim = 0; dim < 3; ++dim) {
    const std::string at = " in " + std::string(kIn[dim]);
    list.push_back(alias_key(dim_key("pad_", dim), 0, "padding before and after" + at));
    list.push_back(alias_key(dim_key("pad_begin_", dim), 0, "padding before" + at));
    list.push_back(alias_key(dim_key("pad_end_", dim), 0, "padding after" + at));
    list.push_back(alias_key(dim_key("stride_", dim), 1, "stride" + at));
    list.push_back(alias_key(dim_key("dil_", dim), 1, "dilation" + at));
  }
}

Key spatial_key(std::string_view name, std::string_view doc, std::size_t dim, std::int64_t max) {
  Key key = keys::size(std::string(name), std::string(doc), 1, max);
  key.optional = dim < 2;
  return key;
}

/// Spatial dimensions by the keys given; d with t, h with r, and d only with h.
int read_rank(const KeyValues& values) {
  const auto given = [&](std::string_view key) { return find_value(values, key) != nullptr; };
  for (std::size_t dim = 0; dim < 2; ++dim) {
    if (given(kIn[dim]) == given(kFilter[dim])) continue;
    const std::string have(given(kIn[dim]) ? kIn[dim] : kFilter[dim]);
    const std::string lack(given(kIn[dim]) ? kFilter[dim] : kIn[dim]);
    throw UsageError("missing key \"" + lack + "\": it goes with \"" + have +
                     "\" (1D is w and s, 2D adds h and r, 3D adds d and t)");
  }
  if (given("d") && !given("h")) {
    throw UsageError("missing keys \"h\" and \"r\": a 3D convolution has them beside d and t");
  }
  return given("d") ? 3 : given("h") ? 2 : 1;
}

std::size_t first_dim(int rank) { return static_cast<std::size_t>(3 - rank); }

/// A key about a dimension the problem does not have.
void reject_absent_dims(const KeyValues& values, int rank) {
  for (std::size_t dim = 0; dim < first_dim(rank); ++dim) {
    for (const std::string_view prefix : {"pad_", "pad_begin_", "pad_end_", "stride_", "dil_"}) {
      const std::string key = dim_key(prefix, dim);
      if (!find_value(values, key)) continue;
      throw UsageError("key '" + key + "': this convolution is " + std::to_string(rank) +
                       "D and has no " + std::string(kIn[dim]));
    }
  }
}

/// A list key spread over the dimensions, `fallback` in those the problem does not have.
Triple read_list(const KeyValues& values, std::string_view key, int rank, std::int64_t fallback) {
  const std::string& text = keys::text(values, key);
  const std::vector<std::string> parts = split(text, 'x');
  if (parts.size() != 1 && parts.size() != static_cast<std::size_t>(rank)) {
    throw UsageError(std::string(key) + "=" + text + ": " + std::to_string(parts.size()) +
                     " values for " + std::to_string(rank) +
                     " dimensions; expected one, or one each in the order d, h, w");
  }
  Triple result{fallback, fallback, fallback};
  for (std::size_t dim = first_dim(rank); dim < 3; ++dim) {
    const std::size_t i = parts.size() == 1 ? 0 : dim - first_dim(rank);
    result[dim] = parse_int(parts[i]).value();
  }
  return result;
}

void apply_alias(const KeyValues& values, std::string_view prefix, Triple& target) {
  for (std::size_t dim = 0; dim < 3; ++dim) {
    const std::string* text = find_value(values, dim_key(prefix, dim));
    if (text) target[dim] = parse_int(*text).value();
  }
}

void read_sizes(const KeyValues& values, ConvProblem& conv) {
  conv.n = keys::integer(values, "n");
  conv.c = keys::integer(values, "c");
  conv.k = keys::integer(values, "k");
  conv.groups = keys::integer(values, "groups");
  for (std::size_t dim = first_dim(conv.rank); dim < 3; ++dim) {
    conv.in[dim] = keys::integer(values, kIn[dim]);
    conv.filter[dim] = keys::integer(values, kFilter[dim]);
  }
  for (const std::string_view key : {"c", "k"}) {
    const std::int64_t channels = keys::integer(values, key);
    if (channels % conv.groups == 0) continue;
    throw UsageError(std::string(key) + "=" + std::to_string(channels) +
                     " is not divisible by groups=" + std::to_string(conv.groups));
  }
}

/// P = (H + pad_begin + pad_end - ((R - 1) dil + 1)) / stride + 1, rounded down.
void derive_output(ConvProblem& conv) {
  for (std::size_t dim = first_dim(conv.rank); dim < 3; ++dim) {
    const std::int64_t padded = conv.in[dim] + conv.pad_begin[dim] + conv.pad_end[dim];
    const std::int64_t reach = (conv.filter[dim] - 1) * conv.dilation[dim] + 1;
    if (padded < reach) {
      throw UsageError(
          "output size below 1 in " + std::string(kIn[dim]) + ": the filter spans " +
          std::to_string(reach) + " (" + std::string(kFilter[dim]) + "=" +
          std::to_string(conv.filter[dim]) + " dil=" + std::to_string(conv.dilation[dim]) +
          ") but the padded image only " + std::to_string(padded) + " (" + std::string(kIn[dim]) +
          "=" + std::to_string(conv.in[dim]) + " pad=" + std::to_string(conv.pad_begin[dim]) + "+" +
          std::to_string(conv.pad_end[dim]) + ")");
    }
    conv.out[dim] = (padded - reach) / conv.stride[dim] + 1;
  }
}

void read_window(const KeyValues& values, ConvProblem& conv) {
  reject_absent_dims(values, conv.rank);
  conv.pad_begin = conv.pad_end = read_list(values, "pad", conv.rank, 0);
  apply_alias(values, "pad_", conv.pad_begin);
  apply_alias(values, "pad_", conv.pad_end);
  apply_alias(values, "pad_begin_", conv.pad_begin);
  apply_alias(values, "pad_end_", conv.pad_end);
  conv.stride = read_list(values, "stride", conv.rank, 1);
  apply_alias(values, "stride_", conv.stride);
  conv.dilation = read_list(values, "dil", conv.rank, 1);
  apply_alias(values, "dil_", conv.dilation);
  derive_output(conv);
}

std::string list_text(const Triple& values, int rank) {
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first_dim(rank));
  if (std::all_of(begin, values.end(), [&](std::int64_t value) { return value == *begin; })) {
    return std::to_string(*begin);
  }
  std::vector<std::string> parts;
  std::transform(begin, values.end(), std::back_inserter(parts),
                 [](std::int64_t value) { return std::to_string(value); });
  return join(parts, "x");
}

void add_padding(const ConvProblem& conv, KeyValues& result) {
  if (conv.pad_begin == conv.pad_end) {
    result.emplace_back("pad", list_text(conv.pad_begin, conv.rank));
    return;
  }
  for (std::size_t dim = first_dim(conv.rank); dim < 3; ++dim) {
    result.emplace_back(dim_key("pad_begin_", dim), std::to_string(conv.pad_begin[dim]));
    result.emplace_back(dim_key("pad_end_", dim), std::to_string(conv.pad_end[dim]));
  }
}

}  // namespace

std::vector<Key> conv_keys(ConvDirection direction) {
  std::vector<Key> list{keys::size("n", "samples", 0), keys::size("c", "input channels")};
  for (std::size_t dim = 0; dim < 3; ++dim) {
    list.push_back(spatial_key(kIn[dim], kInDocs[dim], dim, keys::kMaxSize));
  }
  list.push_back(keys::size("k", "number of filters"));
  for (std::size_t dim = 0; dim < 3; ++dim) {
    list.push_back(spatial_key(kFilter[dim], kFilterDocs[dim], dim, keys::kMaxWindow));
  }
  add_window_keys(list);
  list.push_back(keys::size_or("groups", 1, "independent channel groups; divides c and k"));
  list.push_back(keys::word("mode", "cross_correlation", {"cross_correlation", "convolution"},
                            "convolution flips the filter"));
  if (direction == ConvDirection::fwd) {
    std::vector<std::string> words = activation_names();
    words.insert(words.begin(), "none");
    list.push_back(keys::flag("bias", "adds bias[k]"));
    list.push_back(keys::word("act", "none", std::move(words), "activation of the result"));
    list.push_back(keys::real_or("residual", "0", "factor of z; 0: there is no z"));
  }
  list.push_back(keys::real_or("alpha", "1", "factor of the convolution"));
  list.push_back(keys::real_or("beta", "0", "factor of the prior output; 0: it is not read"));
  add_aliases(list);
  return list;
}

ConvProblem read_conv(ConvDirection direction, const KeyValues& complete) {
  ConvProblem conv;
  conv.direction = direction;
  conv.rank = read_rank(complete);
  read_sizes(complete, conv);
  read_window(complete, conv);
  conv.flip = keys::text(complete, "mode") == "convolution";
  conv.alpha = keys::real(complete, "alpha");
  conv.beta = keys::real(complete, "beta");
  if (direction == ConvDirection::fwd) {
    conv.bias = keys::flag_value(complete, "bias");
    conv.residual = keys::real(complete, "residual");
    conv.act = parse_activation(keys::text(complete, "act")).value_or(ActivationFn::identity);
  }
  return conv;
}

KeyValues canonical_conv_keys(const ConvProblem& conv) {
  KeyValues result;
  const auto add = [&](std::string_view key, std::int64_t value) {
    result.emplace_back(key, std::to_string(value));
  };
  add("n", conv.n);
  add("c", conv.c);
  for (std::size_t dim = first_dim(conv.rank); dim < 3; ++dim) add(kIn[dim], conv.in[dim]);
  add("k", conv.k);
  for (std::size_t dim = first_dim(conv.rank); dim < 3; ++dim) add(kFilter[dim], conv.filter[dim]);
  add_padding(conv, result);
  result.emplace_back("stride", list_text(conv.stride, conv.rank));
  result.emplace_back("dil", list_text(conv.dilation, conv.rank));
  add("groups", conv.groups);
  result.emplace_back("mode", conv.flip ? "convolution" : "cross_correlation");
  if (conv.direction == ConvDirection::fwd) {
    add("bias", conv.bias ? 1 : 0);
    result.emplace_back("act", conv.act == ActivationFn::identity ? "none" : name_of(conv.act));
    result.emplace_back("residual", format_real(conv.residual));
  }
  result.emplace_back("alpha", format_real(conv.alpha));
  result.emplace_back("beta", format_real(conv.beta));
  return result;
}

}  // namespace wm
