#pragma once
// A variant: one algorithm compiled for one combination of types and layout, with everything the
// toolkit needs to run and to judge it.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device_props.hpp"
#include "gpu/stream.hpp"
#include "ops/claims.hpp"
#include "ops/op.hpp"
#include "registry/config.hpp"

namespace wm {

/// ok, or the reason this algorithm cannot do the problem ("filter 5x5: only 3x3").
struct Support {
  std::string reason;
  bool ok() const { return reason.empty(); }
  static Support yes() { return {}; }
  static Support no(std::string why) { return {std::move(why)}; }
};

/// Where one tensor lives on the device.
struct TensorArg {
  const TensorDesc* desc = nullptr;
  void* data = nullptr;  ///< already moved by desc->offset
};

/// What a launcher receives. Sizes come from the problem; pointers and strides from here.
struct LaunchArgs {
  std::vector<TensorArg> tensors;
  void* workspace = nullptr;  ///< exactly workspace_bytes() long, 256-byte aligned
  Stream stream;

  const TensorArg& tensor(std::string_view name) const;  ///< throws KernelError
  template <class T>
  T* data(std::string_view name) const {
    return static_cast<T*>(tensor(name).data);
  }
  /// nullptr where the problem has no such tensor.
  template <class T>
  T* data_or_null(std::string_view name) const {
    const TensorArg* found = find(name);
    return found ? static_cast<T*>(found->data) : nullptr;
  }
  const TensorArg* find(std::string_view name) const;
};

struct VariantId {
  std::string provider = "warpmark";
  std::string op;
  std::string algorithm;
  DTypes dtypes;
  DType acc = DType::f32;
  std::string math = "ieee";
  std::optional<Layout> layout;
  bool has_weights = false;

  /// provider:op/algorithm/in.weights.out[+acc=f16][+math=tf32]/layout, defaults omitted.
  std::string to_string() const;
  bool operator==(const VariantId&) const = default;
};

struct Variant {
  VariantId id;
  std::string summary;  ///< one sentence
  std::function<Support(const Problem&, const DeviceProps&)> supports;
  /// The heuristic's choice.
  std::function<Config(const Problem&, const DeviceProps&)> configure;
  /// Throws UsageError (allowed values named) when a forced config is not one this variant has.
  std::function<void(const Problem&, const Config&)> check_config;
  std::function<std::size_t(const Problem&, const Config&)> workspace_bytes;
  std::function<Claims(const Problem&, const Config&)> claims;
  std::function<void(const Problem&, const Config&, const LaunchArgs&)> launch;
};

/// The variant's claims on a device: a tensor-core model that the device decides is filled in.
Claims claims_on(const Variant& variant, const Problem& problem, const Config& config,
                 const DeviceProps& device);

/// The accumulation type that "defaults omitted" refers to: f64 for f64, s32 for s8 and u8, else
/// f32.
DType default_acc(DType in);

}  // namespace wm
