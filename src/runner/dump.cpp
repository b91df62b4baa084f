#include "runner/dump.hpp"

#include <filesystem>
#include <fstream>
#include <vector>

#include "core/error.hpp"
#include "runner/npy.hpp"
#include "runner/record.hpp"
#include "verify/judge.hpp"

namespace wm {
namespace {

void write_tensor(const std::string& path, const Dims& dims, DType dtype,
                  std::span<const double> values) {
  try {
    write_npy(path, dims, dtype, values);
  } catch (const EnvironmentError& error) {
    throw DumpError(error.what());
  }
}

}  // namespace

CaseDump::CaseDump(const std::string& folder, const Case& item, const VariantId& id,
                   const std::string& config)
    : folder_((std::filesystem::path(folder) / case_id(item)).string()) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) throw DumpError("cannot make the folder " + folder_ + ": " + error.message());
  text_ = {{"case", to_case_string(item)},
           {"op", id.op},
           {"problem", problem_json(item.problem)},
           {"variant", id.to_string()},
           {"config", config},
           {"recipe", versioned_recipe(item.recipe)},
           {"seed", item.seed},
           {"tensors", nlohmann::ordered_json::object()}};
}

void CaseDump::tensor(const TensorDesc& desc, std::span<const double> values) {
  write_tensor(folder_ + "/" + desc.name + ".npy", desc.dims, desc.dtype, values);
  text_["tensors"][desc.name] = {{"dtype", name_of(desc.dtype)},
                                 {"shape", desc.dims},
                                 {"role", desc.role == Role::input ? "input" : "output"}};
}

void CaseDump::reference(const TensorDesc& desc, const Expected& expected, const BoundRule& rule,
                         bool exact) {
  std::vector<double> bound(expected.value.size(), 0.0);
  for (std::size_t i = 0; !exact && i < bound.size(); ++i)
    bound[i] = bound_of(rule, expected.value[i], expected.magnitude[i]);
  write_tensor(folder_ + "/" + desc.name + ".ref.npy", desc.dims, DType::f64, expected.value);
  write_tensor(folder_ + "/" + desc.name + ".bound.npy", desc.dims, DType::f64, bound);
}

void CaseDump::finish() {
  std::ofstream out(folder_ + "/case.json", std::ios::trunc);
  out << text_.dump(2) << "\n";
  out.close();
  if (!out) throw DumpError("cannot write " + folder_ + "/case.json (disk full?)");
}

Case with_inputs_in_files(Case item, const std::string& folder) {
  constexpr std::size_t kShort = 64;  // values
  const auto place = std::filesystem::absolute(folder) / case_id(item);
  const auto move = [&](TensorSources& sources, const char* prefix) {
    for (auto& [name, source] : sources) {
      if (source.kind == TensorSource::Kind::npy) {
        source.path = std::filesystem::absolute(source.path).string();
      } else if (source.kind == TensorSource::Kind::values && source.values.size() > kShort) {
        const std::string path = (place / (prefix + name + ".npy")).string();
        const TensorDesc& desc = item.problem.tensor(name);
        std::error_code error;
        std::filesystem::create_directories(place, error);
        if (error)
          throw EnvironmentError("cannot make the folder " + place.string() + ": " +
                                 error.message());
        // In double: a list may hold what the tensor's type does not.
        write_npy(path, desc.dims, DType::f64, source.values);
        source = {TensorSource::Kind::npy, {}, path, 0};
      }
    }
  };
  move(item.inputs, "");
  move(item.expect, "expect.");
  return item;
}

}  // namespace wm
