#include "config/case.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "core/error.hpp"
#include "core/hash.hpp"

namespace wm {
namespace {

std::string error_of(const std::string& text) {
  try {
    parse_case_string(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

void expect_round_trip(const std::string& text) {
  const Case first = parse_case_string(text);
  const std::string canonical = to_case_string(first);
  const Case second = parse_case_string(canonical);
  EXPECT_EQ(canonical, to_case_string(second)) << text;
  EXPECT_EQ(first.problem.keys, second.problem.keys) << text;
  EXPECT_EQ(first.placements, second.placements) << text;
  EXPECT_EQ(first.inputs, second.inputs) << text;
  EXPECT_EQ(first.expect, second.expect) << text;
  EXPECT_EQ(first.device, second.device) << text;
  EXPECT_EQ(first.seed, second.seed) << text;
  EXPECT_EQ(first.schedule, second.schedule) << text;
  EXPECT_EQ(first.guard, second.guard) << text;
  EXPECT_EQ(first.config, second.config) << text;
  EXPECT_EQ(first.algo_text(), second.algo_text()) << text;
  ASSERT_EQ(first.problem.tensors.size(), second.problem.tensors.size());
  for (std::size_t i = 0; i < first.problem.tensors.size(); ++i) {
    EXPECT_EQ(first.problem.tensors[i].dims, second.problem.tensors[i].dims) << text;
    EXPECT_EQ(first.problem.tensors[i].strides, second.problem.tensors[i].strides) << text;
  }
}

TEST(CaseString, PrintsEveryKeyInOrder) {
  const Case item = parse_case_string("softmax_fwd c=10 n=4");
  EXPECT_EQ(to_case_string(item),
            "softmax_fwd n=4 c=10 h=1 w=1 mode=channel kind=accurate dtype=f32 acc=f32 math=ieee "
            "layout=nchw algo=* recipe=normal seed=1");
}

TEST(CaseString, PutsOptionalPartsInOrderAndTheDeviceLast) {
  const Case item = parse_case_string(
      "softmax_fwd device=emu atol=0.5 expect.y=[0.25,0.75] in.x=[1, 2] n=1 c=2 config=warps=4 "
      "guard=back emu_arch=h200 schedule=random:7 seed=9 recipe=exact algo=warp_row x.offset=3 "
      "x.strides=4,2,1,1");
  EXPECT_EQ(to_case_string(item),
            "softmax_fwd n=1 c=2 h=1 w=1 mode=channel kind=accurate dtype=f32 acc=f32 math=ieee "
            "layout=nchw algo=warp_row recipe=exact seed=9 schedule=random:7 emu_arch=h200 "
            "guard=back config=warps=4 x.strides=4,2,1,1 x.offset=3 in.x=[1,2] "
            "expect.y=[0.25,0.75] atol=0.5 device=emu");
  EXPECT_EQ(item.problem.tensor("x").strides, (Dims{4, 2, 1, 1}));
  EXPECT_EQ(item.problem.tensor("x").offset, 3);
}

TEST(CaseString, OrderOfKeysDoesNotMatter) {
  EXPECT_EQ(case_id(parse_case_string("matmul m=2 n=3 k=4 dtype=f16 seed=2")),
            case_id(parse_case_string("matmul seed=2 k=4 dtype=f16 n=3 m=2")));
}

TEST(CaseString, IdIsTheHashWithoutTheDevice) {
  const Case with = parse_case_string("matmul m=2 n=3 k=4 device=cuda:1 label=big count=3");
  const Case without = parse_case_string("matmul m=2 n=3 k=4");
  EXPECT_EQ(case_id(with), case_id(without));
  EXPECT_EQ(case_id(without), sha256_hex(to_case_string(without)).substr(0, 16));
  EXPECT_NE(case_id(without), case_id(parse_case_string("matmul m=2 n=3 k=4 seed=2")));
  EXPECT_EQ(with.label, "big");
  EXPECT_EQ(with.count, 3);
}

TEST(CaseString, RoundTripsSpecialValues) {
  expect_round_trip("softmax_fwd n=1 c=4 in.x=[1.5,\"NaN\",Infinity,-Infinity]");
  expect_round_trip("softmax_fwd n=1 c=2 in.x=[-0.0,1e-45]");
  expect_round_trip("softmax_fwd n=1 c=2 in.x=fill:-Infinity");
  expect_round_trip("softmax_fwd n=1 c=2 in.x=\"@a folder/q\\\"u\\\\o.npy\"");
  expect_round_trip("matmul m=1 n=1 k=0 in.a=[] seed=18446744073709551615");
  expect_round_trip("matmul m=3 n=5 k=7 algo=cudnn:* config=\"\"");
}

TEST(CaseString, QuotesOnlyWhereNeeded) {
  const Case item = parse_case_string("softmax_fwd n=1 c=2 in.x=\"@my file.npy\" config=\"a=1\"");
  EXPECT_EQ(item.inputs.front().second.path, "my file.npy");
  const std::string text = to_case_string(item);
  EXPECT_NE(text.find(" in.x=\"@my file.npy\""), std::string::npos) << text;
  EXPECT_NE(text.find(" config=a=1"), std::string::npos) << text;
}

TEST(CaseString, ReproIsQuotedForTheShell) {
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
  const Case item = parse_case_string("softmax_fwd n=1 c=2 in.x=\"@it's.npy\"");
  const std::string repro = repro_command(item);
  EXPECT_EQ(repro.rfind("warpmark run --case 'softmax_fwd n=1 c=2 ", 0), 0U) << repro;
  EXPECT_NE(repro.find("it'\\''s.npy"), std::string::npos) << repro;
}

TEST(CaseString, NaNInputsCompareEqual) {
  const auto parse = [](const char* text) { return TensorSource::parse("in.x", text); };
  EXPECT_EQ(parse("[NaN]"), parse("[\"NaN\"]"));
  EXPECT_FALSE(parse("[0]") == parse("[-0.0]"));
  EXPECT_EQ(parse("fill:Infinity").fill, std::numeric_limits<double>::infinity());
}

/// A random but valid case of one of the ops.
class CaseGenerator {
 public:
  explicit CaseGenerator(unsigned seed) : random_(seed) {}

  std::string next() {
    const std::vector<std::string> ops{"matmul",      "conv_fwd",       "conv_bwd_data",
                                       "softmax_fwd", "activation_fwd", "conv_bwd_filter"};
    const std::string op = pick(ops);
    std::vector<std::string> items;
    if (op == "matmul") {
      add_all(items, {"m", "n", "k"}, 0);
      maybe(items, "transpose_a=1");
      maybe(items, "alpha=" + pick({"2", "0.1", "-1e-3"}));
    } else {
      add_all(items, {"n", "c", "h", "w"}, 3);
    }
    if (op == "activation_fwd") items.push_back("fn=" + pick({"gelu", "elu", "swish"}));
    if (op.rfind("conv", 0) == 0) {
      add_all(items, {"k"}, 1);
      items.push_back("r=" + pick({"1", "2", "3"}));
      items.push_back("s=" + pick({"1", "2", "3"}));
      maybe(items, pick({"pad=1", "pad=1x2", "pad=0,2", "pad_h=1", "pad_end_w=2"}));
      maybe(items, pick({"stride=2", "stride=1x2", "stride_w=3"}));
    }
    if (op != "matmul") maybe(items, "layout=nhwc");
    maybe(items, "dtype=" + pick({"f16", "bf16", "f64", "f32"}));
    maybe(items, "algo=" + pick({"naive", "cudnn:*", "*"}));
    maybe(items, "recipe=" + pick({"exact", "uniform", "offset:1e4"}));
    maybe(items, "seed=" + std::to_string(random_()));
    maybe(items, "schedule=" + pick({"reverse", "random:7", "in_order"}));
    maybe(items, "guard=" + pick({"back", "front", "none"}));
    maybe(items, "config=" + pick({"tile=64x64x8,splits=4", "\"with blank\"", "a\\b"}));
    maybe(items, "device=" + pick({"emu", "cuda:3", "cpu"}));
    maybe(items, "emu_arch=a100");
    std::shuffle(items.begin(), items.end(), random_);
    std::string text = op;
    for (const std::string& item : items) text += " " + item;
    return text;
  }

 private:
  std::string pick(const std::vector<std::string>& words) {
    return words[random_() % words.size()];
  }
  void maybe(std::vector<std::string>& items, const std::string& item) {
    if (random_() % 2 == 0) items.push_back(item);
  }
  void add_all(std::vector<std::string>& items, const std::vector<std::string>& keys,
               unsigned low) {
    for (const std::string& key : keys) {
      items.push_back(key + "=" + std::to_string(low + random_() % 9));
    }
  }

  std::mt19937 random_;
};

TEST(CaseString, RoundTripsGeneratedCases) {
  CaseGenerator generator(20260101);
  for (int i = 0; i < 500; ++i) expect_round_trip(generator.next());
}

struct BadCase {
  const char* text;
  std::vector<const char*> parts;  ///< all must be in the message
};

TEST(CaseString, ErrorsNameKeyValueAndWhatIsAllowed) {
  const std::vector<BadCase> cases{
      {"", {"must begin with the name of an op"}},
      {"m=2 n=2", {"must begin with the name of an op", "m=2"}},
      {"mutmul m=2", {"unknown op 'mutmul'", "did you mean 'matmul'"}},
      {"matmul m=2 n=3 k=4 trnspose_a=1", {"'trnspose_a'", "did you mean 'transpose_a'"}},
      {"matmul m=2 n=3 k=4 m=5", {"column 20", "'m' is given twice"}},
      {"matmul m=2 n=3 k", {"column 16", "expected key=value", "'k'"}},
      {"matmul m=2 n=3 k=-1", {"k=-1", "from 0"}},
      {"matmul m=2 n=3 k=1e3", {"k=1e3", "an integer"}},
      {"matmul m=2 n=3 k=99999999999999999999", {"k=99999999999999999999"}},
      {"matmul m=2 n=3", {"\"k\""}},
      {"matmul m=2 n=3 k=4 dtype=f33", {"'f33'", "did you mean 'f32'"}},
      {"matmul m=2 n=3 k=4 layout=nhwc", {"unknown key of matmul 'layout'"}},
      {"matmul m=2 n=3 k=4 recipe=exsct", {"'exsct'", "did you mean 'exact'"}},
      {"matmul m=2 n=3 k=4 seed=-1", {"seed=-1", "18446744073709551615"}},
      {"matmul m=2 n=3 k=4 guard=bac", {"guard 'bac'", "did you mean 'back'"}},
      {"matmul m=2 n=3 k=4 device=gpu", {"unknown device 'gpu'", "cuda"}},
      {"matmul m=2 n=3 k=4 schedule=randm", {"randm", "reverse"}},
      {"matmul m=2 n=3 k=4 atol=-1", {"atol=-1", "at least 0"}},
      {"matmul m=2 n=3 k=4 count=0", {"count=0", "at least 1"}},
      {"matmul m=2 n=3 k=4 algo=", {"algo=", "expected an algorithm"}},
      {"matmul m=2 n=3 k=4 x.strides=1,1", {"unknown tensor of matmul 'x'", "a, b"}},
      {"matmul m=2 n=3 k=4 a.strides=1,1", {"a.strides", "dimensions"}},
      {"matmul m=2 n=3 k=4 a.strides=8,-4,1", {"a.strides=8,-4,1", "non-negative"}},
      {"matmul m=2 n=3 k=4 a.offset=-1", {"a.offset=-1", "from 0"}},
      {"matmul m=2 n=3 k=4 in.a=[1,2]", {"in.a: 2 values given", "8 elements"}},
      {"matmul m=2 n=3 k=4 in.d=[1]", {"in.d", "unknown input 'd'"}},
      {"matmul m=2 n=3 k=4 in.a=1", {"in.a=1", "@file.npy"}},
      {"matmul m=2 n=3 k=4 in.a=[1,x]", {"in.a: 'x' is not a number"}},
      {"matmul m=2 n=3 k=4 in.a=[1,2", {"never closed by ']'"}},
      {"matmul m=2 n=3 k=4 config=\"a", {"never closed"}},
      {"matmul m=2 n=3 k=4 config=\"a\"b", {"a blank must follow"}},
  };
  for (const BadCase& bad : cases) {
    const std::string message = error_of(bad.text);
    for (const char* part : bad.parts) {
      EXPECT_NE(message.find(part), std::string::npos)
          << bad.text << "\n  message: " << message << "\n  lacks: " << part;
    }
  }
}

TEST(CaseString, AlgorithmNamesAreCheckedAgainstThoseKnown) {
  const std::vector<std::string> known{"naive", "tiled_smem", "cudnn:gemm"};
  check_algorithm_name(parse_case_string("matmul m=1 n=1 k=1 algo=naive"), known);
  check_algorithm_name(parse_case_string("matmul m=1 n=1 k=1 algo=*"), known);
  check_algorithm_name(parse_case_string("matmul m=1 n=1 k=1 algo=cudnn:gemm"), known);
  try {
    check_algorithm_name(parse_case_string("matmul m=1 n=1 k=1 algo=tiled_sem"), known);
    FAIL() << "an unknown algorithm was accepted";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'tiled_smem'"), std::string::npos);
  }
}

TEST(CaseString, MissingFilesAreFound) {
  const Case item = parse_case_string("softmax_fwd n=1 c=2 expect.y=@no/such.npy");
  EXPECT_THROW(check_files_exist(item), UsageError);
}

}  // namespace
}  // namespace wm
