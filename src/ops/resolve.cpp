// Op::resolve: from key texts to a checked, canonical problem.
#include <algorithm>

#include "core/text.hpp"
#include "ops/values.hpp"

namespace wm {
namespace {

const std::vector<std::string>& math_words() {
  static const std::vector<std::string> words{"ieee", "tf32"};
  return words;
}

[[noreturn]] void fail(const Op& op, const std::string& message) {
  throw UsageError(op.name + ": " + message);
}

std::vector<std::string> common_keys(const Op& op) {
  std::vector<std::string> names{"dtype", "acc", "math"};
  if (op.has_layout) names.emplace_back("layout");
  return names;
}

DType dtype_word(const Op& op, const char* key, const std::string& word) {
  const std::optional<DType> dtype = parse_dtype(word);
  if (!dtype) fail(op, unknown_message(key, word, dtype_names()));
  if (*dtype == DType::b1) fail(op, std::string(key) + "=b1: this op is not defined on bits");
  return *dtype;
}

DTypes parse_dtypes(const Op& op, const std::string& text) {
  const std::vector<std::string> words = split(text, '.');
  const std::size_t fields = op.has_weights ? 3 : 2;
  if (words.size() != 1 && words.size() != fields) {
    fail(op, "dtype=" + text + ": expected one type or " + std::to_string(fields) +
                 (op.has_weights ? " (in.weights.out)" : " (in.out)"));
  }
  DTypes dtypes;
  dtypes.in = dtype_word(op, "dtype", words.front());
  dtypes.weights =
      op.has_weights && words.size() > 1 ? dtype_word(op, "dtype", words[1]) : dtypes.in;
  dtypes.out = dtype_word(op, "dtype", words.back());
  if (info(dtypes.in).floating != info(dtypes.weights).floating) {
    fail(op, "dtype=" + text + ": in and weights must both be floating-point or both be integers");
  }
  return dtypes;
}

/// f64 for f64, s32 for 8-bit integers, s64 for wider ones, else f32.
DType accumulation_of(const DTypes& dtypes) {
  const unsigned bytes = std::max(info(dtypes.in).bytes, info(dtypes.weights).bytes);
  if (info(dtypes.in).floating) return bytes == 8 ? DType::f64 : DType::f32;
  return bytes == 1 ? DType::s32 : DType::s64;
}

/// The accumulation type must hold the operands exactly.
void check_acc(const Op& op, const Problem& problem) {
  const DTypeInfo& acc = info(problem.acc);
  const std::string place = "acc=" + std::string(acc.name) + ": ";
  if (acc.floating != info(problem.dtypes.in).floating) {
    fail(op, place + "dtype=" + problem.dtype_text() + " needs " +
                 (acc.floating ? "an integer type (s32, s64)" : "a floating-point type"));
  }
  for (const DType dtype : {problem.dtypes.in, problem.dtypes.weights}) {
    if (acc.bytes < 2 || acc.precision < info(dtype).precision) {
      fail(op, place + "cannot hold " + std::string(name_of(dtype)) + " operands; allowed: " +
                   (acc.floating ? "f16, f32, f64" : "s32, s64") + ", as wide as the operands");
    }
  }
}

void resolve_types(const Op& op, const KeyValues& values, Problem& problem) {
  const std::string* dtype = find_value(values, "dtype");
  problem.dtypes = parse_dtypes(op, dtype ? *dtype : "f32");
  const std::string* acc = find_value(values, "acc");
  problem.acc = acc ? dtype_word(op, "acc", *acc) : accumulation_of(problem.dtypes);
  check_acc(op, problem);
  if (const std::string* math = find_value(values, "math")) {
    problem.math = *math;
    const auto& words = math_words();
    if (std::find(words.begin(), words.end(), *math) == words.end()) {
      fail(op, unknown_message("math", *math, words));
    }
    if (*math == "tf32" && (problem.dtypes.in != DType::f32 || problem.acc != DType::f32)) {
      fail(op, "math=tf32: needs dtype f32 and acc f32, not dtype=" + problem.dtype_text() +
                   " acc=" + std::string(name_of(problem.acc)));
    }
  }
  if (!op.has_layout) return;
  const std::string* layout = find_value(values, "layout");
  problem.layout = layout && *layout == "nhwc" ? Layout::nhwc : Layout::nchw;
  if (layout && *layout != "nhwc" && *layout != "nchw") {
    fail(op, unknown_message("layout", *layout, {"nchw", "nhwc"}));
  }
}

std::string dtype_key_text(const Problem& problem) {
  const DTypes& types = problem.dtypes;
  const bool same = types.in == types.out && types.in == types.weights;
  return same ? std::string(name_of(types.in)) : problem.dtype_text();
}

const Key* find_key(const Op& op, std::string_view name) {
  const auto found = std::find_if(op.keys.begin(), op.keys.end(),
                                  [&](const Key& key) { return key.name == name; });
  return found == op.keys.end() ? nullptr : &*found;
}

void reject_unknown(const Op& op, const KeyValues& values, const auto& hint) {
  const std::vector<std::string> common = common_keys(op);
  for (auto item = values.begin(); item != values.end(); ++item) {
    const std::string& name = item->first;
    if (!find_key(op, name) && std::find(common.begin(), common.end(), name) == common.end()) {
      const std::string more = name == "layout" ? "tensors of this op have no layout" : hint(name);
      fail(op,
           unknown_message("key", name, op.key_names()) + (more.empty() ? "" : " (" + more + ")"));
    }
    if (std::find_if(values.begin(), item, [&](const auto& each) { return each.first == name; }) !=
        item) {
      fail(op, "key '" + name + "' is given twice");
    }
  }
}

/// Every key of the op that is given or has a default, checked and in normal form.
KeyValues complete_values(const Op& op, const KeyValues& values) {
  KeyValues complete;
  for (const Key& key : op.keys) {
    const std::string* given = find_value(values, key.name);
    if (given) {
      complete.emplace_back(key.name, keys::normalised(op.name, key, *given));
    } else if (key.default_text) {
      complete.emplace_back(key.name, *key.default_text);
    } else if (!key.alias && !key.optional) {
      fail(op, "missing key \"" + key.name + "\" (" + key.doc + ")");
    }
  }
  return complete;
}

void check_total(const Op& op, const Problem& problem) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 62;
  std::int64_t total = 0;
  for (const TensorDesc& tensor : problem.tensors) {
    const std::int64_t count = tensor.elements();
    if (count > kLimit - total) fail(op, "the tensors together have more than 2^62 elements");
    total += count;
  }
}

}  // namespace

std::vector<std::string> Op::key_names() const {
  std::vector<std::string> names;
  for (const Key& key : keys) names.push_back(key.name);
  for (const std::string& common : common_keys(*this)) names.push_back(common);
  return names;
}

Problem Op::resolve(const KeyValues& values) const {
  reject_unknown(*this, values, [this](std::string_view key) { return unknown_key_hint(key); });
  const KeyValues complete = complete_values(*this, values);
  Problem problem;
  problem.op = this;
  resolve_types(*this, values, problem);
  for (const Key& key : keys) {
    const std::string* text = key.alias ? nullptr : find_value(complete, key.name);
    if (text) problem.keys.emplace_back(key.name, *text);
  }
  try {
    resolve_detail(complete, problem);
    check_total(*this, problem);
  } catch (const UsageError& error) {
    if (std::string_view(error.what()).starts_with(name + ": ")) throw;
    fail(*this, error.what());
  }
  problem.keys.emplace_back("dtype", dtype_key_text(problem));
  problem.keys.emplace_back("acc", name_of(problem.acc));
  problem.keys.emplace_back("math", problem.math);
  if (has_layout) problem.keys.emplace_back("layout", name_of(*problem.layout));
  return problem;
}

}  // namespace wm
