#include "kernels/conv_harness.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <sstream>

#include "core/rng.hpp"
#include "core/text.hpp"
#include "ops/conv.hpp"

namespace wm::emu_kernels {
void register_all(Catalog& catalog);
}

namespace wm::test {
namespace {

struct Operand {
  TensorDesc desc;
  std::vector<double> values;  ///< logical order
  std::unique_ptr<Buffer> buffer;
};

double activation(ActivationFn fn, double x) { return fn == ActivationFn::relu && x < 0 ? 0 : x; }

/// One forward term: x index, w index and y index of (n, k, c, r, s, p, q), or nothing for padding.
struct Term {
  std::int64_t x, w, y;
};

template <class Fn>
void for_each_term(const ConvProblem& p, Fn&& fn) {
  const std::int64_t cg = p.c_per_group(), kg = p.k_per_group();
  const auto& [d_, h, w] = p.in;
  const auto& [t_, r, s] = p.filter;
  const auto& [o_, rows, cols] = p.out;
  for (std::int64_t n = 0; n < p.n; ++n)
    for (std::int64_t k = 0; k < p.k; ++k)
      for (std::int64_t c = 0; c < cg; ++c)
        for (std::int64_t i = 0; i < r; ++i)
          for (std::int64_t j = 0; j < s; ++j)
            for (std::int64_t a = 0; a < rows; ++a)
              for (std::int64_t b = 0; b < cols; ++b) {
                const std::int64_t y = a * p.stride[1] - p.pad_begin[1] + i * p.dilation[1];
                const std::int64_t x = b * p.stride[2] - p.pad_begin[2] + j * p.dilation[2];
                if (y < 0 || y >= h || x < 0 || x >= w) continue;
                const std::int64_t fi = p.flip ? r - 1 - i : i, fj = p.flip ? s - 1 - j : j;
                fn(Term{((n * p.c + k / kg * cg + c) * h + y) * w + x,
                        ((k * cg + c) * r + fi) * s + fj, ((n * p.k + k) * rows + a) * cols + b});
              }
}

const Operand* find(const std::vector<Operand>& operands, const std::string& name) {
  for (const Operand& operand : operands)
    if (operand.desc.name == name) return &operand;
  return nullptr;
}

/// The output's values before rounding, by the definition.
std::vector<double> naive(const ConvProblem& p, const std::vector<Operand>& operands,
                          const TensorDesc& output) {
  std::vector<double> sums(static_cast<std::size_t>(output.elements()), 0.0);
  const auto value = [&](const char* name) { return find(operands, name)->values.data(); };
  switch (p.direction) {
    case ConvDirection::fwd:
      for_each_term(p, [&, x = value("x"), w = value("w")](const Term& t) {
        sums[static_cast<std::size_t>(t.y)] += x[t.x] * w[t.w];
      });
      break;
    case ConvDirection::bwd_data:
      for_each_term(p, [&, dy = value("dy"), w = value("w")](const Term& t) {
        sums[static_cast<std::size_t>(t.x)] += dy[t.y] * w[t.w];
      });
      break;
    case ConvDirection::bwd_filter:
      for_each_term(p, [&, dy = value("dy"), x = value("x")](const Term& t) {
        sums[static_cast<std::size_t>(t.w)] += dy[t.y] * x[t.x];
      });
      break;
  }
  const Operand* prior = find(operands, output.name + "_in");
  const Operand* z = find(operands, "z");
  const Operand* bias = find(operands, "bias");
  const std::int64_t positions = p.out_positions();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    double sum = p.alpha * sums[i];
    if (prior) sum += p.beta * prior->values[i];
    if (z) sum += p.residual * z->values[i];
    if (bias) sum += bias->values[i / static_cast<std::size_t>(positions) % bias->values.size()];
    sums[i] = activation(p.act, sum);
  }
  return sums;
}

void fill(Operand& operand, bool normal) {
  std::uint64_t stream = 17;
  for (const char letter : operand.desc.name)
    stream = stream * 31 + static_cast<unsigned char>(letter);
  const Random random(5, stream);
  operand.values.resize(static_cast<std::size_t>(operand.desc.elements()));
  for (std::size_t i = 0; i < operand.values.size(); ++i)
    operand.values[i] = normal ? round_to(operand.desc.dtype, random.normal(i))
                               : static_cast<double>(random.integer(i, -3, 3));
}

/// Where each logical element lies in its buffer.
std::vector<std::int64_t> positions_of(const TensorDesc& desc) {
  std::vector<std::int64_t> positions;
  for_each_element(desc, [&](std::int64_t, std::int64_t storage) {
    positions.push_back(storage + desc.offset);
  });
  return positions;
}

/// Uploads values into poisoned storage, so that gaps between elements are not zeros.
void upload(Device& device, Operand& operand) {
  std::vector<unsigned char> bytes(operand.buffer->bytes(), 0xff);
  const std::vector<std::int64_t> positions = positions_of(operand.desc);
  for (std::size_t i = 0; i < positions.size(); ++i)
    store_from_double(operand.desc.dtype, bytes.data(), positions[i], operand.values[i]);
  device.upload(*operand.buffer, bytes.data(), bytes.size());
}

void pad_strides(TensorDesc& desc) {
  // Every stride but the smallest grows: gaps after each innermost run.
  std::int64_t smallest = desc.strides[0];
  for (const std::int64_t stride : desc.strides) smallest = std::min(smallest, stride);
  for (std::int64_t& stride : desc.strides)
    if (stride != smallest) stride *= 4;
  desc.offset = 1;
}

/// First difference of an output from its expected values, or of its gaps from the poison.
std::string compare(const TensorDesc& desc, const std::vector<unsigned char>& bytes, Poison poison,
                    const std::vector<double>& expected) {
  std::vector<bool> covered(bytes.size(), false);
  const std::size_t size = info(desc.dtype).bytes;
  std::ostringstream wrong;
  std::size_t count = 0;
  const std::vector<std::int64_t> positions = positions_of(desc);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const std::size_t first = static_cast<std::size_t>(positions[i]) * size;
    for (std::size_t b = first; b < first + size; ++b) covered[b] = true;
    const double got = load_as_double(desc.dtype, bytes.data(), positions[i]);
    const double want = round_to(desc.dtype, expected[i]);
    if (got == want) continue;
    if (count++ == 0) wrong << desc.name << "[" << i << "] = " << got << ", expected " << want;
  }
  if (count > 0) wrong << " (" << count << " of " << desc.elements() << " wrong)";
  for (std::size_t i = 0; i < bytes.size() && count == 0; ++i) {
    if (covered[i] || bytes[i] == static_cast<unsigned char>(poison)) continue;
    wrong << "byte " << i << " of " << desc.name << " is outside the tensor and was written";
    break;
  }
  return wrong.str();
}

