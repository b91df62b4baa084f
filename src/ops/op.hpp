#pragma once
// An op: a mathematical operation in one direction, described once. Config parser, case strings,
// documentation, references, verification and kernels all read this description.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/dtype.hpp"
#include "core/error.hpp"
#include "core/tensor.hpp"
#include "ops/claims.hpp"

namespace wm {

/// One problem key as users write it (`c=64`, `pad=1`, `fn=gelu`).
struct Key {
  /// A list is one integer for every spatial dimension or one each, `2x3` or `3,0,5` (order d, h,
  /// w).
  enum class Kind { integer, real, flag, word, list };
  std::string name;
  Kind kind = Kind::integer;
  std::optional<std::string> default_text;  ///< absent: must be given
  std::int64_t min = 0;                     ///< integers, and each integer of a list
  std::int64_t max = 0;
  std::vector<std::string> words;  ///< allowed values of a word
  std::string doc;
  /// Not printed in the canonical form: another way to write something (`pad_h` of `pad`).
  bool alias = false;
  /// May be absent without having a default text: d, h, t, r of a convolution (the rank follows
  /// from them) and alpha, beta of an activation (the default depends on fn).
  bool optional = false;
};

/// key -> text, as given by a user or expanded from a sweep. Order is kept for messages only.
using KeyValues = std::vector<std::pair<std::string, std::string>>;
const std::string* find_value(const KeyValues& values, std::string_view key);

struct DTypes {
  DType in = DType::f32;
  DType weights = DType::f32;
  DType out = DType::f32;
  bool operator==(const DTypes&) const = default;
};

class Op;

/// One fully specified instance of an op. Immutable; copies share the typed detail.
struct Problem {
  const Op* op = nullptr;
  KeyValues keys;  ///< canonical: every non-alias key in the op's order, then dtype acc math layout
  DTypes dtypes;
  DType acc = DType::f32;
  std::string math = "ieee";
  std::optional<Layout> layout;        ///< only where the op has one
  std::vector<TensorDesc> tensors;     ///< inputs then outputs; strides and offsets resolved
  std::shared_ptr<const void> detail;  ///< ConvProblem, MatmulProblem, ...

  template <class T>
  const T& as() const {
    return *static_cast<const T*>(detail.get());
  }
  const TensorDesc& tensor(std::string_view name) const;  ///< throws UsageError
  const TensorDesc* find_tensor(std::string_view name) const;
  std::string dtype_text() const;  ///< "f16.f16.f16", two fields for ops without weights
  bool empty_output() const;       ///< every output has zero elements
};

/// B = per_magnitude * magnitude[i] + per_value * |value[i]| + absolute.
struct BoundRule {
  double per_magnitude = 0;
  double per_value = 0;
  double absolute = 0;
  std::string text;      ///< the formula with its numbers, for `explain`
  bool defined = true;   ///< false where h * u >= 1: gamma is undefined
  bool tracked = false;  ///< magnitude is already an error (tracked_bound), not a sum of terms
};

/// How a recipe fills a tensor: values in logical order, already representable in the storage type.
struct FillRequest {
  std::string recipe;  ///< "exact", "normal", "uniform", "offset:1e4"
  std::uint64_t seed = 1;
};

struct RecipeAnswer {
  bool ok = true;
  std::string reason;  ///< why there is none ("no exact recipe: ...")
};

class Op {
 public:
  virtual ~Op() = default;

  std::string name;     ///< "conv_fwd"
  std::string family;   ///< "conv"
  std::string summary;  ///< one sentence with the formula
  std::vector<Key> keys;
  bool has_layout = false;
  bool has_weights = false;

  /// Names of every key a problem of this op may have: keys, aliases, dtype, acc, math, layout.
  std::vector<std::string> key_names() const;

  /// Parses and validates op keys (all of `values` must be keys of this op or dtype / acc / math /
  /// layout), fills defaults, derives output sizes and tensors. Throws UsageError naming the key,
  /// the value and the allowed values or limit.
  Problem resolve(const KeyValues& values) const;

  virtual double flops(const Problem& problem) const = 0;
  /// Minimal traffic: each tensor once.
  virtual double bytes(const Problem& problem) const;
  /// Largest number of products (or terms) summed into one output element.
  virtual std::int64_t depth(const Problem& problem) const = 0;

  /// Whether the recipe exists for this problem.
  virtual RecipeAnswer has_recipe(const Problem& problem, const std::string& recipe) const;
  /// Fills one input tensor; deterministic function of (problem, recipe, seed, tensor name).
  /// Base class: normal N(0,1), uniform [-1,1), offset:X = X + N(0,1), each rounded to the dtype.
  virtual void fill(const Problem& problem, const FillRequest& request, const TensorDesc& tensor,
                    std::span<double> values) const;
  /// Whether under `exact` the outputs must equal the rounded reference bit for bit.
  virtual bool exact_is_bitwise(const Problem&) const { return true; }

  /// The bound of one output tensor under an algorithm's claims. `magnitude` is what the op's
  /// reference returns beside the value (ops/bounds.hpp has the two standard rules).
  virtual BoundRule bound_rule(const Problem& problem, const TensorDesc& output,
                               const Claims& claims) const = 0;

 protected:
  /// Typed problem from complete texts (defaults already filled; aliases may be present). Sets
  /// problem.detail and problem.tensors, and may rewrite problem.keys into canonical form.
  /// Texts are normalised: integers in decimal, reals in shortest form, flags 0 or 1, lists with x.
  virtual void resolve_detail(const KeyValues& complete, Problem& problem) const = 0;
  /// Added to the message about an unknown key ("bias exists only in conv_fwd"); empty: nothing.
  virtual std::string unknown_key_hint(std::string_view) const { return {}; }
};

/// The ops that exist, in the order of `list ops`.
const std::vector<const Op*>& all_ops();
const Op* find_op(std::string_view name);
std::vector<std::string> op_names();

/// Recipes every op has through the base class, and the parser of a recipe word. Canonical recipe
/// names carry a version in records ("normal/1").
std::vector<std::string> recipe_names();
/// Throws UsageError for an unknown recipe or a bad parameter.
void check_recipe(const std::string& recipe);
/// The recipe as records name it: "normal/1", "offset:10000/1". Throws as check_recipe.
std::string versioned_recipe(const std::string& recipe);

/// Moves a tensor of the problem to other strides (elements, one a dimension, positive) or another
/// offset (elements past an aligned base, 0 or more). Throws UsageError for an unknown tensor, a
/// wrong rank, elements that would overlap, or a span past 2^62 elements.
void override_tensor(Problem& problem, std::string_view name, const std::optional<Dims>& strides,
                     std::optional<std::int64_t> offset);

}  // namespace wm
