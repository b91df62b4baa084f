#pragma once
// Other tools' problem lists as sweeps: MIOpenDriver command lines, benchdnn batch files, cuDNN API
// logs, CSV tables. Whatever cannot be expressed here is kept with its place and the reason; no
// input makes a reader throw.
#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "ops/op.hpp"

namespace wm::importing {

/// A line that was not read, or was read with a difference.
struct Remark {
  std::string file;
  std::int64_t line = 0;  ///< from 1
  std::string text;       ///< the line, printable ASCII, shortened
  std::string reason;
};

/// One distinct problem.
struct ImportedCase {
  const Op* op = nullptr;
  KeyValues keys;          ///< canonical, without those at their default
  std::string label;       ///< names it had, comma-separated
  std::int64_t count = 1;  ///< how often it occurred
};

struct Imported {
  std::vector<ImportedCase> cases;  ///< in the order of their first occurrence
  std::vector<Remark> unread;
  std::vector<Remark> notes;  ///< read, but something of the line has no counterpart here
  std::int64_t problems = 0;  ///< with multiplicity
};

/// miopen, benchdnn, cudnn-log, csv.
const std::vector<std::string>& format_names();

/// Drivers a benchdnn file may be for (conv, matmul, softmax, eltwise), for `driver`.
const std::vector<std::string>& driver_names();

/// Reads a stream to its end. `file` names it in remarks and is what a nested benchdnn
/// `--batch=FILE` is relative to. `driver` is benchdnn's, for files that do not name it; empty:
/// told from the folder or from the form of each problem. Throws UsageError for an unknown format
/// or driver only.
Imported import_stream(const std::string& format, std::istream& stream, const std::string& file,
                       const std::string& driver = "");

/// The same of a file. Throws UsageError when it cannot be read.
Imported import_file(const std::string& format, const std::string& file,
                     const std::string& driver = "");

/// The sweep: one case a distinct problem, every algorithm, recipes exact and normal.
std::string to_sweep(const Imported& imported, const std::string& name,
                     const std::string& description);

}  // namespace wm::importing
