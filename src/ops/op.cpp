#include "ops/op.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "ops/instances.hpp"

namespace wm {

const std::string* find_value(const KeyValues& values, std::string_view key) {
  for (const auto& [name, text] : values) {
    if (name == key) return &text;
  }
  return nullptr;
}

const TensorDesc* Problem::find_tensor(std::string_view name) const {
  for (const TensorDesc& desc : tensors) {
    if (desc.name == name) return &desc;
  }
  return nullptr;
}

const TensorDesc& Problem::tensor(std::string_view name) const {
  if (const TensorDesc* desc = find_tensor(name)) return *desc;
  std::vector<std::string> names;
  for (const TensorDesc& desc : tensors) names.push_back(desc.name);
  throw UsageError(op->name + ": " + unknown_message("tensor", name, names));
}

std::string Problem::dtype_text() const {
  std::string text(name_of(dtypes.in));
  if (op->has_weights) text.append(".").append(name_of(dtypes.weights));
  return text.append(".").append(name_of(dtypes.out));
}

bool Problem::empty_output() const {
  return std::all_of(tensors.begin(), tensors.end(), [](const TensorDesc& desc) {
    return desc.role == Role::input || desc.elements() == 0;
  });
}

double Op::bytes(const Problem& problem) const {
  double total = 0;
  for (const TensorDesc& desc : problem.tensors) {
    total += static_cast<double>(desc.elements()) * info(desc.dtype).bytes;
  }
  return total;
}

const std::vector<const Op*>& all_ops() {
  static const std::vector<const Op*> ops{
      &matmul_op(),      &conv_fwd_op(),    &conv_bwd_data_op(),  &conv_bwd_filter_op(),
      &softmax_fwd_op(), &softmax_bwd_op(), &activation_fwd_op(), &activation_bwd_op()};
  return ops;
}

const Op* find_op(std::string_view name) {
  for (const Op* op : all_ops()) {
    if (op->name == name) return op;
  }
  return nullptr;
}

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const Op* op : all_ops()) names.push_back(op->name);
  return names;
}

}  // namespace wm
