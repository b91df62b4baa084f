#pragma once
// What the probes of an audit amount to.
#include <string>
#include <string_view>

namespace wm {

/// Whether the probe repeats the same problem with the same data in the same place, so that a claim
/// of determinism is broken where it differs.
bool tests_determinism(std::string_view probe);

/// What equal bits in `runs` runs amount to: "by construction", or the chance of a differing run
/// that they leave open at 95 % (3 / runs, the rule of three). Empty for a probe whose runs differ
/// in something that is not drawn at random.
std::string what_equal_runs_prove(std::string_view probe, int runs, bool emulated);

}  // namespace wm
