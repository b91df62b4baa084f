#pragma once
// A plan: the cases a sweep stands for, expanded one at a time in a fixed order. Algorithm patterns
// ("*", "cudnn:*") stay as written, so that the plan does not depend on the machine.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/case.hpp"
#include "config/product.hpp"
#include "config/sweep.hpp"

namespace wm {

class Plan {
 public:
  /// Sweeps one after another. `set` replaces keys of every case whose op has them (a value may be
  /// a list, `[f32,f16]`). Throws ConfigError or UsageError; shapes are checked by for_each.
  static Plan from_files(const std::vector<std::string>& files, const KeyValues& set = {});
  static Plan from_case_strings(const std::vector<std::string>& texts, const KeyValues& set = {},
                                std::string name = "case", Requirements requirements = {});

  /// Calls `visit` for each case in order until it returns false. Throws ConfigError with the place
  /// of the case for a combination that is no valid problem.
  void for_each(const std::function<bool(const Case&)>& visit) const;
  /// Cases for_each would visit, without making them.
  std::int64_t count() const;
  /// SHA-256 over the canonical case strings; checks every case on the way.
  std::string hash() const;

  /// Throws ConfigError or UsageError, naming the nearest, where the plan names an algorithm that
  /// is not in known(op) ("implicit_gemm"; "cudnn:name" for other providers).
  void check_algorithms(
      const std::function<std::vector<std::string>(const std::string& op)>& known) const;

  const std::string& name() const { return name_; }
  /// `run.stages` and `run.repeats` of the first file that gives them.
  const RunSettings& run() const { return run_; }
  const Requirements& requirements() const { return requirements_; }

 private:
  void check_schema(const Sweep& sweep) const;

  std::string name_;
  RunSettings run_;
  Requirements requirements_;
  std::vector<Product> products_;
};

}  // namespace wm
