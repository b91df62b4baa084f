#include "ops/conv.hpp"

#include <utility>

#include "ops/conv_keys.hpp"
#include "ops/exact.hpp"
#include "ops/instances.hpp"
#include "ops/linear.hpp"
#include "ops/values.hpp"

namespace wm {
namespace {

LinearForm linear_form(const Problem& problem) {
  const auto& conv = problem.as<ConvProblem>();
  LinearForm form;
  form.wide_reference = problem.dtypes.in == DType::f64;
  form.depth = conv.depth();
  form.alpha = conv.alpha;
  form.beta = conv.beta;
  form.residual = conv.residual;
  form.bias = conv.bias;
  form.act = conv.act;
  return form;
}

/// `outer` followed by the spatial dimensions the problem has.
Dims with_spatial(Dims outer, const std::array<std::int64_t, 3>& spatial, int rank) {
  outer.insert(outer.end(), spatial.end() - rank, spatial.end());
  return outer;
}

std::vector<TensorDesc> tensors_of(const ConvProblem& conv, const DTypes& types, Layout layout) {
  const Dims x = with_spatial({conv.n, conv.c}, conv.in, conv.rank);
  const Dims w = with_spatial({conv.k, conv.c_per_group()}, conv.filter, conv.rank);
  const Dims y = with_spatial({conv.n, conv.k}, conv.out, conv.rank);
  std::vector<TensorDesc> tensors;
  const auto add = [&](const char* name, Role role, DType dtype, const Dims& dims) {
    tensors.push_back(keys::tensor(name, role, dtype, dims, layout));
  };
  switch (conv.direction) {
    case ConvDirection::fwd:
      add("x", Role::input, types.in, x);
      add("w", Role::input, types.weights, w);
      if (conv.bias) add("bias", Role::input, types.weights, {conv.k});
      if (conv.residual != 0) add("z", Role::input, types.out, y);
      if (conv.beta != 0) add("y_in", Role::input, types.out, y);
      add("y", Role::output, types.out, y);
      break;
    case ConvDirection::bwd_data:
      add("w", Role::input, types.weights, w);
      add("dy", Role::input, types.out, y);
      if (conv.beta != 0) add("dx_in", Role::input, types.in, x);
      add("dx", Role::output, types.in, x);
      break;
    case ConvDirection::bwd_filter:
      add("x", Role::input, types.in, x);
      add("dy", Role::input, types.out, y);
      if (conv.beta != 0) add("dw_in", Role::input, types.weights, w);
      add("dw", Role::output, types.weights, w);
      break;
  }
  return tensors;
}

/// Types of the two operands (the second is the sparse one) and of the output.
LinearTypes linear_types(const Problem& problem) {
  const DTypes& types = problem.dtypes;
  switch (problem.as<ConvProblem>().direction) {
    case ConvDirection::fwd:
      return {types.in, types.weights, types.out, types.weights, problem.acc};
    case ConvDirection::bwd_data:
      return {types.out, types.weights, types.in, types.in, problem.acc};
    case ConvDirection::bwd_filter:
      return {types.in, types.out, types.weights, types.weights, problem.acc};
  }
  return {};
}

ExactPlan exact_plan(const Problem& problem) {
  return plan_exact(linear_form(problem), linear_types(problem));
}

/// Element of the second operand (w, w, dy) -> (reduction, position in it). Every output sums over
/// a part of one reduction: all of a filter (fwd), all filters of a group at one input channel
/// (bwd_data), all samples and positions of one output channel (bwd_filter).
ReductionIndex reductions_of(const ConvProblem& conv) {
  const std::int64_t taps = conv.filter_taps(), filter = conv.c_per_group() * taps;
  switch (conv.direction) {
    case ConvDirection::fwd:
      return [filter](std::int64_t i) { return std::pair(i / filter, i % filter); };
    case ConvDirection::bwd_data:
      return [taps, filter, c = conv.c_per_group(), k = conv.k_per_group()](std::int64_t i) {
        const std::int64_t out = i / filter, in = i % filter / taps;
        return std::pair(out / k * c + in, out % k * taps + i % taps);
      };
    case ConvDirection::bwd_filter:
      return [k = conv.k, positions = conv.out_positions()](std::int64_t i) {
        const std::int64_t sample = i / positions / k;
        return std::pair(i / positions % k, sample * positions + i % positions);
      };
  }
  return {};
}

bool is_first(const ConvProblem& conv, const TensorDesc& tensor) {
  return tensor.name == (conv.direction == ConvDirection::bwd_data ? "dy" : "x");
}

bool is_second(const ConvProblem& conv, const TensorDesc& tensor) {
  return tensor.name == (conv.direction == ConvDirection::bwd_filter ? "dy" : "w");
}

class ConvOp final : public Op {
 public:
  ConvOp(ConvDirection direction, std::string op_name, std::string formula)
      : direction_(direction) {
    name = std::move(op_name);
    family = "conv";
    summary = std::move(formula);
    has_layout = true;
    has_weights = true;
    keys = conv_keys(direction);
  }

