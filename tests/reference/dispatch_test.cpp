// run_reference on resolved problems: tensor names, layouts of inputs, errors.
#include <gtest/gtest.h>

#include <cmath>

#include "reference/reference.hpp"

namespace wm {
namespace {

Problem resolve(const char* op, const KeyValues& keys) { return find_op(op)->resolve(keys); }

std::vector<HostTensor> filled_inputs(const Problem& problem) {
  std::vector<HostTensor> inputs;
  for (const TensorDesc& desc : problem.tensors) {
    if (desc.role != Role::input) continue;
    HostTensor tensor{desc, std::vector<double>(static_cast<std::size_t>(desc.elements()))};
    problem.op->fill(problem, {"normal", 1}, desc, tensor.values);
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

Expected run(const Problem& problem) {
  const std::vector<Expected> outputs = run_reference(problem, filled_inputs(problem), Claims());
  EXPECT_EQ(outputs.size(), 1u);
  return outputs.at(0);
}

TEST(RunReference, EveryOpHasAReferenceOfItsOutput) {
  const KeyValues conv = {{"n", "2"}, {"c", "4"}, {"h", "5"},   {"w", "6"},      {"k", "6"},
                          {"r", "3"}, {"s", "3"}, {"pad", "1"}, {"groups", "2"}, {"beta", "0.5"}};
  const KeyValues image = {{"n", "2"}, {"c", "5"}, {"h", "3"}, {"w", "4"}};
  for (const Op* op : all_ops()) {
    KeyValues keys = image;
    if (op->family == "conv") keys = conv;
    if (op->family == "matmul") keys = {{"m", "3"}, {"n", "4"}, {"k", "5"}, {"beta", "2"}};
    if (op->family == "activation") keys.emplace_back("fn", "gelu");
    const Problem problem = op->resolve(keys);
    const Expected expected = run(problem);
    const auto count = static_cast<std::size_t>(problem.tensor(expected.name).elements());
    EXPECT_EQ(problem.tensor(expected.name).role, Role::output) << op->name;
    EXPECT_EQ(expected.value.size(), count) << op->name;
    EXPECT_EQ(expected.magnitude.size(), count) << op->name;
    for (const double value : expected.value) EXPECT_TRUE(std::isfinite(value)) << op->name;
  }
}

TEST(RunReference, FusedConvolutionUsesEveryInput) {
  const KeyValues keys = {{"n", "1"}, {"c", "2"},    {"w", "5"},        {"k", "3"},
                          {"s", "3"}, {"bias", "1"}, {"residual", "2"}, {"beta", "0.5"}};
  const Problem problem = resolve("conv_fwd", keys);
  std::vector<HostTensor> inputs = filled_inputs(problem);
  const std::vector<double> base = run_reference(problem, inputs, Claims())[0].value;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double saved = inputs[i].values[0];
    inputs[i].values[0] += 1;
    EXPECT_NE(run_reference(problem, inputs, Claims())[0].value, base) << inputs[i].desc.name;
    inputs[i].values[0] = saved;
  }
}

TEST(RunReference, LayoutChangesNothing) {
  KeyValues keys = {{"n", "2"}, {"c", "3"}, {"h", "4"}, {"w", "4"},
                    {"k", "2"}, {"r", "3"}, {"s", "3"}, {"layout", "nchw"}};
  const std::vector<double> nchw = run(resolve("conv_fwd", keys)).value;
  keys.back().second = "nhwc";
  EXPECT_EQ(run(resolve("conv_fwd", keys)).value, nchw);
}

TEST(RunReference, OnlyTrackedReferencesDependOnClaims) {
  EXPECT_FALSE(reference_depends_on_claims(*find_op("conv_bwd_data")));
  EXPECT_FALSE(reference_depends_on_claims(*find_op("matmul")));
  EXPECT_TRUE(reference_depends_on_claims(*find_op("softmax_bwd")));
  EXPECT_TRUE(reference_depends_on_claims(*find_op("activation_fwd")));
}

TEST(RunReference, MissingOrMisshapenInputIsAnErrorThatNamesIt) {
  const Problem problem = resolve("matmul", {{"m", "2"}, {"n", "2"}, {"k", "2"}});
  std::vector<HostTensor> inputs = filled_inputs(problem);
  inputs[1].values.pop_back();
  try {
    run_reference(problem, inputs, Claims());
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("'b' has 3 values, its shape has 4"),
              std::string::npos)
        << error.what();
  }
  inputs.pop_back();
  EXPECT_THROW(run_reference(problem, inputs, Claims()), UsageError);
}

}  // namespace
}  // namespace wm
