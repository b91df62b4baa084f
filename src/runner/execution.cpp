#include "runner/execution.hpp"

#include <chrono>
#include <cstring>

#include "core/error.hpp"

namespace wm {
namespace {

constexpr std::size_t kWidestAccess = 16;  // bytes

std::size_t element_bytes(const TensorDesc& desc) { return info(desc.dtype).bytes; }

std::size_t offset_bytes(const TensorDesc& desc) {
  return static_cast<std::size_t>(desc.offset) * element_bytes(desc);
}

const HostTensor* find_input(const std::vector<HostTensor>& inputs, const TensorDesc& desc) {
  for (const HostTensor& input : inputs)
    if (input.desc.name == desc.name) return &input;
  return nullptr;
}

}  // namespace

Execution::Execution(Device& device, const Variant& variant, const Problem& problem,
                     const Config& config, const std::vector<HostTensor>& inputs, Guard guard)
    : device_(device),
      variant_(variant),
      problem_(problem),
      config_(config),
      workspace_bytes_(variant.workspace_bytes(problem, config)) {
  for (const TensorDesc& desc : problem.tensors) {
    const HostTensor* input = desc.role == Role::input ? find_input(inputs, desc) : nullptr;
    if (desc.role == Role::input && !input)
      throw std::logic_error("no values for input '" + desc.name + "'");
    add_slot(desc, input, guard);
  }
  // The workspace is promised to be aligned: its last byte can touch the guard page only where its
  // size is a multiple of the widest access. Canaries follow it in any case.
  const bool fits = guard != Guard::back || workspace_bytes_ % kWidestAccess == 0;
  workspace_ =
      device.allocate("workspace", workspace_bytes_, kWidestAccess, fits ? guard : Guard::none);
}

void Execution::add_slot(const TensorDesc& desc, const HostTensor* input, Guard guard) {
  Slot slot;
  slot.desc = &desc;
  const std::size_t bytes = desc.bytes() == 0 ? 0 : offset_bytes(desc) + desc.bytes();
  slot.buffer = device_.allocate(desc.name, bytes, element_bytes(desc), guard);
  if (input) {
    // Gaps of a strided input are NaN, so that reading them shows in the result.
    slot.input_bytes.assign(bytes, std::byte{0xff});
    if (bytes > 0) store_all(desc, input->values, slot.input_bytes.data() + offset_bytes(desc));
    device_.upload(*slot.buffer, slot.input_bytes.data(), bytes);
  }
  slots_.push_back(std::move(slot));
}

RunOutputs Execution::run(const ExecutionSettings& settings) {
  // The emulator's shared memory starts as the byte of the last fill: that of the outputs.
  device_.fill(*workspace_, settings.workspace_poison);
  LaunchArgs args;
  for (Slot& slot : slots_) {
    if (slot.desc->role == Role::output) device_.fill(*slot.buffer, settings.output_poison);
    auto* base = static_cast<std::byte*>(slot.buffer->data());
    args.tensors.push_back({slot.desc, base + offset_bytes(*slot.desc)});
  }
  device_.set_schedule(settings.schedule);
  args.workspace = workspace_->data();
  args.stream = device_.stream();

  RunOutputs result;
  const auto start = std::chrono::steady_clock::now();
  variant_.launch(problem_, config_, args);
  device_.synchronize();
  const auto stop = std::chrono::steady_clock::now();
  result.elapsed_ns = std::chrono::duration<double, std::nano>(stop - start).count();
  result.violation = check_buffers(settings, result);
  return result;
}

std::string Execution::check_buffers(const ExecutionSettings& settings, RunOutputs& result) {
  std::string violation = device_.check_canaries(*workspace_);
  for (const Slot& slot : slots_) {
    if (violation.empty()) violation = device_.check_canaries(*slot.buffer);
    if (slot.desc->role == Role::input) {
      if (violation.empty()) violation = check_input(slot);
      continue;
    }
    std::vector<std::byte> bytes(slot.buffer->bytes());
    device_.download(bytes.data(), *slot.buffer, bytes.size());
    if (violation.empty()) violation = check_gaps(slot, bytes, settings.output_poison);
    const auto skip = static_cast<std::ptrdiff_t>(bytes.empty() ? 0 : offset_bytes(*slot.desc));
    if (skip > 0) bytes.erase(bytes.begin(), bytes.begin() + skip);
    result.outputs.push_back(std::move(bytes));
  }
  return violation;
}

std::string Execution::check_input(const Slot& slot) {
  std::vector<std::byte> now(slot.buffer->bytes());
  device_.download(now.data(), *slot.buffer, now.size());
  if (now == slot.input_bytes) return "";
  std::size_t at = 0;
  while (now[at] == slot.input_bytes[at]) ++at;
  return "input '" + slot.desc->name + "' was written (first at byte " + std::to_string(at) +
         " of its buffer)";
}

// Elements between those of a strided output, and those before its offset, must keep the poison.
std::string Execution::check_gaps(const Slot& slot, const std::vector<std::byte>& bytes,
                                  Poison poison) {
  const TensorDesc& desc = *slot.desc;
  if (bytes.empty() || (desc.packed() && desc.offset == 0)) return "";
  std::vector<bool> owned(bytes.size() / element_bytes(desc), false);
  for_each_element(desc, [&](std::int64_t, std::int64_t storage) {
    owned[static_cast<std::size_t>(desc.offset + storage)] = true;
  });
  for (std::size_t i = 0; i < owned.size(); ++i) {
    if (owned[i]) continue;
    for (std::size_t b = 0; b < element_bytes(desc); ++b)
      if (bytes[i * element_bytes(desc) + b] != static_cast<std::byte>(poison))
        return "padding of strided output '" + desc.name + "' was written (storage element " +
               std::to_string(i) + ")";
  }
  return "";
}

}  // namespace wm
