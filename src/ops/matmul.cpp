#include "ops/matmul.hpp"

#include <utility>

#include "ops/exact.hpp"
#include "ops/instances.hpp"
#include "ops/linear.hpp"
#include "ops/values.hpp"

namespace wm {
namespace {

LinearForm linear_form(const Problem& problem) {
  const auto& matmul = problem.as<MatmulProblem>();
  LinearForm form;
  form.wide_reference = problem.dtypes.in == DType::f64;
  form.depth = matmul.k;
  form.alpha = matmul.alpha;
  form.beta = matmul.beta;
  form.bias = matmul.bias;
  form.act = matmul.act;
  return form;
}

ExactPlan exact_plan(const Problem& problem) {
  const DTypes& types = problem.dtypes;
  return plan_exact(linear_form(problem),
                    {types.in, types.weights, types.out, types.weights, problem.acc});
}

/// Element of a -> (row of a, position along k).
ReductionIndex rows_of_a(const MatmulProblem& matmul) {
  return [m = matmul.m, k = matmul.k, transposed = matmul.transpose_a](std::int64_t i) {
    const std::int64_t matrix = i / (m * k), inside = i % (m * k);
    const std::int64_t row = transposed ? inside % m : inside / k;
    return std::pair(matrix * m + row, transposed ? inside / m : inside % k);
  };
}

void set_epilogue(const std::string& word, MatmulProblem& matmul) {
  matmul.bias = word.starts_with("bias");
  if (word.ends_with("relu")) matmul.act = ActivationFn::relu;
  if (word.ends_with("gelu")) matmul.act = ActivationFn::gelu;
}

std::vector<TensorDesc> tensors_of(const MatmulProblem& matmul, const DTypes& types) {
  const auto make = [](std::string name, Role role, DType dtype, Dims dims) {
    return keys::tensor(std::move(name), role, dtype, std::move(dims), Layout::nchw);
  };
  const std::int64_t batch = matmul.batch, m = matmul.m, n = matmul.n, k = matmul.k;
  std::vector<TensorDesc> tensors;
  tensors.push_back(
      make("a", Role::input, types.in, matmul.transpose_a ? Dims{batch, k, m} : Dims{batch, m, k}));
  tensors.push_back(make("b", Role::input, types.weights,
                         matmul.transpose_b ? Dims{batch, n, k} : Dims{batch, k, n}));
  if (matmul.beta != 0) tensors.push_back(make("c", Role::input, types.out, {batch, m, n}));
  if (matmul.bias) tensors.push_back(make("bias", Role::input, types.weights, {n}));
  tensors.push_back(make("d", Role::output, types.out, {batch, m, n}));
  return tensors;
}

class MatmulOp final : public Op {
 public:
  MatmulOp() {
    name = "matmul";
    family = "matmul";
    summary = "d[b,m,n] = act(alpha sum_k a[b,m,k] b[b,k,n] + beta c[b,m,n] + bias[n]), row-major";
    has_weights = true;
    keys = {
        keys::size("m", "rows of d", 0),
        keys::size("n", "columns of d", 0),
        keys::size("k", "products summed", 0),
        keys::size_or("batch", 1, "independent matrices", 0),
        keys::flag("transpose_a", "a is [batch, k, m]"),
        keys::flag("transpose_b", "b is [batch, n, k]"),
        keys::real_or("alpha", "1", "factor of the product"),
        keys::real_or("beta", "0", "factor of c; 0: there is no c"),
        keys::word("epilogue", "none", {"none", "bias", "relu", "gelu", "bias_relu", "bias_gelu"},
                   "what follows the product")};
  }

  double flops(const Problem& problem) const override {
    const auto& p = problem.as<MatmulProblem>();
    return 2.0 * static_cast<double>(p.batch) * static_cast<double>(p.m) *
           static_cast<double>(p.n) * static_cast<double>(p.k);
  }
  std::int64_t depth(const Problem& problem) const override {
    return problem.as<MatmulProblem>().k;
  }
  BoundRule bound_rule(const Problem& problem, const TensorDesc& output,
                       const Claims& claims) const override {
    return linear_rule(linear_form(problem), claims, output.dtype);
  }
  RecipeAnswer has_recipe(const Problem& problem, const std::string& recipe) const override {
    if (recipe != "exact") return Op::has_recipe(problem, recipe);
    const std::string why_not = exact_plan(problem).why_not;
    return {why_not.empty(), why_not};
  }
  void fill(const Problem& problem, const FillRequest& request, const TensorDesc& tensor,
            std::span<double> values) const override {
    if (request.recipe != "exact") return Op::fill(problem, request, tensor, values);
    const ExactPlan plan = exact_plan(problem);
    if (tensor.name == "a") {
      fill_integers(request, tensor, plan.first_max, values, plan.period,
                    rows_of_a(problem.as<MatmulProblem>()));
    } else {
      fill_integers(request, tensor, tensor.name == "b" ? plan.second_max : plan.extra_max, values);
    }
  }

 protected:
  void resolve_detail(const KeyValues& complete, Problem& problem) const override {
    MatmulProblem matmul;
    matmul.m = keys::integer(complete, "m");
    matmul.n = keys::integer(complete, "n");
    matmul.k = keys::integer(complete, "k");
    matmul.batch = keys::integer(complete, "batch");
    matmul.transpose_a = keys::flag_value(complete, "transpose_a");
    matmul.transpose_b = keys::flag_value(complete, "transpose_b");
    matmul.alpha = keys::real(complete, "alpha");
    matmul.beta = keys::real(complete, "beta");
    set_epilogue(keys::text(complete, "epilogue"), matmul);
    problem.tensors = tensors_of(matmul, problem.dtypes);
    problem.detail = std::make_shared<const MatmulProblem>(matmul);
  }
};

}  // namespace

const Op& matmul_op() {
  static const MatmulOp op;
  return op;
}

}  // namespace wm
