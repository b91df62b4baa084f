#pragma once
// The command-line tool: one verb a file, parsing by CLI11. Only this folder prints and exits.
#include "registry/catalog_set.hpp"

namespace wm {

/// Runs the tool over the given catalogs; returns the exit code.
int cli_main(int argc, char** argv, const CatalogSet& catalogs);

}  // namespace wm
