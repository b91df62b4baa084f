#pragma once
// The audit of the whole library as case strings, made from what is compiled: a new variant is
// audited because it exists.
#include <string>
#include <vector>

#include "ops/op.hpp"

namespace wm {

/// One combination that some variant is compiled for.
struct LibraryTypes {
  const Op* op = nullptr;
  std::string types;  ///< keys and values: "dtype=f16 acc=f32 math=ieee layout=nhwc"
  bool operator==(const LibraryTypes&) const = default;
};

/// `covering`: the fewest problems that run every algorithm, split its sums where it splits any and
/// leave tails. `all`: aligned sizes, other ranks, attributes and epilogues as well, and enough
/// outputs for the order of atomics to show in 16 bits.
enum class LibrarySize { covering, all };
LibrarySize parse_library_size(const std::string& word);  ///< throws UsageError

/// Case strings with algo=* of every problem and combination, with the recipes exact and normal.
std::vector<std::string> library_cases(const std::vector<LibraryTypes>& types, LibrarySize size);

/// The first problem of the op, in its default types; empty for an op the library has none of.
std::string library_problem(const Op& op);

}  // namespace wm
