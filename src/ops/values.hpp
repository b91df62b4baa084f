#pragma once
// Typed reading of problem keys that Op::resolve has already checked and normalised, and builders
// of the key and tensor lists the ops declare.
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "ops/op.hpp"

namespace wm::keys {

inline constexpr std::int64_t kMaxSize = std::int64_t{1} << 40;
/// Filter sizes, padding, stride and dilation: products of two stay below 2^62.
inline constexpr std::int64_t kMaxWindow = (std::int64_t{1} << 31) - 1;

Key size(std::string name, std::string doc, std::int64_t min = 1, std::int64_t max = kMaxSize);
Key size_or(std::string name, std::int64_t default_value, std::string doc, std::int64_t min = 1,
            std::int64_t max = kMaxSize);
Key real_or(std::string name, std::string default_text, std::string doc);
Key flag(std::string name, std::string doc);
Key word(std::string name, std::string default_text, std::vector<std::string> words,
         std::string doc);

/// Text of a key that must be there.
const std::string& text(const KeyValues& values, std::string_view key);
std::int64_t integer(const KeyValues& values, std::string_view key);
double real(const KeyValues& values, std::string_view key);
bool flag_value(const KeyValues& values, std::string_view key);

/// Checks a text against its key and returns it in normal form. Throws UsageError
/// "<op>: <key>=<text>: expected ... (<doc>)".
std::string normalised(std::string_view op, const Key& key, const std::string& text);

/// Replaces the value of a key, or appends it.
void set(KeyValues& values, std::string_view key, std::string value);

/// A packed tensor; channels last where `layout` is nhwc.
TensorDesc tensor(std::string name, Role role, DType dtype, Dims dims, Layout layout);

/// Throws UsageError unless every tensor dtype is floating-point ("softmax_fwd: dtype=s8 ...").
void require_floating(const Problem& problem);

}  // namespace wm::keys
