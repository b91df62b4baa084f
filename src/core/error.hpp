#pragma once
// Exceptions above the kernel launch. Nothing outside cli/ prints or exits.
#include <stdexcept>
#include <string>

namespace wm {

/// Wrong use of the tool (command line, case string, problem): exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Wrong config file: exit code 2. `where` is "file:line:column: /json/pointer".
struct ConfigError : UsageError {
  ConfigError(const std::string& where, const std::string& message)
      : UsageError(where + ": " + message) {}
};

/// The environment cannot do what was asked (no such device, disk full): exit code 5.
struct EnvironmentError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A kernel misbehaved or could not be launched (out-of-bounds, misaligned, divergent barrier,
/// deadlock, launch limits, CUDA error). Becomes an `error` record; the sweep goes on.
struct KernelError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace wm
