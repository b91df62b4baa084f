#pragma once
// Keys of a convolution: declaration, reading with aliases, canonical form.
#include <vector>

#include "ops/conv.hpp"

namespace wm {

/// The keys of one direction; only conv_fwd has bias, act and residual.
std::vector<Key> conv_keys(ConvDirection direction);

/// Sizes, window geometry and attributes from complete, normalised texts. Throws UsageError for
/// mixed ranks, lists of the wrong length, indivisible groups and outputs below 1.
ConvProblem read_conv(ConvDirection direction, const KeyValues& complete);

/// Every key of the problem in canonical form. `pad=1` where all paddings are equal, `pad=2x3`
/// where begin = end in each dimension, else pad_begin_* and pad_end_*; stride and dil scalar or
/// list.
KeyValues canonical_conv_keys(const ConvProblem& conv);

}  // namespace wm
