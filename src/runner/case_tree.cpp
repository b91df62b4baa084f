#include "runner/case_tree.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/text.hpp"
#include "runner/execution.hpp"
#include "tree/linear_sum.hpp"

namespace wm {
namespace {

/// Launches of one variant that compute masked sums.
class MaskedLaunches {
 public:
  MaskedLaunches(Device& device, const Variant& variant, const Case& item, const Config& config,
                 const Claims& claims)
      : device_(device),
        variant_(variant),
        item_(item),
        config_(config),
        sum_(linear_sum(item.problem)),
        scale_(mask_scale(item.problem.tensor(sum_.carrier).dtype, claims.acc,
                          item.problem.tensor(sum_.output).dtype)) {}

  const LinearSum& sum() const { return sum_; }

  /// Discovers and checks the tree that all outputs share; where they share none, that of the first
  /// output.
  SummationTree discover() {
    try {
      return discover_shared();
    } catch (const NoTreeError&) {
      if (sum_.lanes * sum_.replicas == 1) throw;
      shared = false;
      sum_.lanes = sum_.replicas = 1;
      return discover_shared();
    }
  }

  bool shared = true;
  std::int64_t sums = 0, launches = 0;

 private:
  SummationTree discover_shared() {
    const CountUnits count = [this](std::span<const MaskedSum> asked) { return ask(asked); };
    SummationTree tree = discover_tree(sum_.leaves, scale_.most_units, count);
    constexpr std::int64_t kPairs = 64;  // and at least one for each lane
    check_tree(tree, scale_.most_units, std::max(kPairs, sum_.lanes), count);
    return tree;
  }

  std::vector<std::int64_t> ask(std::span<const MaskedSum> asked) {
    std::vector<std::int64_t> left;
    const auto most = static_cast<std::size_t>(sum_.lanes);
    for (std::size_t first = 0; first < asked.size(); first += most) {
      const auto part = asked.subspan(first, std::min(most, asked.size() - first));
      const std::vector<std::int64_t> counts = launch(part);
      left.insert(left.end(), counts.begin(), counts.end());
    }
    return left;
  }

  std::vector<std::int64_t> launch(std::span<const MaskedSum> part) {
    std::vector<HostTensor> inputs;
    for (const TensorDesc& desc : item_.problem.tensors) {
      if (desc.role != Role::input) continue;
      const std::int64_t elements = desc.elements();
      if (desc.name == sum_.carrier)
        inputs.push_back({desc, carrier_values(sum_, elements, scale_, part)});
      else
        inputs.push_back(
            {desc, std::vector<double>(static_cast<std::size_t>(elements), scale_.constant)});
    }
    Execution execution(device_, variant_, item_.problem, config_, inputs, item_.guard);
    ExecutionSettings settings;
    settings.schedule = item_.schedule;
    const RunOutputs outputs = execution.run(settings);
    if (!outputs.violation.empty()) throw KernelError(outputs.violation);
    const TensorDesc& desc = item_.problem.tensor(sum_.output);
    std::vector<double> values(static_cast<std::size_t>(desc.elements()));
    load_all(desc, outputs.outputs[0].data(), values);
    sums += static_cast<std::int64_t>(part.size());
    ++launches;
    return units_left(sum_, values, scale_, part);
  }

  Device& device_;
  const Variant& variant_;
  const Case& item_;
  const Config& config_;
  LinearSum sum_;
  MaskScale scale_;
};

/// Roundings from the deepest product to the sum. A product counts once: it is rounded by itself,
/// or the first of a chain of fused multiply-adds rounds it. Tensor cores round groups only.
std::int64_t rounded_height(const SummationTree& tree, const Claims& claims) {
  if (tree.leaves == 0) return 0;
  const std::int64_t additions = tree_depth(tree);
  return claims.tensor_core.empty() ? additions + 1 : std::max<std::int64_t>(additions, 1);
}

std::string why_not(const Device& device, const Case& item, const Claims& claims) {
  std::string reason = why_no_tree(item.problem, claims);
  if (reason.empty() && device.kind() == DeviceKind::cuda && !claims.deterministic())
    reason = "the order may change from run to run on this device: " + claims.nondeterministic;
  return reason;
}

CaseTree without_tree(std::string why) {
  CaseTree result;
  result.why_not = std::move(why);
  return result;
}

}  // namespace

std::string CaseTree::height_text() const {
  return "the tree of '" + tensor + "' has height " + std::to_string(height) + ", " +
         (taller_than_claimed() ? "taller than" : "within") + " the claimed " +
         format_real(claimed);
}

CaseTree discover_case_tree(Device& device, const Variant& variant, const Case& item) {
  const Support support = variant.supports(item.problem, device.props());
  if (!support.ok()) return without_tree(support.reason);
  const Config config = item.config.empty() ? variant.configure(item.problem, device.props())
                                            : Config::parse(item.config);
  if (!item.config.empty()) variant.check_config(item.problem, config);
  const Claims claims = claims_on(variant, item.problem, config, device.props());
  std::string reason = why_not(device, item, claims);
  if (!reason.empty()) return without_tree(std::move(reason));

  MaskedLaunches launches(device, variant, item, config, claims);
  CaseTree result;
  try {
    result.tree = launches.discover();
  } catch (const NoTreeError& error) {
    return without_tree(error.what());
  }
  result.tensor = launches.sum().output;
  result.leaf_axes = launches.sum().leaf_axes;
  result.config = config.to_string();
  result.height = rounded_height(result.tree, claims);
  result.claimed = claims.tree_height;
  result.hash = tree_hash(result.tree);
  result.shared = launches.shared;
  result.sums = launches.sums;
  result.launches = launches.launches;
  return result;
}

std::optional<CaseTree> audit_tree(Device& device, const Variant& variant, const Case& item) {
  constexpr std::int64_t kMostLeaves = 512;
  constexpr double kMostFlops = 2e8;  // of all launches, at four sums a leaf
  const Problem& problem = item.problem;
  if (device.kind() == DeviceKind::emu_race || !why_no_tree(problem, Claims{}).empty())
    return std::nullopt;
  const LinearSum sum = linear_sum(problem);
  const double launches = 4 * static_cast<double>(sum.leaves) /
                          static_cast<double>(std::max<std::int64_t>(sum.lanes, 1));
  if (sum.leaves == 0 || sum.leaves > kMostLeaves ||
      (launches + 1) * problem.op->flops(problem) > kMostFlops)
    return std::nullopt;
  CaseTree found = discover_case_tree(device, variant, item);
  if (!found.why_not.empty()) return std::nullopt;
  return found;
}

}  // namespace wm
