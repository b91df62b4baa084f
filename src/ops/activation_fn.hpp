#pragma once
// Activation functions by name, shared by the activation ops and by fused epilogues.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wm {

enum class ActivationFn : int {
  identity,
  relu,
  sigmoid,
  tanh,
  clipped_relu,
  leaky_relu,
  elu,
  gelu,
  gelu_tanh,
  swish,
  softplus,
  mish,
  hardswish
};
std::string_view name_of(ActivationFn fn);
std::optional<ActivationFn> parse_activation(std::string_view name);
std::vector<std::string> activation_names();
/// Default of a function's parameters (elu alpha 1, leaky_relu alpha 0.01, clipped_relu alpha 6 =
/// the ceiling, swish beta 1, softplus beta 1; 0 where unused).
double default_alpha(ActivationFn fn);
double default_beta(ActivationFn fn);

}  // namespace wm
