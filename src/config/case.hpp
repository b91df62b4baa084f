#pragma once
// A case: problem x algorithm x recipe x seed (and everything else that decides the bits), and its
// one-line text form. The text says all that a config can say; the id hashes it without the device.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/device.hpp"
#include "ops/op.hpp"

namespace wm {

/// Fixed content of a tensor, in logical order: `[1,9,2]`, `@file.npy` or `fill:1.5`.
struct TensorSource {
  enum class Kind { values, npy, fill } kind = Kind::values;
  std::vector<double> values;
  std::string path;  ///< npy
  double fill = 0;

  std::string to_string() const;
  /// Throws UsageError naming `what` ("in.x") and the allowed forms.
  static TensorSource parse(std::string_view what, std::string_view text);
  bool operator==(const TensorSource& other) const;  ///< NaN equals NaN
};

/// Strides or base offset other than those of the layout.
struct TensorPlacement {
  std::string tensor;
  std::optional<Dims> strides;  ///< elements; none: those of the layout
  std::int64_t offset = 0;      ///< elements past an aligned base
  bool operator==(const TensorPlacement&) const = default;
};

using TensorSources = std::vector<std::pair<std::string, TensorSource>>;

struct Case {
  Problem problem;  ///< its tensors already carry `placements`
  std::string algorithm = "*";
  std::string provider = "warpmark";
  std::string recipe = "normal";
  std::uint64_t seed = 1;
  std::string device;  ///< empty: whatever --device chose
  Schedule schedule;
  std::string emu_arch;  ///< empty: whatever --emu-arch chose
  Guard guard = Guard::none;
  std::string config;  ///< forced; empty: the heuristic's choice
  std::vector<TensorPlacement> placements;
  TensorSources inputs;
  TensorSources expect;
  std::optional<double> atol;  ///< of `expect`

  // Not part of the text or the id.
  std::string label;
  std::int64_t count = 1;                        ///< occurrences in its network
  std::vector<std::string> excluded_algorithms;  ///< globs, for a wildcard `algorithm`
  std::vector<std::string> stages;               ///< of a case's own `run`; empty: the run's
  std::optional<int> repeats;                    ///< likewise

  /// "implicit_gemm", "cudnn:*": the `algo` text.
  std::string algo_text() const;
  bool has_wildcard() const;  ///< `algorithm` is a glob and stands for several
};

/// Guard by its name in `guard=` and --guard. Throws UsageError naming the allowed ones.
Guard parse_guard(std::string_view text);
std::string_view name_of(Guard guard);

/// Syntax only (`emu`, `emu-race`, `cpu`, `cuda`, `cuda:1`); throws UsageError.
void check_device_name(std::string_view name);

/// Keys a case of the op may have, in canonical order: the op's, dtype acc math [layout], algo
/// recipe seed ... (without those about one tensor, `x.strides`, `in.x`, `expect.y`).
std::vector<std::string> case_keys(const Op& op);
/// Whether `key` can be given for the op (its own, common, or `<word>.strides` and the like).
bool accepts_key(const Op& op, std::string_view key);

/// A case from key=value pairs in any order. Throws UsageError naming the key, the value and the
/// allowed values, the limit or the nearest name.
Case make_case(const Op& op, const KeyValues& values);

/// Op name and key=value pairs of a case string, not yet checked against the op.
struct CaseText {
  const Op* op = nullptr;
  KeyValues values;
};
CaseText split_case_string(std::string_view text);
/// Blanks separate items; a value with blanks is quoted ("..." with \" and \\), lists may contain
/// blanks. Round-trips with to_case_string.
Case parse_case_string(std::string_view text);

/// Canonical: op, every problem key, algo, recipe, seed, then what differs from its default, the
/// device last (left out by `with_device` = false).
std::string to_case_string(const Case& item, bool with_device = true);
/// First 16 hex digits of the SHA-256 of the text without the device.
std::string case_id(const Case& item);
/// Both at once, which costs little more than one.
std::pair<std::string, std::string> case_text_and_id(const Case& item);
/// `warpmark run --case '...'`, quoted for a POSIX shell.
std::string repro_command(const Case& item);
std::string shell_quote(std::string_view text);

/// Throws UsageError when a file named by `in.` or `expect.` does not exist.
void check_files_exist(const Case& item);

/// Throws UsageError naming the nearest where the case names an algorithm (no wildcard) that is not
/// in `known` ("implicit_gemm"; "cudnn:name" for other providers).
void check_algorithm_name(const Case& item, const std::vector<std::string>& known);

}  // namespace wm