  /// The same for all three directions, whatever the algorithm does.
  double flops(const Problem& problem) const override {
    const auto& p = problem.as<ConvProblem>();
    return 2.0 * static_cast<double>(p.n) * static_cast<double>(p.k) *
           static_cast<double>(p.out_positions()) * static_cast<double>(p.c_per_group()) *
           static_cast<double>(p.filter_taps());
  }
  std::int64_t depth(const Problem& problem) const override {
    return problem.as<ConvProblem>().depth();
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
    const auto& conv = problem.as<ConvProblem>();
    const ExactPlan plan = exact_plan(problem);
    if (is_second(conv, tensor)) {
      fill_integers(request, tensor, plan.second_max, values, plan.period, reductions_of(conv));
    } else {
      const std::int64_t max = is_first(conv, tensor) ? plan.first_max : plan.extra_max;
      fill_integers(request, tensor, max, values);
    }
  }

 protected:
  void resolve_detail(const KeyValues& complete, Problem& problem) const override {
    const ConvProblem conv = read_conv(direction_, complete);
    problem.keys = canonical_conv_keys(conv);
    problem.tensors = tensors_of(conv, problem.dtypes, *problem.layout);
    problem.detail = std::make_shared<const ConvProblem>(conv);
  }
  std::string unknown_key_hint(std::string_view key) const override {
    const bool fused = key == "bias" || key == "act" || key == "residual";
    return fused ? "bias, act and residual exist only in conv_fwd" : "";
  }

 private:
  ConvDirection direction_;
};

}  // namespace

std::int64_t ConvProblem::depth() const {
  switch (direction) {
    case ConvDirection::fwd:
      return c_per_group() * filter_taps();
    case ConvDirection::bwd_data:
      return k_per_group() * filter_taps();
    case ConvDirection::bwd_filter:
      return n * out_positions();
  }
  return 0;
}

const Op& conv_fwd_op() {
  static const ConvOp op(ConvDirection::fwd, "conv_fwd",
                         "y[n,k,p,q] = act(alpha sum_{c,r,s} x[n,c,p*u+r*dh-ph,q*v+s*dw-pw] "
                         "w[k,c,r,s] + beta y_in + residual z + bias[k])");
  return op;
}

const Op& conv_bwd_data_op() {
  static const ConvOp op(ConvDirection::bwd_data, "conv_bwd_data",
                         "dx[n,c,h,w] = alpha sum_{k,r,s} dy[n,k,p,q] w[k,c,r,s] over the (p,q) "
                         "with p*u+r*dh-ph = h, q*v+s*dw-pw = w, + beta dx_in");
  return op;
}

const Op& conv_bwd_filter_op() {
  static const ConvOp op(ConvDirection::bwd_filter, "conv_bwd_filter",
                         "dw[k,c,r,s] = alpha sum_{n,p,q} dy[n,k,p,q] "
                         "x[n,c,p*u+r*dh-ph,q*v+s*dw-pw] + beta dw_in");
  return op;
}

}  // namespace wm
