#pragma once
// Makes records in this process: devices, inputs and references are kept from one to the next.
#include <string>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "runner/assignment.hpp"
#include "runner/select.hpp"

namespace wm {

class CaseWorker {
 public:
  /// `fresh`: for the probes of an audit; null: none.
  CaseWorker(const CatalogSet& catalogs, const RunOptions& options, bool require_cuda,
             FreshProcess* fresh = nullptr)
      : catalogs_(catalogs), devices_(catalogs, options, require_cuda), fresh_(fresh) {}

  /// The record of `variant` (its name) for `item`. Throws EnvironmentError where the device cannot
  /// be opened or a dump cannot be written.
  nlohmann::ordered_json run(const Case& item, const CaseSettings& settings, std::int64_t index,
                             const std::string& variant);
  /// Whether a device failed under a case, so that a new process had better go on.
  bool spent() const { return spent_; }

 private:
  const Variant* find(const Catalog& catalog, const std::string& name);

  const CatalogSet& catalogs_;
  Devices devices_;
  FreshProcess* fresh_;
  Prepared prepared_;
  bool spent_ = false;
  std::unordered_map<const Catalog*, std::unordered_map<std::string, const Variant*>> variants_;
};

}  // namespace wm
