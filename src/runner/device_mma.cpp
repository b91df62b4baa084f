#include "runner/device_mma.hpp"

#include <cstring>

#include "core/error.hpp"
#include "runner/execution.hpp"

namespace wm {
namespace {

/// Tiles as the batch of a matmul: the probe kernels compute one a batch element.
class TileLaunches {
 public:
  TileLaunches(Device& device, const Catalog& kernels) : device_(device), kernels_(kernels) {}

  bool has(MmaOperand operand) const {
    const bool emulated = device_.kind() != DeviceKind::cuda;
    if (emulated) {
      const MmaModel& model = mma_model(device_.props().mma_model);
      if (!model.ieee && !model.block(operand).published()) return false;
    }
    const Problem problem = problem_of(operand, 1);
    const Variant* variant = kernels_.find(problem, "mma_tile");
    if (variant == nullptr) return false;
    // What the emulator poses as is its model, whatever the generation of the GPU.
    return emulated || variant->supports(problem, device_.props()).ok();
  }

  std::vector<MmaResult> run(MmaOperand operand, std::span<const MmaTile> tiles) const {
    const Problem problem = problem_of(operand, static_cast<std::int64_t>(tiles.size()));
    const Variant& variant = *kernels_.find(problem, "mma_tile");
    std::vector<double> a, b, c;
    for (const MmaTile& tile : tiles) {
      a.insert(a.end(), tile.a.begin(), tile.a.end());
      b.insert(b.end(), tile.b.begin(), tile.b.end());
      c.insert(c.end(), tile.c.begin(), tile.c.end());
    }
    const std::vector<HostTensor> inputs{{problem.tensor("a"), std::move(a)},
                                         {problem.tensor("b"), std::move(b)},
                                         {problem.tensor("c"), std::move(c)}};
    const Config config;
    Execution execution(device_, variant, problem, config, inputs, Guard::none);
    const RunOutputs outputs = execution.run({});
    if (!outputs.violation.empty()) throw KernelError(outputs.violation);
    std::vector<MmaResult> results(tiles.size());
    std::memcpy(results.data(), outputs.outputs[0].data(), outputs.outputs[0].size());
    return results;
  }

 private:
  static Problem problem_of(MmaOperand operand, std::int64_t tiles) {
    const std::string name(name_of(operand));
    const bool tf32 = operand == MmaOperand::tf32;
    const std::string type = tf32 ? "f32" : name;
    return find_op("matmul")->resolve({{"m", "16"},
                                       {"n", "8"},
                                       {"k", std::to_string(mma_depth(operand))},
                                       {"batch", std::to_string(tiles)},
                                       {"beta", "1"},
                                       {"dtype", type + "." + type + ".f32"},
                                       {"math", tf32 ? "tf32" : "ieee"}});
  }

  Device& device_;
  const Catalog& kernels_;
};

}  // namespace

std::vector<ProbedOperand> probe_device_mma(Device& device, const Catalog& kernels) {
  const TileLaunches launches(device, kernels);
  std::vector<ProbedOperand> found =
      probe_mma([&](MmaOperand operand) { return launches.has(operand); },
                [&](MmaOperand operand, std::span<const MmaTile> tiles) {
                  return launches.run(operand, tiles);
                });
  if (found.empty())
    throw EnvironmentError("device " + device.id() + " (" + device.props().name +
                           ") has no tensor core that mma.sync of sm_80 reaches");
  return found;
}

}  // namespace wm
