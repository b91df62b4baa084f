#pragma once
// The catalogs one binary carries. A variant's identity does not depend on the flavour.
#include "registry/catalog.hpp"

namespace wm {

struct CatalogSet {
  Catalog emu;
  Catalog cuda;
  bool has_cuda_build = false;
};

}  // namespace wm
