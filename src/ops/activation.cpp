#include "ops/activation.hpp"

#include "core/rng.hpp"
#include "core/text.hpp"
#include "ops/activation_exact.hpp"
#include "ops/bounds.hpp"
#include "ops/exact.hpp"
#include "ops/instances.hpp"
#include "ops/recipes.hpp"
#include "ops/values.hpp"

namespace wm {
namespace {

constexpr std::int64_t kLargestGradient = 8;  // an integer of every floating-point type

Key parameter(std::string name, std::string doc) {
  Key key = keys::real_or(std::move(name), "", std::move(doc));
  key.default_text.reset();
  key.optional = true;
  return key;
}

class ActivationOp final : public Op {
 public:
  explicit ActivationOp(bool backward) : backward_(backward) {
    name = backward ? "activation_bwd" : "activation_fwd";
    family = "activation";
    summary = backward ? "dx = dy fn'(x)" : "y = fn(x)";
    has_layout = true;
    keys = {keys::size("n", "samples", 0),
            keys::size("c", "channels"),
            keys::size_or("h", 1, "height"),
            keys::size_or("w", 1, "width"),
            keys::word("fn", "", activation_names(), "the function"),
            parameter("alpha",
                      "ceiling of clipped_relu (6), slope of leaky_relu (0.01), elu's factor (1)"),
            parameter("beta", "factor of x in swish (1) and softplus (1)")};
    keys[4].default_text.reset();
  }

  double flops(const Problem& problem) const override {
    return static_cast<double>(problem.tensors.front().elements());
  }
  std::int64_t depth(const Problem&) const override { return 1; }
  BoundRule bound_rule(const Problem&, const TensorDesc& output,
                       const Claims& claims) const override {
    return tracked_bound(claims, output.dtype);
  }
  RecipeAnswer has_recipe(const Problem& problem, const std::string& recipe) const override {
    if (recipe != "exact") return Op::has_recipe(problem, recipe);
    const std::string why_not = exact_points(problem).why_not;
    return {why_not.empty(), why_not};
  }
  void fill(const Problem& problem, const FillRequest& request, const TensorDesc& tensor,
            std::span<double> values) const override {
    if (request.recipe != "exact") return Op::fill(problem, request, tensor, values);
    if (tensor.name == "dy") return fill_integers(request, tensor, kLargestGradient, values);
    const std::vector<double> points = exact_points(problem).x;
    const Random random(request.seed, stream_of(tensor.name));
    const auto last = static_cast<std::int64_t>(points.size()) - 1;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = points[static_cast<std::size_t>(random.integer(i, 0, last))];
    }
  }

 protected:
  void resolve_detail(const KeyValues& complete, Problem& problem) const override {
    keys::require_floating(problem);
    ActivationProblem activation;
    activation.backward = backward_;
    activation.n = keys::integer(complete, "n");
    activation.c = keys::integer(complete, "c");
    activation.h = keys::integer(complete, "h");
    activation.w = keys::integer(complete, "w");
    activation.fn = parse_activation(keys::text(complete, "fn")).value();
    set_parameters(complete, activation, problem.keys);
    const Dims dims{activation.n, activation.c, activation.h, activation.w};
    const auto add = [&](const char* tensor, Role role, DType dtype) {
      problem.tensors.push_back(keys::tensor(tensor, role, dtype, dims, *problem.layout));
    };
    add("x", Role::input, problem.dtypes.in);
    if (backward_) {
      add("dy", Role::input, problem.dtypes.out);
      add("dx", Role::output, problem.dtypes.in);
    } else {
      add("y", Role::output, problem.dtypes.out);
    }
    problem.detail = std::make_shared<const ActivationProblem>(activation);
  }

 private:
  /// Given parameters or the function's defaults; always in the canonical keys.
  void set_parameters(const KeyValues& complete, ActivationProblem& activation,
                      KeyValues& canonical) const {
    const std::string* alpha = find_value(complete, "alpha");
    const std::string* beta = find_value(complete, "beta");
    activation.alpha = alpha ? *parse_real(*alpha) : default_alpha(activation.fn);
    activation.beta = beta ? *parse_real(*beta) : default_beta(activation.fn);
    if (activation.fn == ActivationFn::softplus && activation.beta <= 0) {
      throw UsageError(name + ": beta=" + format_real(activation.beta) +
                       ": softplus divides by beta; expected a number above 0");
    }
    if (activation.fn == ActivationFn::clipped_relu && activation.alpha < 0) {
      throw UsageError(name + ": alpha=" + format_real(activation.alpha) +
                       ": the ceiling of clipped_relu; expected a number of at least 0");
    }
    std::erase_if(canonical,
                  [](const auto& item) { return item.first == "alpha" || item.first == "beta"; });
    canonical.emplace_back("alpha", format_real(activation.alpha));
    canonical.emplace_back("beta", format_real(activation.beta));
  }

  bool backward_;
};

}  // namespace

const Op& activation_fwd_op() {
  static const ActivationOp op(false);
  return op;
}

const Op& activation_bwd_op() {
  static const ActivationOp op(true);
  return op;
}

}  // namespace wm
