#pragma once
// Problem strings of benchdnn, one parser a driver; shared by the reader of batch files and tests.
#include <string>
#include <string_view>

#include "ops/op.hpp"

namespace wm::importing {

/// Why a problem was not read.
struct UnreadProblem {
  std::string reason;
};

/// The name at the end of a problem string with its multiplier: n"resnet_50:conv1*3".
struct ProblemName {
  std::string name;
  std::int64_t count = 1;
};

/// Takes the name off the end of `text` (from the first `n"`, or `_n`).
ProblemName split_name(std::string_view& text);

/// g mb ic id ih iw oc od oh ow kd kh kw sd sh sw pd ph pw dd dh dw -> keys of a convolution.
/// Missing w follows h, h follows d; output and padding follow from each other; dilation 0 is
/// dense. `mb` of 1 or more replaces the minibatch (default 2). Throws UnreadProblem.
KeyValues conv_descriptor(std::string_view text, std::int64_t mb);

/// 12x384x64:12x64x384 -> m n k batch. Batch dimensions must agree, or all be 1 in the weights
/// (then they join the rows). Throws UnreadProblem.
KeyValues matmul_descriptor(std::string_view text);
/// Dimensions of the first operand of a matmul string (for the tags).
std::size_t matmul_rank(std::string_view text);

/// 2x16x10x10 -> dimensions; 1 to 6 of them. Throws UnreadProblem.
std::vector<std::int64_t> dims_descriptor(std::string_view text);

}  // namespace wm::importing
