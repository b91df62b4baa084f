#pragma once
// What a kernel file needs to register its variants: types, layouts, ids, and forced-config checks.
#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "core/dtype.hpp"
#include "core/error.hpp"
#include "gpu/types.hpp"
#include "registry/catalog.hpp"

namespace wm {

template <class T>
inline constexpr DType dtype_of = DType::b1;
template <>
inline constexpr DType dtype_of<double> = DType::f64;
template <>
inline constexpr DType dtype_of<float> = DType::f32;
template <>
inline constexpr DType dtype_of<f16> = DType::f16;
template <>
inline constexpr DType dtype_of<bf16> = DType::bf16;

inline constexpr std::array<Layout, 2> kBothLayouts{Layout::nchw, Layout::nhwc};

/// Calls fn.template operator()<T>() for each type: dtype dispatch happens once, at registration.
///   for_types<float, f16>([&]<class T>() { catalog.add(make<T>()); });
template <class... Ts, class Fn>
void for_types(Fn&& fn) {
  (fn.template operator()<Ts>(), ...);
}

/// Id of a variant whose tensors all have type T and that accumulates in the default type.
template <class T>
VariantId variant_id(std::string op, std::string algorithm,
                     std::optional<Layout> layout = std::nullopt) {
  VariantId id;
  id.op = std::move(op);
  id.algorithm = std::move(algorithm);
  id.dtypes = {dtype_of<T>, dtype_of<T>, dtype_of<T>};
  id.acc = default_acc(dtype_of<T>);
  id.layout = layout;
  return id;
}

/// Throws UsageError unless config.text(item) is one of `allowed` and the config has no other items
/// than `items`.
void check_config_item(const Config& config, std::string_view item,
                       const std::vector<std::string>& allowed);
void check_config_items(const Config& config, std::initializer_list<std::string_view> items);

}  // namespace wm
