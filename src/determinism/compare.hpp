#pragma once
// Bit comparison of two runs of one tensor, and digests.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/tensor.hpp"

namespace wm {

/// Verdict of one probe on one tensor.
struct ProbeVerdict {
  enum class Kind { same, differs, not_run } kind = Kind::not_run;
  int runs = 0;            ///< runs compared, the base run included
  std::string reason;      ///< why it did not run
  std::int64_t count = 0;  ///< elements whose bits differ (largest over the runs)
  Dims first_index;        ///< logical index of the first difference
  double max_ulp = 0;      ///< in ulp of the tensor's type; infinity where one side is not finite
  std::string change;      ///< what the first run that differed had changed, where runs vary

  static ProbeVerdict not_run(std::string why);
};
std::string_view name_of(ProbeVerdict::Kind kind);

/// A tensor's storage and the element from which it is compared.
struct TensorPart {
  const TensorDesc& desc;
  const std::vector<std::byte>& storage;  ///< without the tensor's offset
  Dims from;
};
enum class ZeroSigns { count, ignored };

/// Compares raw bytes, NaN payloads and -0 included; folds the result of one more run into
/// `verdict`.
void fold_run(ProbeVerdict& verdict, const TensorDesc& desc, const std::vector<std::byte>& base,
              const std::vector<std::byte>& other);
/// The same for a box of `dims` elements of tensors of one type whose strides may differ. Indices
/// are those of the base; `change` says what the run had changed.
void fold_part(ProbeVerdict& verdict, const TensorPart& base, const TensorPart& other,
               const Dims& dims, const std::string& change, ZeroSigns zeros = ZeroSigns::count);

/// SHA-256 of the tensor's elements in memory order: the bytes of a packed tensor as they lie, of a
/// strided one without its gaps.
std::string tensor_digest(const TensorDesc& desc, const std::vector<std::byte>& storage);

/// The same with every NaN as the type's quiet one, positive and without payload: sign and payload
/// of a NaN that an operation makes differ between compilers and devices, so this is what is
/// compared across builds.
std::string canonical_digest(const TensorDesc& desc, const std::vector<std::byte>& storage);

}  // namespace wm
