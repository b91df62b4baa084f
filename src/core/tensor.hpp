#pragma once
// Tensor descriptions. Dimensions are always in logical order (n, c, d, h, w / k, c/g, t, r, s);
// the layout lives in the strides.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.hpp"

namespace wm {

enum class Layout : std::uint8_t { nchw, nhwc };
std::string_view name_of(Layout layout);

using Dims = std::vector<std::int64_t>;

/// Product of the dimensions (1 for none); throws UsageError past 2^62 or for a negative dimension.
std::int64_t element_count(const Dims& dims);
/// Row-major packed strides of `dims`; a zero dimension counts as one.
Dims packed_strides(const Dims& dims);
/// Packed strides where dimension 1 is innermost (channels last); equal to packed_strides below
/// rank 3.
Dims channels_last_strides(const Dims& dims);

enum class Role : std::uint8_t { input, output };

struct TensorDesc {
  std::string name;
  Role role = Role::input;
  DType dtype = DType::f32;
  Dims dims;                ///< logical order
  Dims strides;             ///< elements
  std::int64_t offset = 0;  ///< elements past an aligned base

  std::int64_t elements() const { return element_count(dims); }
  /// Elements from the first to one past the last addressed, without `offset`; 0 when empty. Throws
  /// UsageError past 2^62 or for a negative stride.
  std::int64_t span() const;
  std::size_t bytes() const;  ///< span() * element size; b1 packs 8 to a byte
  bool packed() const { return span() == elements(); }
};

/// Calls fn(logical_index, storage_index) for each element in logical order.
template <class Fn>
void for_each_element(const TensorDesc& desc, Fn&& fn) {
  const std::int64_t total = desc.elements();
  const std::size_t rank = desc.dims.size();
  Dims index(rank, 0);
  std::int64_t storage = 0;
  for (std::int64_t i = 0; i < total; ++i) {
    fn(i, storage);
    for (std::size_t d = rank; d-- > 0;) {
      storage += desc.strides[d];
      if (++index[d] < desc.dims[d]) break;
      storage -= desc.strides[d] * desc.dims[d];
      index[d] = 0;
    }
  }
}

/// Multi-index of a logical position.
Dims unravel(std::int64_t logical, const Dims& dims);

/// Reads one storage element of `dtype` as double / writes `value` rounded to nearest even.
/// Integers saturate and NaN becomes 0; b1 is 1 for any non-zero value, bit `index` % 8 of byte
/// `index` / 8.
double load_as_double(DType dtype, const void* data, std::int64_t index);
void store_from_double(DType dtype, void* data, std::int64_t index, double value);
/// `value` rounded to the type and back.
double round_to(DType dtype, double value);

/// All elements in logical order as double, and back (only the addressed elements are written).
/// `storage` is the first element, past the tensor's offset; `logical` has exactly elements()
/// entries (UsageError otherwise).
void load_all(const TensorDesc& desc, const void* storage, std::span<double> logical);
void store_all(const TensorDesc& desc, std::span<const double> logical, void* storage);

}  // namespace wm
