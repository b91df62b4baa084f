// The activation kernels against the reference, and the claimed errors of their functions.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/rng.hpp"
#include "gpu/device.hpp"
#include "kernels/conv_harness.hpp"
#include "kernels/kernel_harness.hpp"
#include "ops/activation.hpp"
#include "reference/activation_math.hpp"
#include "verify/judge.hpp"

namespace wm::test {
namespace {

const std::vector<std::string> kOps{"activation_fwd", "activation_bwd"};
const std::vector<std::string> kTypes{"f32", "f64", "f16", "bf16"};

std::string keys(const std::string& shape, const std::string& fn, const std::string& type,
                 const std::string& layout = "nchw") {
  return shape + " fn=" + fn + " dtype=" + type + " layout=" + layout;
}

TEST(Activation, EveryFunctionAndType) {
  for (const std::string& op : kOps) {
    for (const std::string& fn : activation_names()) {
      for (const std::string& type : kTypes) {
        KernelCase c{.op = op, .keys = keys("n=2 c=5 h=7 w=3", fn, type), .recipe = "normal"};
        expect_all_pass(c);
        c.recipe = "exact";
        if (find_op(op)
                ->has_recipe(
                    find_op(op)->resolve(
                        {{"n", "2"}, {"c", "5"}, {"fn", fn}, {"dtype", type}, {"layout", "nchw"}}),
                    "exact")
                .ok)
          expect_all_pass(c);
      }
    }
  }
}

TEST(Activation, SizesLayoutsPlacementsStrides) {
  for (const std::string& op : kOps) {
    for (const std::string& type : kTypes) {
      for (const char* shape :
           {"n=0 c=3", "n=1 c=1", "n=1 c=17", "n=3 c=8 h=16 w=16", "n=2 c=3 h=5 w=7"}) {
        for (const char* layout : {"nchw", "nhwc"}) {
          KernelCase c{.op = op, .keys = keys(shape, "gelu", type, layout), .recipe = "normal"};
          for (const Guard guard : {Guard::none, Guard::front, Guard::back}) {
            c.guard = guard;
            expect_all_pass(c);
          }
          c.guard = Guard::none;
          c.padded = true;
          expect_all_pass(c);
        }
      }
    }
  }
}

TEST(Activation, Parameters) {
  for (const std::string& op : kOps) {
    for (const char* parameters :
         {"fn=swish beta=1.702", "fn=swish beta=-0.3", "fn=softplus beta=7", "fn=elu alpha=0.3",
          "fn=leaky_relu alpha=0.2", "fn=clipped_relu alpha=0.7"})
      expect_all_pass({.op = op,
                       .keys = std::string("n=4 c=50 layout=nchw dtype=f32 ") + parameters,
                       .recipe = "normal"});
  }
}

/// x values that stress the functions: ordinary, tails to underflow and overflow, tiny.
std::vector<double> test_points(DType dtype, std::size_t count) {
  const Random random(11, 4);
  const double reach = dtype == DType::f32 ? 130 : 850;
  std::vector<double> x(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double u = random.uniform(i) * 2 - 1;
    const double scale = i % 4 == 0 ? 5 : i % 4 == 1 ? 30 : i % 4 == 2 ? reach : 0;
    const int exponent = -static_cast<int>(i / 4 % 40);
    x[i] = round_to(dtype, scale > 0 ? u * scale : std::ldexp(u, exponent));
  }
  return x;
}

/// Runs one function over the points; dy = 1, so that backward gives the derivative.
std::vector<double> evaluate(Device& device, const Variant& variant, const Problem& problem,
                             const std::vector<double>& x) {
  LaunchArgs args;
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<std::byte> bytes(problem.tensors.front().bytes());
  for (const TensorDesc& desc : problem.tensors) {
    buffers.push_back(device.allocate(desc.name, bytes.size(), 4, Guard::none));
    for (std::size_t i = 0; i < x.size(); ++i)
      store_from_double(desc.dtype, bytes.data(), static_cast<std::int64_t>(i),
                        desc.name == "x" ? x[i] : 1);
    device.upload(*buffers.back(), bytes.data(), bytes.size());
    args.tensors.push_back({&desc, buffers.back()->data()});
  }
  args.stream = device.stream();
  variant.launch(problem, {}, args);
  device.synchronize();
  device.download(bytes.data(), *buffers.back(), bytes.size());
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    y[i] = load_as_double(problem.tensors.back().dtype, bytes.data(), static_cast<std::int64_t>(i));
  return y;
}

/// Largest error over the points in ulp of the largest term; NaN or infinity where the reference
/// has none counts as infinite.
double largest_error(const Problem& problem, const std::vector<double>& x,
                     const std::vector<double>& y) {
  const auto& p = problem.as<ActivationProblem>();
  const DType dtype = problem.tensors.back().dtype;
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto at = static_cast<long double>(x[i]);
    const auto f = p.backward ? activation_slope<long double>(p.fn, p.alpha, p.beta, at)
                              : activation<long double>(p.fn, p.alpha, p.beta, at);
    const double size =
        std::max(std::abs(static_cast<double>(f.value)), static_cast<double>(f.scale));
    const double error = static_cast<double>(std::abs(static_cast<long double>(y[i]) - f.value)) /
                         ulp_of(dtype, size);
    if (!(error <= largest)) largest = std::isnan(error) ? INFINITY : error;
  }
  return largest;
}

/// Parameters no power of two, so that they count as roundings too.
Problem points_problem(const std::string& op, const std::string& fn, const std::string& type,
                       std::size_t count) {
  KeyValues values{
      {"n", "1"}, {"c", std::to_string(count)}, {"fn", fn}, {"dtype", type}, {"layout", "nchw"}};
  if (fn == "elu") values.emplace_back("alpha", "0.3");
  if (fn == "swish") values.emplace_back("beta", "1.702");
  if (fn == "softplus") values.emplace_back("beta", "0.7");
  return find_op(op)->resolve(values);
}

/// The claims hold, and are not idle: within a factor of three of what a small sample shows.
TEST(Activation, ClaimedFunctionErrors) {
  constexpr std::size_t kPoints = 8000;
  const auto device = make_emu_device(DeviceProps{}, 2);
  for (const std::string& op : kOps) {
    for (const std::string& fn : activation_names()) {
      for (const char* type : {"f32", "f64"}) {
        const Problem problem = points_problem(op, fn, type, kPoints);
        const Variant& variant = *emulator_catalog().find(problem, "vectorised");
        const auto x = test_points(problem.tensors.front().dtype, kPoints);
        const double error = largest_error(problem, x, evaluate(*device, variant, problem, x));
        const double claimed = variant.claims(problem, {}).function_ulp;
        EXPECT_LE(error, claimed) << op << " " << fn << " " << type;
        if (claimed > 2) {
          EXPECT_GT(3 * error, claimed) << op << " " << fn << " " << type;
        }
      }
    }
  }
}

TEST(Activation, SpecialValues) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::vector<double> x{kInf, -kInf, std::nan(""), 0.0, -0.0, 3, -3, 6, 1e30, -1e30, 0.25};
  const auto device = make_emu_device(DeviceProps{}, 2);
  for (const std::string& op : kOps) {
    for (const std::string& fn : activation_names()) {
      for (const char* type : {"f32", "f64"}) {
        const Problem problem = points_problem(op, fn, type, x.size());
        const auto& p = problem.as<ActivationProblem>();
        const DType dtype = problem.tensors.back().dtype;
        const auto y =
            evaluate(*device, *emulator_catalog().find(problem, "vectorised"), problem, x);
        for (std::size_t i = 0; i < x.size(); ++i) {
          const double at = round_to(dtype, x[i]);
          const double want =
              p.backward
                  ? static_cast<double>(
                        activation_slope<long double>(p.fn, p.alpha, p.beta, at).value)
                  : static_cast<double>(activation<long double>(p.fn, p.alpha, p.beta, at).value);
          const bool same = std::isnan(want)
                                ? std::isnan(y[i])
                                : y[i] == want || std::abs(y[i] - want) <= 6 * ulp_of(dtype, want);
          EXPECT_TRUE(same) << op << " " << fn << " " << type << " x=" << x[i] << " got " << y[i]
                            << ", want " << want;
        }
      }
    }
  }
}

}  // namespace
}  // namespace wm::test
