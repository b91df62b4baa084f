#pragma once
// Random small problems of every op with a fixed seed: the inputs of the property tests.
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "ops/activation_fn.hpp"
#include "ops/op_test_util.hpp"

namespace wm {

class RandomProblems {
 public:
  explicit RandomProblems(std::uint32_t seed) : engine_(seed) {}

  Problem next() {
    const auto& ops = all_ops();
    return next(*ops[pick(ops.size())]);
  }

  Problem next(const Op& op) {
    for (;;) {
      const std::string text = op.name + sizes(op) + types(op);
      if (resolve_error(text).empty()) return resolve(text);
    }
  }

  std::size_t pick(std::size_t count) { return engine_() % count; }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint32_t>(high - low + 1));
  }

 private:
  std::string one_of(const std::vector<std::string>& words) { return words[pick(words.size())]; }
  std::string number(const std::string& key, std::int64_t low, std::int64_t high) {
    return " " + key + "=" + std::to_string(between(low, high));
  }

  std::string types(const Op& op) {
    const std::string in = one_of({"f64", "f32", "f16", "bf16", "e4m3", "e5m2", "s8", "u8"});
    const std::string out = one_of({in, in, "f32", "f16", "bf16", "e4m3", "s8", "s32"});
    std::string text = " dtype=" + in + (op.has_weights ? "." + in : "") + "." + out;
    if (pick(4) == 0) text += " acc=" + one_of({"f16", "f32", "f64", "s32"});
    if (op.has_layout) text += " layout=" + one_of({"nchw", "nhwc"});
    return text;
  }

  std::string factors() {
    return " alpha=" + one_of({"1", "1", "2", "0.5", "-3", "0"}) +
           " beta=" + one_of({"0", "0", "1", "-2", "0.25"});
  }

  std::string window(const std::string& dim) {
    std::string text;
    if (pick(2) == 0) text += number("pad_" + dim, 0, 2);
    if (pick(4) == 0) text += number("pad_end_" + dim, 0, 3);
    if (pick(3) == 0) text += number("stride_" + dim, 1, 3);
    if (pick(3) == 0) text += number("dil_" + dim, 1, 2);
    return text;
  }

  std::string conv_sizes(const Op& op) {
    const std::int64_t groups = between(1, 3);
    std::string text = number("n", 0, 3) + " groups=" + std::to_string(groups) +
                       " c=" + std::to_string(groups * between(1, 4)) +
                       " k=" + std::to_string(groups * between(1, 4));
    const std::size_t rank = 1 + pick(3);
    const char* in[] = {"w", "h", "d"};
    const char* filter[] = {"s", "r", "t"};
    for (std::size_t dim = 0; dim < rank; ++dim) {
      text += number(in[dim], 1, 6) + number(filter[dim], 1, 3) + window(in[dim]);
    }
    if (pick(2) == 0) text += number("pad", 0, 2);
    if (pick(3) == 0) text += " mode=convolution";
    if (op.name == "conv_fwd") {
      text += " bias=" + one_of({"0", "1"}) + " residual=" + one_of({"0", "0", "1", "0.5"}) +
              " act=" + one_of({"none", "relu", "clipped_relu", "tanh"});
    }
    return text + factors();
  }

  std::string sizes(const Op& op) {
    if (op.family == "conv") return conv_sizes(op);
    if (op.family == "matmul") {
      return number("m", 0, 6) + number("n", 0, 6) + number("k", 0, pick(4) == 0 ? 3000 : 20) +
             number("batch", 0, 2) + number("transpose_a", 0, 1) + number("transpose_b", 0, 1) +
             " epilogue=" + one_of({"none", "bias", "relu", "bias_relu", "gelu"}) + factors();
    }
    std::string text = number("n", 0, 3) + number("c", 1, pick(4) == 0 ? 3000 : 20) +
                       number("h", 1, 3) + number("w", 1, 3);
    if (op.family == "softmax") {
      return text + " mode=" + one_of({"channel", "instance"}) +
             " kind=" + one_of({"fast", "accurate", "log"});
    }
    text += " fn=" + one_of(activation_names());
    if (pick(3) == 0) text += " alpha=" + one_of({"0.5", "2", "0.3"});
    if (pick(3) == 0) text += " beta=" + one_of({"1", "2", "0.5"});
    return text;
  }

  std::mt19937 engine_;
};

}  // namespace wm
