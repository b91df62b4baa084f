#pragma once
// The singletons behind all_ops(): function-local statics, so no static initialisation order.
#include "ops/op.hpp"

namespace wm {

const Op& matmul_op();
const Op& conv_fwd_op();
const Op& conv_bwd_data_op();
const Op& conv_bwd_filter_op();
const Op& softmax_fwd_op();
const Op& softmax_bwd_op();
const Op& activation_fwd_op();
const Op& activation_bwd_op();

}  // namespace wm
