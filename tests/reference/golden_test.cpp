// The references against float64 PyTorch results in tests/golden (scripts/make_goldens.py).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "reference/activation.hpp"
#include "reference/conv.hpp"
#include "reference/matmul.hpp"
#include "reference/softmax.hpp"

namespace wm {
namespace {

using nlohmann::json;

json cases_of(const std::string& name) {
  const std::string path = std::string(WM_SOURCE_DIR) + "/tests/golden/torch_" + name + ".json";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return json::parse(file).at("cases");
}

std::vector<double> values_of(const json& each, const char* group, const char* tensor) {
  return each.at(group).at(tensor).at("values").get<std::vector<double>>();
}

/// |value - golden| <= 1e-12 of the golden or of the sum the value is the result of.
void expect_golden(const std::vector<double>& golden, const ValuesAndMagnitudes& result,
                   bool relative_to_magnitude, const std::string& what) {
  ASSERT_EQ(result.value.size(), golden.size()) << what;
  for (std::size_t i = 0; i < golden.size(); ++i) {
    const double scale =
        relative_to_magnitude ? result.magnitude[i] : std::max(1.0, std::abs(golden[i]));
    EXPECT_LE(std::abs(result.value[i] - golden[i]), 1e-12 * scale) << what << " at " << i;
  }
}

ConvProblem conv_problem(const json& problem) {
  ConvProblem p;
  p.n = problem.at("n"), p.c = problem.at("c"), p.k = problem.at("k");
  p.groups = problem.at("groups");
  p.rank = static_cast<int>(problem.at("size").size());
  for (int i = 0; i < p.rank; ++i) {
    const auto axis = static_cast<std::size_t>(3 - p.rank + i);
    p.in[axis] = problem.at("size")[i], p.filter[axis] = problem.at("filter")[i];
    p.pad_begin[axis] = p.pad_end[axis] = problem.at("pad")[i];
    p.stride[axis] = problem.at("stride")[i], p.dilation[axis] = problem.at("dilation")[i];
    p.out[axis] =
        (p.in[axis] + 2 * p.pad_begin[axis] - ((p.filter[axis] - 1) * p.dilation[axis] + 1)) /
            p.stride[axis] +
        1;
  }
  return p;
}

TEST(TorchGoldens, Convolution) {
  for (const json& each : cases_of("conv")) {
    ConvProblem p = conv_problem(each.at("problem"));
    p.bias = true;
    const std::vector<double> x = values_of(each, "inputs", "x");
    const std::vector<double> w = values_of(each, "inputs", "w");
    const std::vector<double> bias = values_of(each, "inputs", "bias");
    const std::vector<double> dy = values_of(each, "inputs", "dy");
    const std::pair<ConvDirection, const char*> outputs[] = {{ConvDirection::fwd, "y"},
                                                             {ConvDirection::bwd_data, "dx"},
                                                             {ConvDirection::bwd_filter, "dw"}};
    for (const auto& [direction, output] : outputs) {
      p.direction = direction;
      for (const bool wide : {false, true}) {
        expect_golden(values_of(each, "outputs", output),
                      conv_reference(p, {x, w, dy, {}, {}, bias}, wide), true,
                      output + each.at("problem").dump());
      }
    }
  }
}

TEST(TorchGoldens, Matmul) {
  for (const json& each : cases_of("matmul")) {
    const json& problem = each.at("problem");
    MatmulProblem p;
    p.m = problem.at("m"), p.n = problem.at("n"), p.k = problem.at("k");
    p.batch = problem.at("batch");
    p.transpose_a = problem.at("transpose_a"), p.transpose_b = problem.at("transpose_b");
    p.alpha = problem.at("alpha"), p.beta = problem.at("beta"), p.bias = true;
    p.act = *parse_activation(problem.at("act").get<std::string>());
    const std::vector<double> a = values_of(each, "inputs", "a");
    const std::vector<double> b = values_of(each, "inputs", "b");
    const std::vector<double> c = values_of(each, "inputs", "c");
    const std::vector<double> bias = values_of(each, "inputs", "bias");
    for (const bool wide : {false, true}) {
      expect_golden(values_of(each, "outputs", "d"), matmul_reference(p, {a, b, c, bias}, wide),
                    true, problem.dump());
    }
  }
}

TEST(TorchGoldens, Softmax) {
  for (const json& each : cases_of("softmax")) {
    const json& problem = each.at("problem");
    SoftmaxProblem p;
    p.n = problem.at("n"), p.c = problem.at("c"), p.h = problem.at("h"), p.w = problem.at("w");
    p.instance = problem.at("instance");
    const bool log_kind = problem.at("kind") == "log";
    const std::vector<double> x = values_of(each, "inputs", "x");
    const std::vector<double> dy = values_of(each, "inputs", "dy");
    const std::vector<double> y = values_of(each, "outputs", "y");
    for (const bool wide : {false, true}) {
      p.backward = false;
      p.kind = log_kind ? SoftmaxKind::log : SoftmaxKind::accurate;
      expect_golden(y, softmax_reference(p, {x, {}, {}}, Claims(), wide), false, problem.dump());
      p.kind = log_kind ? SoftmaxKind::log : SoftmaxKind::fast;
      expect_golden(y, softmax_reference(p, {x, {}, {}}, Claims(), wide), false, problem.dump());
      p.backward = true;
      expect_golden(values_of(each, "outputs", "dx"),
                    softmax_reference(p, {{}, y, dy}, Claims(), wide), false, problem.dump());
    }
  }
}

TEST(TorchGoldens, EveryActivation) {
  std::vector<std::string> seen;
  for (const json& each : cases_of("activation")) {
    const json& problem = each.at("problem");
    seen.push_back(problem.at("fn"));
    ActivationProblem p;
    p.fn = *parse_activation(seen.back());
    p.alpha = problem.at("alpha"), p.beta = problem.at("beta");
    const std::vector<double> x = values_of(each, "inputs", "x");
    const std::vector<double> dy = values_of(each, "inputs", "dy");
    for (const bool wide : {false, true}) {
      p.backward = false;
      expect_golden(values_of(each, "outputs", "y"),
                    activation_reference(p, {x, {}}, Claims(), wide), false, problem.dump());
      p.backward = true;
      expect_golden(values_of(each, "outputs", "dx"),
                    activation_reference(p, {x, dy}, Claims(), wide), false, problem.dump());
    }
  }
  for (const std::string& name : activation_names()) {
    EXPECT_NE(std::find(seen.begin(), seen.end(), name), seen.end()) << name;
  }
}

}  // namespace
}  // namespace wm
