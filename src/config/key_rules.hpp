#pragma once
// What the expansion of a sweep knows about single keys: JSON types, order, defaults, spellings.
#include <cstddef>
#include <string>

#include "config/sweep.hpp"

namespace wm {

/// Throws ConfigError for a value whose JSON type the key does not take.
void check_types(const Op& op, const Axis& axis);
/// Position of an axis in the canonical order of keys; tensor keys come last.
std::size_t rank_of(const Op& op, const Axis& axis);
/// Text of a key that a case does not give; empty: none.
std::string default_text(const Op& op, const std::string& key);
/// One spelling for texts that mean the same (f16 = f16.f16.f16, 1.0 = 1, 1,2 = 1x2).
std::string normal_text(const Op& op, const std::string& key, std::string text);
/// Whether an `algo` stands for several algorithms.
bool is_wildcard(const std::string& algorithm);
/// Whether a message is about the key: 'key', key=, "key" or unknown key.
bool mentions(const std::string& message, const std::string& key);

}  // namespace wm
