#include "ops/softmax.hpp"

#include "ops/bounds.hpp"
#include "ops/instances.hpp"
#include "ops/softmax_recipes.hpp"
#include "ops/values.hpp"

namespace wm {
namespace {

SoftmaxKind kind_of(const std::string& word) {
  if (word == "fast") return SoftmaxKind::fast;
  return word == "log" ? SoftmaxKind::log : SoftmaxKind::accurate;
}

class SoftmaxOp final : public Op {
 public:
  explicit SoftmaxOp(bool backward) : backward_(backward) {
    name = backward ? "softmax_bwd" : "softmax_fwd";
    family = "softmax";
    summary = backward ? "dx = y (dy - sum dy y); log: dx = dy - exp(y) sum dy"
                       : "y = exp(x - max x) / sum exp(x - max x); log: y = x - max - log sum; "
                         "fast: without max";
    has_layout = true;
    keys = {keys::size("n", "samples", 0),
            keys::size("c", "channels"),
            keys::size_or("h", 1, "height"),
            keys::size_or("w", 1, "width"),
            keys::word("mode", "channel", {"channel", "instance"},
                       "sums over c for each (n, h, w), or over (c, h, w) for each n"),
            keys::word("kind", "accurate", {"fast", "accurate", "log"}, "formula")};
  }

  /// By convention 5 an element forward (max, subtract, exp, add, divide), 4 backward.
  double flops(const Problem& problem) const override {
    const auto& p = problem.as<SoftmaxProblem>();
    return (backward_ ? 4.0 : 5.0) * static_cast<double>(p.rows()) *
           static_cast<double>(p.length());
  }
  std::int64_t depth(const Problem& problem) const override {
    return problem.as<SoftmaxProblem>().length();
  }
  BoundRule bound_rule(const Problem&, const TensorDesc& output,
                       const Claims& claims) const override {
    return tracked_bound(claims, output.dtype);
  }
  RecipeAnswer has_recipe(const Problem& problem, const std::string& recipe) const override {
    if (recipe != "exact") return Op::has_recipe(problem, recipe);
    const std::string why_not = softmax_why_not_exact(problem);
    return {why_not.empty(), why_not};
  }
  void fill(const Problem& problem, const FillRequest& request, const TensorDesc& tensor,
            std::span<double> values) const override {
    if (request.recipe == "exact") return fill_softmax_exact(problem, request, tensor, values);
    if (tensor.name == "y") return fill_softmax_output(problem, request, tensor, values);
    Op::fill(problem, request, tensor, values);
  }

 protected:
  void resolve_detail(const KeyValues& complete, Problem& problem) const override {
    keys::require_floating(problem);
    SoftmaxProblem softmax;
    softmax.backward = backward_;
    softmax.n = keys::integer(complete, "n");
    softmax.c = keys::integer(complete, "c");
    softmax.h = keys::integer(complete, "h");
    softmax.w = keys::integer(complete, "w");
    softmax.instance = keys::text(complete, "mode") == "instance";
    softmax.kind = kind_of(keys::text(complete, "kind"));
    const Dims dims{softmax.n, softmax.c, softmax.h, softmax.w};
    const auto add = [&](const char* tensor, Role role, DType dtype) {
      problem.tensors.push_back(keys::tensor(tensor, role, dtype, dims, *problem.layout));
    };
    if (backward_) {
      add("y", Role::input, problem.dtypes.out);
      add("dy", Role::input, problem.dtypes.out);
      add("dx", Role::output, problem.dtypes.in);
    } else {
      add("x", Role::input, problem.dtypes.in);
      add("y", Role::output, problem.dtypes.out);
    }
    problem.detail = std::make_shared<const SoftmaxProblem>(softmax);
  }

 private:
  bool backward_;
};

}  // namespace

const Op& softmax_fwd_op() {
  static const SoftmaxOp op(false);
  return op;
}

const Op& softmax_bwd_op() {
  static const SoftmaxOp op(true);
  return op;
}

}  // namespace wm
