#include "core/tensor.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>

#include "core/error.hpp"
#include "core/float_types.hpp"

namespace wm {
namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 62;

std::string dims_text(const Dims& dims) {
  std::string text = "[";
  for (const std::int64_t dim : dims) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(dim);
  }
  return text + "]";
}

/// base + factor * count, checked against the element limit.
std::int64_t add_product(std::int64_t base, std::int64_t factor, std::int64_t count,
                         const Dims& dims) {
  std::int64_t product = 0;
  std::int64_t sum = 0;
  if (__builtin_mul_overflow(factor, count, &product) ||
      __builtin_add_overflow(base, product, &sum) || sum > kMaxElements) {
    throw UsageError("tensor " + dims_text(dims) + " has more than 2^62 elements");
  }
  return sum;
}

}  // namespace

std::string_view name_of(Layout layout) { return layout == Layout::nchw ? "nchw" : "nhwc"; }

std::int64_t element_count(const Dims& dims) {
  bool empty = false;
  for (const std::int64_t dim : dims) {
    if (dim < 0) {
      throw UsageError("tensor " + dims_text(dims) + " has a negative dimension " +
                       std::to_string(dim));
    }
    empty = empty || dim == 0;
  }
  if (empty) return 0;
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) count = add_product(0, count, dim, dims);
  return count;
}

namespace {

/// Packed strides where `order` lists the dimensions from the outermost to the innermost.
Dims strides_in_order(const Dims& dims, const std::vector<std::size_t>& order) {
  Dims strides(dims.size(), 1);
  std::int64_t stride = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = stride;
    stride = add_product(0, stride, dims[order[i]] > 0 ? dims[order[i]] : 1, dims);
  }
  return strides;
}

}  // namespace

Dims packed_strides(const Dims& dims) {
  std::vector<std::size_t> order(dims.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return strides_in_order(dims, order);
}

Dims channels_last_strides(const Dims& dims) {
  if (dims.size() < 3) return packed_strides(dims);
  std::vector<std::size_t> order(dims.size(), 0);
  std::iota(order.begin() + 1, order.end() - 1, std::size_t{2});
  order.back() = 1;
  return strides_in_order(dims, order);
}

std::int64_t TensorDesc::span() const {
  if (elements() == 0) return 0;
  std::int64_t last = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (strides[d] < 0) {
      throw UsageError("tensor '" + name + "' has a negative stride " + std::to_string(strides[d]) +
                       " in dimension " + std::to_string(d));
    }
    last = add_product(last, strides[d], dims[d] - 1, dims);
  }
  return last + 1;
}

std::size_t TensorDesc::bytes() const {
  const auto count = static_cast<std::size_t>(span());
  return dtype == DType::b1 ? (count + 7) / 8 : count * info(dtype).bytes;
}

Dims unravel(std::int64_t logical, const Dims& dims) {
  Dims index(dims.size(), 0);
  for (std::size_t d = dims.size(); d-- > 0;) {
    index[d] = logical % dims[d];
    logical /= dims[d];
  }
  return index;
}

