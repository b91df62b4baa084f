#include "reference/reference.hpp"

#include <algorithm>
#include <array>

#include "core/error.hpp"
#include "reference/activation.hpp"
#include "reference/conv.hpp"
#include "reference/matmul.hpp"
#include "reference/softmax.hpp"

namespace wm {
namespace {

/// The inputs of a problem by tensor name.
class Inputs {
 public:
  Inputs(const Problem& problem, const std::vector<HostTensor>& tensors)
      : problem_(problem), tensors_(tensors) {}

  std::span<const double> get(std::string_view name) const {
    const HostTensor* found = find(name);
    if (found == nullptr) {
      throw UsageError("reference of " + problem_.op->name + ": no values for input '" +
                       std::string(name) + "'");
    }
    const auto expected = static_cast<std::size_t>(found->desc.elements());
    if (found->values.size() != expected) {
      throw UsageError("reference of " + problem_.op->name + ": input '" + std::string(name) +
                       "' has " + std::to_string(found->values.size()) + " values, its shape has " +
                       std::to_string(expected));
    }
    return found->values;
  }
  std::span<const double> get_if(bool wanted, std::string_view name) const {
    return wanted ? get(name) : std::span<const double>();
  }

 private:
  const HostTensor* find(std::string_view name) const {
    const auto at = std::find_if(tensors_.begin(), tensors_.end(),
                                 [&](const HostTensor& t) { return t.desc.name == name; });
    return at == tensors_.end() ? nullptr : &*at;
  }
  const Problem& problem_;
  const std::vector<HostTensor>& tensors_;
};

bool is_wide(const Problem& problem) { return problem.dtypes.in == DType::f64; }

ValuesAndMagnitudes run_conv(const Problem& problem, const Inputs& inputs, const Claims&) {
  const auto& p = problem.as<ConvProblem>();
  const bool forward = p.direction == ConvDirection::fwd;
  const bool data = p.direction == ConvDirection::bwd_data;
  ConvArrays arrays;
  arrays.x = inputs.get_if(!data, "x");
  arrays.w = inputs.get_if(forward || data, "w");
  arrays.dy = inputs.get_if(!forward, "dy");
  arrays.prior = inputs.get_if(p.beta != 0, forward ? "y_in" : data ? "dx_in" : "dw_in");
  arrays.z = inputs.get_if(forward && p.residual != 0, "z");
  arrays.bias = inputs.get_if(forward && p.bias, "bias");
  return conv_reference(p, arrays, is_wide(problem));
}

ValuesAndMagnitudes run_matmul(const Problem& problem, const Inputs& inputs, const Claims&) {
  const auto& p = problem.as<MatmulProblem>();
  MatmulArrays arrays;
  arrays.a = inputs.get("a");
  arrays.b = inputs.get("b");
  arrays.c = inputs.get_if(p.beta != 0, "c");
  arrays.bias = inputs.get_if(p.bias, "bias");
  return matmul_reference(p, arrays, is_wide(problem));
}

ValuesAndMagnitudes run_softmax(const Problem& problem, const Inputs& inputs,
                                const Claims& claims) {
  const auto& p = problem.as<SoftmaxProblem>();
  const SoftmaxArrays arrays{inputs.get_if(!p.backward, "x"), inputs.get_if(p.backward, "y"),
                             inputs.get_if(p.backward, "dy")};
  return softmax_reference(p, arrays, claims, is_wide(problem));
}

ValuesAndMagnitudes run_activation(const Problem& problem, const Inputs& inputs,
                                   const Claims& claims) {
  const auto& p = problem.as<ActivationProblem>();
  const ActivationArrays arrays{inputs.get("x"), inputs.get_if(p.backward, "dy")};
  return activation_reference(p, arrays, claims, is_wide(problem));
}

/// References by op family; each returns the family's single output.
struct Entry {
  std::string_view family;
  bool depends_on_claims;
  ValuesAndMagnitudes (*run)(const Problem&, const Inputs&, const Claims&);
};
constexpr std::array kEntries{
    Entry{"conv", false, run_conv},
    Entry{"matmul", false, run_matmul},
    Entry{"softmax", true, run_softmax},
    Entry{"activation", true, run_activation},
};

const Entry& entry_of(const Op& op) {
  const auto at = std::find_if(kEntries.begin(), kEntries.end(),
                               [&](const Entry& entry) { return entry.family == op.family; });
  if (at == kEntries.end()) {
    throw UsageError("no reference for op '" + op.name + "' of family '" + op.family + "'");
  }
  return *at;
}

}  // namespace

std::vector<Expected> run_reference(const Problem& problem, const std::vector<HostTensor>& inputs,
                                    const Claims& claims) {
  ValuesAndMagnitudes result = entry_of(*problem.op).run(problem, Inputs(problem, inputs), claims);
  const auto output =
      std::find_if(problem.tensors.begin(), problem.tensors.end(),
                   [](const TensorDesc& tensor) { return tensor.role == Role::output; });
  std::vector<Expected> expected;
  expected.push_back({output->name, std::move(result.value), std::move(result.magnitude)});
  return expected;
}

bool reference_depends_on_claims(const Op& op) { return entry_of(op).depends_on_claims; }

}  // namespace wm
