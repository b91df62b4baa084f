#include "ops/activation_fn.hpp"

#include <array>
#include <cstddef>

namespace wm {
namespace {

struct FnInfo {
  ActivationFn fn;
  std::string_view name;
  double alpha = 0;
  double beta = 0;
};

constexpr std::array<FnInfo, 13> kFunctions{{
    {ActivationFn::identity, "identity"},
    {ActivationFn::relu, "relu"},
    {ActivationFn::sigmoid, "sigmoid"},
    {ActivationFn::tanh, "tanh"},
    {ActivationFn::clipped_relu, "clipped_relu", 6, 0},
    {ActivationFn::leaky_relu, "leaky_relu", 0.01, 0},
    {ActivationFn::elu, "elu", 1, 0},
    {ActivationFn::gelu, "gelu"},
    {ActivationFn::gelu_tanh, "gelu_tanh"},
    {ActivationFn::swish, "swish", 0, 1},
    {ActivationFn::softplus, "softplus", 0, 1},
    {ActivationFn::mish, "mish"},
    {ActivationFn::hardswish, "hardswish"},
}};

const FnInfo& fn_info(ActivationFn fn) { return kFunctions[static_cast<std::size_t>(fn)]; }

}  // namespace

std::string_view name_of(ActivationFn fn) { return fn_info(fn).name; }

std::optional<ActivationFn> parse_activation(std::string_view name) {
  for (const FnInfo& each : kFunctions) {
    if (each.name == name) return each.fn;
  }
  return std::nullopt;
}

std::vector<std::string> activation_names() {
  std::vector<std::string> names;
  for (const FnInfo& each : kFunctions) names.emplace_back(each.name);
  return names;
}

double default_alpha(ActivationFn fn) { return fn_info(fn).alpha; }
double default_beta(ActivationFn fn) { return fn_info(fn).beta; }

}  // namespace wm