std::vector<unsigned char> download(Device& device, const Buffer& buffer) {
  std::vector<unsigned char> bytes(buffer.bytes());
  device.download(bytes.data(), buffer, bytes.size());
  return bytes;
}

/// Allocates, fills and uploads what the problem names; outputs are poisoned.
std::vector<Operand> make_operands(Device& device, const ConvCase& conv_case,
                                   const Problem& problem) {
  std::vector<Operand> operands;
  for (const TensorDesc& desc : problem.tensors) {
    Operand operand;
    operand.desc = desc;
    const std::size_t size = info(desc.dtype).bytes;
    operand.buffer =
        device.allocate(desc.name, desc.bytes() + static_cast<std::size_t>(desc.offset) * size,
                        size, conv_case.guard);
    if (desc.role == Role::input) {
      fill(operand, conv_case.normal);
      upload(device, operand);
    } else {
      device.fill(*operand.buffer, conv_case.poison);
    }
    operands.push_back(std::move(operand));
  }
  return operands;
}

LaunchArgs launch_args(Device& device, const Problem& problem, const std::vector<Operand>& operands,
                       const Buffer& workspace) {
  LaunchArgs args;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const TensorDesc& desc = problem.tensors[i];
    auto* base = static_cast<unsigned char*>(operands[i].buffer->data());
    args.tensors.push_back(
        {&desc, base + static_cast<std::size_t>(desc.offset) * info(desc.dtype).bytes});
  }
  args.workspace = workspace.data();
  args.stream = device.stream();
  return args;
}