namespace {

/// Rounds to nearest even and saturates as a GPU's cvt.rni.sat does; NaN becomes 0.
template <class Int>
Int saturate(double value) {
  constexpr double kLow = static_cast<double>(std::numeric_limits<Int>::min());
  // One past the largest value: exact in double for every width, unlike the largest itself.
  constexpr double kEnd = 2.0 * static_cast<double>(std::numeric_limits<Int>::max() / 2 + 1);
  const double rounded = std::nearbyint(value);
  if (!(rounded > kLow)) return std::isnan(value) ? Int{0} : std::numeric_limits<Int>::min();
  return rounded >= kEnd ? std::numeric_limits<Int>::max() : static_cast<Int>(rounded);
}

/// How one element type is kept in memory: read and write element `index`.
template <class T>
struct Plain {
  using Storage = T;
  static double read(const void* data, std::int64_t index) {
    return static_cast<double>(static_cast<const T*>(data)[index]);
  }
  static void write(void* data, std::int64_t index, double value) {
    if constexpr (std::is_floating_point_v<T>) {
      static_cast<T*>(data)[index] = static_cast<T>(value);
    } else {
      static_cast<T*>(data)[index] = saturate<T>(value);
    }
  }
};

template <class Bits, float (*kValue)(Bits), Bits (*kBits)(double)>
struct Small {
  using Storage = Bits;
  static double read(const void* data, std::int64_t index) {
    return static_cast<double>(kValue(static_cast<const Bits*>(data)[index]));
  }
  static void write(void* data, std::int64_t index, double value) {
    static_cast<Bits*>(data)[index] = kBits(value);
  }
};

struct Bit {
  static double read(const void* data, std::int64_t index) {
    return (static_cast<const std::uint8_t*>(data)[index / 8] >> (index % 8)) & 1;
  }
  static void write(void* data, std::int64_t index, double value) {
    std::uint8_t& byte = static_cast<std::uint8_t*>(data)[index / 8];
    const auto mask = static_cast<std::uint8_t>(1U << (index % 8));
    byte = static_cast<std::uint8_t>(value != 0 ? byte | mask : byte & ~mask);
  }
};

/// Calls fn with the access type of `dtype`, so that loops are compiled once per type.
template <class Fn>
auto with_access(DType dtype, Fn&& fn) {
  switch (dtype) {
    case DType::f64:
      return fn(Plain<double>{});
    case DType::f32:
      return fn(Plain<float>{});
    case DType::f16:
      return fn(Small<std::uint16_t, f16_value, f16_bits>{});
    case DType::bf16:
      return fn(Small<std::uint16_t, bf16_value, bf16_bits>{});
    case DType::e4m3:
      return fn(Small<std::uint8_t, e4m3_value, e4m3_bits>{});
    case DType::e5m2:
      return fn(Small<std::uint8_t, e5m2_value, e5m2_bits>{});
    case DType::s8:
      return fn(Plain<std::int8_t>{});
    case DType::u8:
      return fn(Plain<std::uint8_t>{});
    case DType::s32:
      return fn(Plain<std::int32_t>{});
    case DType::s64:
      return fn(Plain<std::int64_t>{});
    case DType::b1:
      break;
  }
  return fn(Bit{});
}

/// Calls fn(logical, storage, count, stride) for each run along the last dimension; one run where
/// the tensor is packed in row-major order.
template <class Fn>
void for_each_run(const TensorDesc& desc, Fn&& fn) {
  const std::int64_t total = desc.elements();
  if (total == 0) return;
  if (desc.dims.empty() || desc.strides == packed_strides(desc.dims)) {
    fn(std::int64_t{0}, std::int64_t{0}, total, std::int64_t{1});
    return;
  }
  TensorDesc outer = desc;
  const std::int64_t length = outer.dims.back();
  const std::int64_t stride = outer.strides.back();
  outer.dims.pop_back();
  outer.strides.pop_back();
  for_each_element(outer, [&](std::int64_t run, std::int64_t storage) {
    fn(run * length, storage, length, stride);
  });
}

void require_size(const TensorDesc& desc, std::size_t size) {
  const std::int64_t expected = desc.elements();
  if (size != static_cast<std::size_t>(expected)) {
    throw UsageError("tensor '" + desc.name + "' has " + std::to_string(expected) +
                     " elements, not " + std::to_string(size));
  }
}

}  // namespace

double load_as_double(DType dtype, const void* data, std::int64_t index) {
  return with_access(dtype, [&](auto access) { return access.read(data, index); });
}

void store_from_double(DType dtype, void* data, std::int64_t index, double value) {
  with_access(dtype, [&](auto access) { access.write(data, index, value); });
}

double round_to(DType dtype, double value) {
  alignas(8) unsigned char storage[8] = {};
  store_from_double(dtype, storage, 0, value);
  return load_as_double(dtype, storage, 0);
}

void load_all(const TensorDesc& desc, const void* storage, std::span<double> logical) {
  require_size(desc, logical.size());
  with_access(desc.dtype, [&](auto access) {
    for_each_run(desc,
                 [&](std::int64_t to, std::int64_t from, std::int64_t count, std::int64_t stride) {
                   double* out = logical.data() + to;
                   if (stride == 1) {
                     for (std::int64_t i = 0; i < count; ++i)
                       out[i] = access.read(storage, from + i);
                   } else {
                     for (std::int64_t i = 0; i < count; ++i)
                       out[i] = access.read(storage, from + i * stride);
                   }
                 });
  });
}

void store_all(const TensorDesc& desc, std::span<const double> logical, void* storage) {
  require_size(desc, logical.size());
  with_access(desc.dtype, [&](auto access) {
    for_each_run(desc,
                 [&](std::int64_t from, std::int64_t to, std::int64_t count, std::int64_t stride) {
                   const double* in = logical.data() + from;
                   if (stride == 1) {
                     for (std::int64_t i = 0; i < count; ++i) access.write(storage, to + i, in[i]);
                   } else {
                     for (std::int64_t i = 0; i < count; ++i)
                       access.write(storage, to + i * stride, in[i]);
                   }
                 });
  });
}

}  // namespace wm
