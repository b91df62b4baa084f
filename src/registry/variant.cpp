#include "registry/variant.hpp"

#include "core/error.hpp"
#include "core/mma_model.hpp"

namespace wm {

DType default_acc(DType in) {
  switch (in) {
    case DType::f64:
      return DType::f64;
    case DType::s8:
    case DType::u8:
      return DType::s32;
    default:
      return DType::f32;
  }
}

const TensorArg* LaunchArgs::find(std::string_view name) const {
  for (const TensorArg& arg : tensors)
    if (arg.desc->name == name) return &arg;
  return nullptr;
}

const TensorArg& LaunchArgs::tensor(std::string_view name) const {
  if (const TensorArg* arg = find(name)) return *arg;
  throw KernelError("launcher asked for tensor '" + std::string(name) +
                    "', which the problem does not have");
}

std::string VariantId::to_string() const {
  std::string out;
  if (provider != "warpmark") out += provider + ":";
  out += op + "/" + algorithm + "/" + std::string(name_of(dtypes.in));
  if (has_weights) out += "." + std::string(name_of(dtypes.weights));
  out += "." + std::string(name_of(dtypes.out));
  if (acc != default_acc(dtypes.in)) out += "+acc=" + std::string(name_of(acc));
  if (math != "ieee") out += "+math=" + math;
  if (layout) out += "/" + std::string(name_of(*layout));
  return out;
}

Claims claims_on(const Variant& variant, const Problem& problem, const Config& config,
                 const DeviceProps& device) {
  Claims claims = variant.claims(problem, config);
  if (claims.tensor_core == kUnknownMmaModel) claims.tensor_core = device.mma_model;
  return claims;
}

}  // namespace wm
