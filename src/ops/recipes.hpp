#pragma once
// What the ops' own recipes share.
#include <cstdint>
#include <string_view>

namespace wm {

/// The random stream of a tensor: FNV-1a of its name, so that x and w of one seed are independent.
std::uint64_t stream_of(std::string_view name);

}  // namespace wm