std::string check_buffers(Device& device, const std::vector<Operand>& operands,
                          const std::vector<std::vector<unsigned char>>& before) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    std::string canary = device.check_canaries(*operands[i].buffer);
    if (!canary.empty()) return canary;
    if (operands[i].desc.role != Role::input) continue;
    if (download(device, *operands[i].buffer) != before[i])
      return "input " + operands[i].desc.name + " was changed";
  }
  return {};
}

}  // namespace

std::string ConvCase::text() const {
  return op + "/" + algorithm + " " + dtype + " " + layout + " " + keys + " config=" + config +
         (padded ? " padded" : "") + " guard=" + std::to_string(static_cast<int>(guard));
}

const Catalog& emulator_catalog() {
  static const Catalog catalog = [] {
    Catalog made;
    emu_kernels::register_all(made);
    return made;
  }();
  return catalog;
}

ConvCase make_case(const std::string& op, const std::string& algorithm, const std::string& keys) {
  ConvCase conv_case;
  conv_case.op = op;
  conv_case.algorithm = algorithm;
  conv_case.keys = keys;
  return conv_case;
}

std::vector<std::string> algorithms_of(const std::string& op) {
  std::set<std::string> names;
  for (const Variant& variant : emulator_catalog().variants())
    if (variant.id.op == op) names.insert(variant.id.algorithm);
  return {names.begin(), names.end()};
}

Problem resolve_case(const ConvCase& conv_case) {
  KeyValues values;
  for (const std::string& item : split(conv_case.keys, ' ')) {
    const std::size_t equals = item.find('=');
    values.emplace_back(item.substr(0, equals), item.substr(equals + 1));
  }
  values.emplace_back("dtype", conv_case.dtype);
  values.emplace_back("layout", conv_case.layout);
  Problem problem = find_op(conv_case.op)->resolve(values);
  if (conv_case.padded)
    for (TensorDesc& desc : problem.tensors) pad_strides(desc);
  return problem;
}

const Variant& variant_of(const ConvCase& conv_case, const Problem& problem) {
  const Variant* variant = emulator_catalog().find(problem, conv_case.algorithm);
  if (!variant) throw UsageError("no variant for " + conv_case.text());
  return *variant;
}

ConvOutcome run_conv(const ConvCase& conv_case) {
  const DeviceProps props;
  const auto device = make_emu_device(props, 2);
  device->set_schedule(conv_case.schedule);
  const Problem problem = resolve_case(conv_case);
  const Variant& variant = variant_of(conv_case, problem);
  ConvOutcome outcome;
  outcome.unsupported = variant.supports(problem, props).reason;
  if (!outcome.unsupported.empty()) return outcome;
  const Config config = conv_case.config.empty() ? variant.configure(problem, props)
                                                 : Config::parse(conv_case.config);
  variant.check_config(problem, config);
  outcome.config = config.to_string();
  outcome.claims = variant.claims(problem, config);

  const std::vector<Operand> operands = make_operands(*device, conv_case, problem);
  const std::size_t workspace_bytes = variant.workspace_bytes(problem, config);
  const auto workspace = device->allocate("workspace", workspace_bytes, 4, conv_case.guard);
  device->fill(*workspace, conv_case.poison);
  std::vector<std::vector<unsigned char>> before;
  for (const Operand& operand : operands) before.push_back(download(*device, *operand.buffer));

  variant.launch(problem, config, launch_args(*device, problem, operands, *workspace));
  device->synchronize();

  const Operand& output = operands.back();
  outcome.bytes = download(*device, *output.buffer);
  outcome.problem = check_buffers(*device, operands, before);
  if (outcome.problem.empty()) outcome.problem = device->check_canaries(*workspace);
  if (outcome.problem.empty() && !conv_case.normal)
    outcome.problem = compare(output.desc, outcome.bytes, conv_case.poison,
                              naive(problem.as<ConvProblem>(), operands, output.desc));
  return outcome;
}

}  // namespace wm::test
