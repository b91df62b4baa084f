#pragma once
// Runs of a case in processes that have run nothing else. They are forked from one that was forked
// before this process opened a device, so no thread, device or buffer of this process is in them.
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "config/case.hpp"
#include "registry/catalog_set.hpp"
#include "runner/runner.hpp"
#include "runner/worker_process.hpp"

namespace wm {

struct FreshRequest {
  /// Other ops run before the case in the same process, one small problem each, in the order of
  /// `list ops` or its reverse.
  enum class Others { none, in_order, reverse };

  Case item;            ///< with its device chosen
  std::string variant;  ///< by name
  Guard guard = Guard::none;
  std::vector<std::string> digests;  ///< tensor_digest of each output of the run to compare with
  Others others = Others::none;
};

struct FreshRun {
  std::string failure;  ///< why there are no outputs
  int others = 0;       ///< other ops that ran
  /// Bytes of the outputs whose digest is another, without the tensor's offset.
  std::vector<std::optional<std::vector<std::byte>>> different;
};

class FreshProcess {
 public:
  /// Forks; to be made before anything opens a device or starts a thread in this process.
  FreshProcess(const CatalogSet& catalogs, const RunOptions& options);
  FreshRun run(const FreshRequest& request);

 private:
  WorkerProcess source_;  ///< forks a process for each request
};

}  // namespace wm
