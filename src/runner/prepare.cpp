#include "runner/prepare.hpp"

#include "core/error.hpp"
#include "runner/npy.hpp"

namespace wm {
namespace {

const TensorSource* find_source(const TensorSources& sources, const std::string& tensor) {
  for (const auto& [name, source] : sources)
    if (name == tensor) return &source;
  return nullptr;
}

// Whatever decides the inputs: the case without its algorithm and the knobs of a run.
std::string input_key(Case item) {
  item.algorithm = "*";
  item.provider = "warpmark";
  item.config.clear();
  item.schedule = {};
  item.guard = Guard::none;
  item.emu_arch.clear();
  item.expect.clear();
  return to_case_string(item, false);
}

}  // namespace

std::vector<double> source_values(const TensorSource& source, const std::string& what,
                                  const TensorDesc& desc) {
  const auto count = static_cast<std::size_t>(desc.elements());
  std::vector<double> values;
  switch (source.kind) {
    case TensorSource::Kind::fill:
      values.assign(count, source.fill);
      break;
    case TensorSource::Kind::npy:
      values = read_npy(source.path, desc.dims, desc.dtype);
      break;
    case TensorSource::Kind::values:
      values = source.values;
      break;
  }
  if (values.size() != count)
    throw UsageError(what + ": " + std::to_string(values.size()) + " values given, tensor '" +
                     desc.name + "' has " + std::to_string(count) + " elements");
  for (double& value : values) value = round_to(desc.dtype, value);
  return values;
}

void Prepared::use(const Case& item) {
  std::string key = input_key(item);
  if (key == key_) return;
  key_.clear();
  inputs_.clear();
  expected_.clear();
  has_expected_ = false;
  problem_ = item.problem;
  for (const TensorDesc& desc : problem_.tensors) {
    if (desc.role != Role::input) continue;
    HostTensor tensor{desc, {}};
    if (const TensorSource* source = find_source(item.inputs, desc.name)) {
      tensor.values = source_values(*source, "in." + desc.name, desc);
    } else {
      tensor.values.resize(static_cast<std::size_t>(desc.elements()));
      problem_.op->fill(problem_, {item.recipe, item.seed}, desc, tensor.values);
    }
    inputs_.push_back(std::move(tensor));
  }
  key_ = std::move(key);
}

const std::vector<Expected>& Prepared::expected(const Claims& claims) {
  if (!has_expected_ || reference_depends_on_claims(*problem_.op)) {
    expected_ = run_reference(problem_, inputs_, claims);
    has_expected_ = true;
  }
  return expected_;
}

}  // namespace wm
