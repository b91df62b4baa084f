#pragma once
// "conv_fwd n=1 c=2 ..." to a problem, and back.
#include <string>
#include <string_view>

#include "core/text.hpp"
#include "ops/op.hpp"

namespace wm {

inline Problem resolve(std::string_view text) {
  const std::vector<std::string> words = split(text, ' ');
  KeyValues values;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    values.emplace_back(words[i].substr(0, equals), words[i].substr(equals + 1));
  }
  return find_op(words.front())->resolve(values);
}

/// Message of the UsageError that resolving gives; empty where it gives none.
inline std::string resolve_error(std::string_view text) {
  try {
    resolve(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

inline std::string keys_text(const Problem& problem) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : problem.keys) parts.push_back(key + "=" + value);
  return join(parts, " ");
}

}  // namespace wm
