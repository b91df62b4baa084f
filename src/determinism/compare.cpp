#include "determinism/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/hash.hpp"

namespace wm {
namespace {

double ulps_apart(DType dtype, double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return std::numeric_limits<double>::infinity();
  const DTypeInfo& type = info(dtype);
  const double size = std::max(std::abs(a), std::abs(b));
  const int exponent = size > 0 ? std::max(std::ilogb(size), type.min_exponent) : type.min_exponent;
  const double spacing = type.floating ? std::ldexp(1.0, exponent - type.precision + 1) : 1.0;
  return std::abs(a - b) / spacing;
}

/// In memory order, without the gaps of a strided tensor.
std::vector<std::byte> elements_of(const TensorDesc& desc, const std::vector<std::byte>& storage) {
  if (desc.packed())
    return {storage.begin(), storage.begin() + static_cast<std::ptrdiff_t>(desc.bytes())};
  const std::size_t size = info(desc.dtype).bytes;
  std::vector<std::byte> elements;
  elements.reserve(static_cast<std::size_t>(desc.elements()) * size);
  for_each_element(desc, [&](std::int64_t, std::int64_t at) {
    const std::byte* element = storage.data() + static_cast<std::size_t>(at) * size;
    elements.insert(elements.end(), element, element + size);
  });
  return elements;
}

/// Index in the storage of each element of the part, in logical order.
std::vector<std::int64_t> storage_places(const TensorPart& part, const Dims& dims) {
  TensorDesc box = part.desc;
  box.dims = dims;
  std::int64_t start = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) start += part.from[d] * box.strides[d];
  std::vector<std::int64_t> places;
  places.reserve(static_cast<std::size_t>(box.elements()));
  for_each_element(box,
                   [&](std::int64_t, std::int64_t storage) { places.push_back(start + storage); });
  return places;
}

}  // namespace

ProbeVerdict ProbeVerdict::not_run(std::string why) {
  ProbeVerdict verdict;
  verdict.reason = std::move(why);
  return verdict;
}

std::string_view name_of(ProbeVerdict::Kind kind) {
  switch (kind) {
    case ProbeVerdict::Kind::same:
      return "same";
    case ProbeVerdict::Kind::differs:
      return "differs";
    case ProbeVerdict::Kind::not_run:
      return "not_run";
  }
  return "";
}

void fold_run(ProbeVerdict& verdict, const TensorDesc& desc, const std::vector<std::byte>& base,
              const std::vector<std::byte>& other) {
  const Dims origin(desc.dims.size(), 0);
  fold_part(verdict, {desc, base, origin}, {desc, other, origin}, desc.dims, "");
}

void fold_part(ProbeVerdict& verdict, const TensorPart& base, const TensorPart& other,
               const Dims& dims, const std::string& change, ZeroSigns zeros) {
  if (verdict.kind == ProbeVerdict::Kind::not_run) {
    verdict.kind = ProbeVerdict::Kind::same;
    verdict.reason.clear();
    verdict.runs = 1;
  }
  ++verdict.runs;
  // Gaps of a strided tensor hold the poison of their run, so only whole-buffer equality is a short
  // cut.
  const DType dtype = base.desc.dtype;
  if (&base.desc == &other.desc && base.storage == other.storage) return;
  const std::size_t size = info(dtype).bytes;
  const std::vector<std::int64_t> base_places = storage_places(base, dims);
  const std::vector<std::int64_t> other_places = storage_places(other, dims);
  std::int64_t count = 0, first = -1;
  double max_ulp = 0;
  for (std::size_t i = 0; i < base_places.size(); ++i) {
    const std::int64_t at = base_places[i], there = other_places[i];
    if (std::memcmp(base.storage.data() + static_cast<std::size_t>(at) * size,
                    other.storage.data() + static_cast<std::size_t>(there) * size, size) == 0)
      continue;
    const double a = load_as_double(dtype, base.storage.data(), at);
    const double b = load_as_double(dtype, other.storage.data(), there);
    if (zeros == ZeroSigns::ignored && a == 0 && b == 0) continue;
    if (count++ == 0) first = static_cast<std::int64_t>(i);
    max_ulp = std::max(max_ulp, ulps_apart(dtype, a, b));
  }
  if (count == 0) return;
  if (verdict.kind == ProbeVerdict::Kind::same) {
    verdict.first_index = unravel(first, dims);
    for (std::size_t d = 0; d < dims.size(); ++d) verdict.first_index[d] += base.from[d];
    verdict.change = change;
  }
  verdict.kind = ProbeVerdict::Kind::differs;
  verdict.count = std::max(verdict.count, count);
  verdict.max_ulp = std::max(verdict.max_ulp, max_ulp);
}

std::string tensor_digest(const TensorDesc& desc, const std::vector<std::byte>& storage) {
  const std::vector<std::byte> elements = elements_of(desc, storage);
  return sha256_hex(elements.data(), elements.size());
}

std::string canonical_digest(const TensorDesc& desc, const std::vector<std::byte>& storage) {
  std::vector<std::byte> elements = elements_of(desc, storage);
  const DTypeInfo& type = info(desc.dtype);
  if (type.floating && type.bytes > 0) {
    const auto count = static_cast<std::int64_t>(elements.size()) / type.bytes;
    for (std::int64_t i = 0; i < count; ++i)
      if (std::isnan(load_as_double(desc.dtype, elements.data(), i)))
        store_from_double(desc.dtype, elements.data(), i, std::numeric_limits<double>::quiet_NaN());
  }
  return sha256_hex(elements.data(), elements.size());
}

}  // namespace wm
