#pragma once
// One call of the cuDNN API log with its fields.
#include <cstdint>
#include <functional>
#include <istream>
#include <map>
#include <string>

#include "core/tensor.hpp"
#include "import/collector.hpp"

namespace wm::importing {

/// Why a call was not read.
struct UnreadCall {
  std::string reason;
};

/// A call: its descriptors' fields as "xDesc.dimA" -> "32,896,1,832", its own as "algo".
struct CudnnCall {
  Place place;
  std::string function;
  std::map<std::string, std::string> fields;

  const std::string* find(const std::string& name) const;
  /// Throws UnreadCall where the log has no such field.
  const std::string& text(const std::string& name) const;
  /// Sizes from 0 to 2^40; throws UnreadCall.
  Dims list(const std::string& name) const;
};

/// Calls `visit` for each call of the log.
void for_each_cudnn_call(std::istream& stream, const std::string& file,
                         const std::function<void(const CudnnCall&)>& visit);

}  // namespace wm::importing
