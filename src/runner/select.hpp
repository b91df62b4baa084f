#pragma once
// Which variants a case stands for, and which device runs them.
#include <memory>
#include <string>
#include <vector>

#include "config/case.hpp"
#include "registry/catalog_set.hpp"
#include "runner/runner.hpp"

namespace wm {

/// One record to be made: a variant, or an id nobody compiled and the reason.
struct Selected {
  const Variant* variant = nullptr;
  VariantId id;
  std::string reason;  ///< why there is no variant
};

/// Variants of the catalog that `item.algorithm` (a name or a glob) stands for, in catalog order; a
/// name that has no variant for these types gives one entry with the reason.
std::vector<Selected> select_variants(const Case& item, const Catalog& catalog,
                                      const std::string& filter);

/// Throws UsageError for a device that cannot count.
void check_counting(const Device& device);

/// The catalog of a device's flavour, by the device's id.
const Catalog& catalog_of(const CatalogSet& catalogs, const std::string& device);

/// Opens devices by name once each and keeps them.
class Devices {
 public:
  Devices(const CatalogSet& catalogs, const RunOptions& options, bool require_cuda);
  /// `name` of a case, or empty for the run's own choice. Throws EnvironmentError where there is
  /// none.
  Device& get(const std::string& name, const std::string& arch);
  /// The device of this id, whatever the run's own choice. Throws EnvironmentError.
  Device& open(const std::string& id, const std::string& arch);
  /// The device's id, without opening it where the name says it all.
  std::string resolve(const std::string& name);

 private:
  Device& emulator(const std::string& id, const std::string& arch);

  const CatalogSet& catalogs_;
  const RunOptions& options_;
  bool require_cuda_;
  bool cuda_opened_ = false;
  std::vector<std::unique_ptr<Device>> cuda_;
  std::vector<std::pair<std::string, std::unique_ptr<Device>>> emulators_;
};

}  // namespace wm
