// Strides and offsets given by the user for one tensor.
#include <algorithm>
#include <utility>

#include "core/text.hpp"
#include "ops/op.hpp"

namespace wm {
namespace {

constexpr std::int64_t kMaxSpan = std::int64_t{1} << 62;

std::string dims_text(const Dims& dims) {
  std::vector<std::string> parts;
  for (const std::int64_t dim : dims) parts.push_back(std::to_string(dim));
  return "[" + join(parts, ", ") + "]";
}

/// Sorted by stride, each dimension must step over everything the smaller ones reach. Sufficient
/// for no two elements sharing storage, and every padded or permuted layout satisfies it.
void check_strides(const TensorDesc& desc, const Dims& strides) {
  const std::string place = desc.name + ".strides=" + dims_text(strides) + ": ";
  if (strides.size() != desc.dims.size()) {
    throw UsageError(place + std::to_string(strides.size()) + " strides for the " +
                     std::to_string(desc.dims.size()) + " dimensions " + dims_text(desc.dims));
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;
  for (std::size_t d = 0; d < strides.size(); ++d) {
    if (strides[d] < 1) {
      throw UsageError(place + "stride " + std::to_string(strides[d]) + " of dimension " +
                       std::to_string(d) + " is not positive");
    }
    if (desc.dims[d] > 1) steps.emplace_back(strides[d], desc.dims[d]);
  }
  std::sort(steps.begin(), steps.end());
  std::int64_t reach = 1;
  for (const auto& [stride, dim] : steps) {
    if (stride < reach) {
      throw UsageError(place + "elements overlap: stride " + std::to_string(stride) +
                       " is less than the " + std::to_string(reach) +
                       " elements that the dimensions inside it span");
    }
    if (stride > (kMaxSpan - reach) / (dim - 1)) {
      throw UsageError(place + "spans more than 2^62 elements");
    }
    reach += stride * (dim - 1);
  }
}

}  // namespace

void override_tensor(Problem& problem, std::string_view name, const std::optional<Dims>& strides,
                     std::optional<std::int64_t> offset) {
  TensorDesc& desc =
      problem.tensors[static_cast<std::size_t>(&problem.tensor(name) - problem.tensors.data())];
  if (strides) check_strides(desc, *strides);
  if (offset && (*offset < 0 || *offset > kMaxSpan)) {
    throw UsageError(desc.name + ".offset=" + std::to_string(*offset) +
                     ": expected 0 to 2^62 elements");
  }
  if (strides) desc.strides = *strides;
  if (offset) desc.offset = *offset;
}

}  // namespace wm
