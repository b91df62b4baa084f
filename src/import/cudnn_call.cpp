#include "import/cudnn_call.hpp"

#include <set>

#include "core/text.hpp"

namespace wm::importing {
namespace {

constexpr std::int64_t kMax = std::int64_t{1} << 40;

/// Fields inside a descriptor; any other name ends it.
bool is_descriptor_field(const std::string& name) {
  static const std::set<std::string> names{"dataType",    "vect",      "nbDims",     "dimA",
                                           "strideA",     "format",    "mode",       "mathType",
                                           "padA",        "dilationA", "groupCount", "arrayLength",
                                           "reorderType", "coef",      "nanOpt",     "reluNanOpt"};
  return names.contains(name);
}

/// Value of "type=int; val=[1,2];" or "val=CUDNN_DATA_HALF (2);" without brackets and number.
std::string value_of(std::string_view rest) {
  const std::size_t at = rest.find("val=");
  if (at == std::string_view::npos) return "";
  rest.remove_prefix(at + 4);
  if (rest.starts_with('[')) {
    rest.remove_prefix(1);
    return std::string(rest.substr(0, rest.find(']')));
  }
  rest = rest.substr(0, rest.find(';'));
  return std::string(trimmed(rest.substr(0, rest.find(" ("))));
}

/// "xDesc" of "i!     xDesc: type=cudnnTensorDescriptor_t:"; empty where the line is no field.
std::string_view field_name(std::string_view line, std::string_view& rest) {
  std::size_t colon = line.find(": type=");
  if (colon == std::string_view::npos) colon = line.find(": location=");
  if (colon == std::string_view::npos) return {};
  std::string_view name = line.substr(0, colon);
  const std::size_t blank = name.find_last_of(" \t!|");
  if (blank != std::string_view::npos) name.remove_prefix(blank + 1);
  rest = line.substr(colon + 2);
  return name;
}

/// Name of the function of a heading line, or empty.
std::string_view called_function(std::string_view line) {
  const std::size_t end = line.find("() called");
  const std::size_t start = line.find("function ");
  if (end == std::string_view::npos || start == std::string_view::npos || start + 9 >= end) {
    return {};
  }
  return line.substr(start + 9, end - start - 9);
}

class LogReader {
 public:
  explicit LogReader(const std::function<void(const CudnnCall&)>& visit) : visit_(visit) {}

  void read(std::istream& stream, const std::string& file) {
    LineReader reader(stream);
    for (std::string line; reader.next(line);) {
      if (const std::string_view function = called_function(line); !function.empty()) {
        finish();
        call_ = CudnnCall{{file, reader.number(), std::string(trimmed(line)).substr(0, 1000)},
                          std::string(function),
                          {}};
        descriptor_.clear();
      } else {
        add_field(line);
      }
    }
    finish();
  }

 private:
  void add_field(std::string_view line) {
    std::string_view rest;
    const std::string name(field_name(line, rest));
    if (name.empty() || call_.function.empty() || call_.fields.size() > 1000) return;
    if (rest.find("Descriptor_t") != std::string_view::npos &&
        rest.find("val=") == std::string_view::npos) {
      descriptor_ = name;
      return;
    }
    if (!is_descriptor_field(name)) descriptor_.clear();
    // A call's own `mode` (softmax) stands where no descriptor is open.
    const std::string key = descriptor_.empty() ? name : descriptor_ + "." + name;
    call_.fields.emplace(key, value_of(rest));
  }

  void finish() {
    if (!call_.function.empty()) visit_(call_);
    call_ = {};
  }

  const std::function<void(const CudnnCall&)>& visit_;
  CudnnCall call_;
  std::string descriptor_;
};

}  // namespace

const std::string* CudnnCall::find(const std::string& name) const {
  const auto found = fields.find(name);
  return found == fields.end() ? nullptr : &found->second;
}

const std::string& CudnnCall::text(const std::string& name) const {
  const std::string* value = find(name);
  if (!value) throw UnreadCall{"the log has no " + name + " of this call"};
  return *value;
}

Dims CudnnCall::list(const std::string& name) const {
  Dims values;
  for (const std::string& part : split(text(name), ',')) {
    const auto value = int_within(trimmed(part), 0, kMax);
    if (!value) throw UnreadCall{name + "=[" + text(name) + "]: expected sizes"};
    values.push_back(*value);
  }
  return values;
}

void for_each_cudnn_call(std::istream& stream, const std::string& file,
                         const std::function<void(const CudnnCall&)>& visit) {
  LogReader(visit).read(stream, file);
}

}  // namespace wm::importing
