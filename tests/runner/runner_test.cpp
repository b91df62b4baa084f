// From case strings to records, with the real kernels on the emulator.
#include "runner/runner.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "runner/case_run.hpp"

namespace wm::emu_kernels {
void register_all(Catalog& catalog);
}

namespace wm {
namespace {

using json = nlohmann::ordered_json;

struct Collector : RecordSink {
  json head, tail;
  std::vector<json> records;
  void header(const json& header) override { head = header; }
  void record(const json& record) override { records.push_back(record); }
  void summary(const json& summary) override { tail = summary; }
};

const CatalogSet& catalogs() {
  static const CatalogSet set = [] {
    CatalogSet made;
    emu_kernels::register_all(made.emu);
    return made;
  }();
  return set;
}

Collector run_cases(const std::vector<std::string>& texts, RunOptions options = {}) {
  Collector sink;
  options.device = "emu";
  const std::atomic<bool> stop{false};
  run_plan(Plan::from_case_strings(texts), options, catalogs(), sink, stop);
  return sink;
}

TEST(Runner, OneCaseMakesOneCompleteRecord) {
  const Collector sink = run_cases({"matmul m=17 n=9 k=33 algo=naive"});
  ASSERT_EQ(sink.records.size(), 1u);
  const json& record = sink.records[0];
  EXPECT_EQ(record["status"], "passed") << record["reason"];
  EXPECT_EQ(record["variant"], "matmul/naive/f32.f32.f32");
  EXPECT_EQ(record["accuracy"]["d"]["compared"], 17 * 9);
  EXPECT_EQ(record["accuracy"]["d"]["gate"], "P");
  EXPECT_GT(record["accuracy"]["d"]["detectability"], 1);
  EXPECT_EQ(record["determinism"]["observed"], true);
  EXPECT_EQ(record["determinism"]["probes"]["workspace_poison"]["d"]["reason"], "no workspace");
  EXPECT_EQ(record["determinism"]["digests"]["d"].get<std::string>().size(), 64u);
  EXPECT_EQ(record["throughput"]["flops"], 2 * 17 * 9 * 33);
  EXPECT_EQ(record["throughput"]["emulated"], true);
  EXPECT_EQ(sink.head["planned"], 1);
  EXPECT_EQ(sink.tail["counts"]["passed"], 1);
}

TEST(Runner, AWildcardStandsForEveryVariant) {
  const Collector sink = run_cases({"matmul m=8 n=8 k=8 recipe=exact"});
  std::int64_t compiled = 0;
  for (const Variant& variant : catalogs().emu.variants())
    compiled += variant.id.to_string().ends_with("f32.f32.f32") && variant.id.op == "matmul";
  EXPECT_EQ(static_cast<std::int64_t>(sink.records.size()), compiled);
  for (const json& record : sink.records) {
    EXPECT_EQ(record["status"], "passed") << record["reason"];
    EXPECT_EQ(record["accuracy"]["d"]["gate"], "I");
    EXPECT_FALSE(record.contains("timing")) << "integers are no basis for timing";
  }
}

TEST(Runner, TheReproReproducesTheDigests) {
  const Collector first = run_cases({"conv_fwd n=2 c=3 h=9 w=7 k=5 r=3 s=3 pad=1 dtype=f16"});
  ASSERT_FALSE(first.records.empty());
  for (const json& record : first.records) {
    const Collector again = run_cases({record["case"].get<std::string>()});
    ASSERT_EQ(again.records.size(), 1u);
    EXPECT_EQ(again.records[0]["determinism"]["digests"], record["determinism"]["digests"]);
    EXPECT_EQ(again.records[0]["case_id"], record["case_id"]);
  }
}

TEST(Runner, InputsExpectationsAndPlacements) {
  const std::string matmul = "matmul m=2 n=2 k=2 algo=naive in.a=[1,2,3,4] in.b=[1,0,0,1] ";
  EXPECT_EQ(run_cases({matmul + "expect.d=[1,2,3,4]"}).records[0]["status"], "passed");
  const json wrong = run_cases({matmul + "expect.d=[1,2,3,5]"}).records[0];
  EXPECT_EQ(wrong["status"], "failed");
  EXPECT_NE(wrong["reason"].get<std::string>().find("[0,1,1]"), std::string::npos)
      << wrong["reason"];
  const json strided = run_cases({"matmul m=5 n=6 k=7 algo=naive recipe=exact a.strides=70,14,2 "
                                  "a.offset=3 d.strides=99,11,1 d.offset=1"})
                           .records[0];
  EXPECT_EQ(strided["status"], "passed") << strided["reason"];
}

TEST(Runner, GuardsAndSchedulesOfACase) {
  for (const char* extra : {"guard=back", "guard=front", "schedule=reverse", "schedule=random:7"}) {
    const json record =
        run_cases({std::string("matmul m=33 n=17 k=20 algo=naive ") + extra}).records[0];
    EXPECT_EQ(record["status"], "passed") << extra << record["reason"];
  }
}

TEST(Runner, TheEmulatedGpuChoosesTheTensorCoreModel) {
  const auto run = [](const std::string& arch) {
    return run_cases({"matmul m=20 n=24 k=40 dtype=f16 algo=tensor_core " + arch});
  };
  const auto model = [&](const std::string& arch) {
    const json record = run(arch).records[0];
    EXPECT_EQ(record["status"], "passed") << record["reason"];
    EXPECT_NE(record["repro"].get<std::string>().find(arch), std::string::npos);
    return record["claims"]["tensor_core"].get<std::string>();
  };
  EXPECT_EQ(model(""), "h100");
  EXPECT_EQ(model("emu_arch=a100"), "a100");
  EXPECT_EQ(model("emu_arch=rtx4090"), "ada");
  EXPECT_EQ(model("emu_arch=h200+ieee"), "ieee");
  EXPECT_EQ(run("emu_arch=a100").head["environment"]["device"]["mma_model"], "a100");
  EXPECT_THROW(run("emu_arch=h200+i3e"), UsageError);
  EXPECT_EQ(run_cases({"matmul m=4 n=4 k=4 algo=naive"}).records[0]["claims"]["tensor_core"],
            nullptr);
}

TEST(Runner, ZeroSizesPass) {
  const json record = run_cases({"matmul m=0 n=4 k=4 algo=naive"}).records[0];
  EXPECT_EQ(record["status"], "passed") << record["reason"];
  EXPECT_EQ(record["reason"], "zero-size");
  EXPECT_EQ(record["accuracy"]["d"]["compared"], 0);
}

TEST(Runner, NotCompiledIsUnsupportedWithTheReason) {
  const json record = run_cases({"matmul m=4 n=4 k=4 algo=naive dtype=e4m3"}).records[0];
  EXPECT_EQ(record["status"], "unsupported");
  EXPECT_NE(record["reason"].get<std::string>().find("e4m3"), std::string::npos);
}

TEST(Runner, WrongNamesStopTheRunBeforeItsFirstRecord) {
  EXPECT_THROW(run_cases({"matmul m=4 n=4 k=4 algo=naiv"}), UsageError);
  EXPECT_THROW(run_cases({"matmul m=4 n=4 k=4 algo=naive config=tile=1x1"}), UsageError);
  EXPECT_THROW(run_cases({"matmul m=4 n=4 k=4 algo=naive emu_arch=h2000"}), UsageError);
}

TEST(Runner, StagesAreAbsentWhenNotAsked) {
  RunOptions options;
  options.stages = {"verify"};
  const json record = run_cases({"matmul m=4 n=4 k=4 algo=naive"}, options).records[0];
  EXPECT_TRUE(record.contains("accuracy"));
  EXPECT_FALSE(record.contains("timing"));
  EXPECT_FALSE(record.contains("determinism"));
}

TEST(Timing, SummaryMatchesHandNumbers) {
  const Timing three = summarise({3, 1, 2});
  EXPECT_EQ(three.median_ns, 2);
  EXPECT_EQ(three.low_ns, 1);
  EXPECT_EQ(three.high_ns, 3);
  EXPECT_EQ(three.mad_ns, 1);
  EXPECT_EQ(summarise({4, 1, 2, 3}).median_ns, 2.5);
  EXPECT_EQ(summarise({}).median_ns, 0);
}

}  // namespace
}  // namespace wm
