#include "ops/embedding.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace wm {
namespace {

Problem problem_of(const char* op, const KeyValues& keys) { return find_op(op)->resolve(keys); }

const SharedPart& part_of(const Embedding& embedding, const std::string& tensor) {
  for (const SharedPart& part : embedding.parts)
    if (part.tensor == tensor) return part;
  throw std::out_of_range(tensor);
}

TEST(Embedding, EveryOpSaysWhatItsSamplesAre) {
  for (const Op* op : all_ops()) {
    const SampleKeys samples = sample_keys(*op);
    EXPECT_NE(samples.keys.empty(), samples.why_not.empty()) << op->name;
    EXPECT_EQ(samples.why_not.find("no samples known"), std::string::npos) << op->name;
  }
}

TEST(Embedding, RowsOfAMatmulAreSamplesAndShareB) {
  const Problem problem = problem_of(
      "matmul", {{"m", "5"}, {"n", "3"}, {"k", "4"}, {"batch", "2"}, {"transpose_a", "1"}});
  const Embeddings embeddings = batch_embeddings(problem);
  ASSERT_EQ(embeddings.list.size(), 8u) << "four of m, four of batch";
  const Embedding& last = embeddings.list[1];
  EXPECT_EQ(last.change, "m=1, sample 4 alone");
  EXPECT_EQ(part_of(last, "a").from, (Dims{0, 0, 4})) << "a is [batch, k, m]";
  EXPECT_EQ(part_of(last, "a").dims, (Dims{2, 4, 1}));
  EXPECT_EQ(part_of(last, "b").dims, (Dims{2, 4, 3}));
  EXPECT_EQ(part_of(last, "d").from, (Dims{0, 4, 0}));
  const Embedding& larger = embeddings.list[3];
  EXPECT_EQ(larger.change, "m=13, samples from 6");
  EXPECT_EQ(larger.problem.tensor("d").dims, (Dims{2, 13, 3}));
  EXPECT_EQ(part_of(larger, "d").to, (Dims{0, 6, 0}));
}

TEST(Embedding, OneSampleIsNotRunAloneAgain) {
  const Problem problem = problem_of("softmax_fwd", {{"n", "1"}, {"c", "4"}});
  const Embeddings embeddings = batch_embeddings(problem);
  ASSERT_EQ(embeddings.list.size(), 2u);
  EXPECT_EQ(embeddings.list[0].change, "n=2, samples from 1");
}

TEST(Embedding, SumsOverTheBatchHaveNoSamples) {
  const Problem problem =
      problem_of("conv_bwd_filter", {{"n", "2"}, {"c", "3"}, {"w", "8"}, {"k", "4"}, {"s", "3"}});
  EXPECT_TRUE(batch_embeddings(problem).list.empty());
  EXPECT_NE(batch_embeddings(problem).why_not.find("sums over the batch"), std::string::npos);
}

TEST(Embedding, PaddingOfAConvolutionIsWrittenOut) {
  const Problem problem = problem_of("conv_fwd", {{"n", "2"},
                                                  {"c", "3"},
                                                  {"h", "5"},
                                                  {"w", "8"},
                                                  {"k", "4"},
                                                  {"r", "3"},
                                                  {"s", "3"},
                                                  {"pad_begin_h", "2"},
                                                  {"pad_end_w", "1"}});
  const Embeddings embeddings = padding_embeddings(problem);
  ASSERT_EQ(embeddings.list.size(), 1u) << embeddings.why_not;
  const Embedding& padded = embeddings.list[0];
  EXPECT_EQ(padded.problem.tensor("x").dims, (Dims{2, 3, 7, 9}));
  EXPECT_EQ(padded.problem.tensor("y").dims, problem.tensor("y").dims);
  EXPECT_EQ(part_of(padded, "x").to, (Dims{0, 0, 2, 0}));
  EXPECT_EQ(padded.surroundings, 0.0);
}

TEST(Embedding, MoreChannelsOfASoftmaxWeighNothing) {
  const Embeddings forward =
      padding_embeddings(problem_of("softmax_fwd", {{"n", "2"}, {"c", "4"}}));
  ASSERT_EQ(forward.list.size(), 1u);
  EXPECT_EQ(forward.list[0].problem.tensor("y").dims[1], 9);
  EXPECT_TRUE(std::isinf(*forward.list[0].surroundings));
  const KeyValues log{{"n", "2"}, {"c", "4"}, {"kind", "log"}};
  EXPECT_TRUE(padding_embeddings(problem_of("softmax_bwd", log)).list.empty());
}

TEST(Embedding, NothingIsEmbeddedInAnEmptyOutput) {
  const Problem problem = problem_of("matmul", {{"m", "0"}, {"n", "3"}, {"k", "4"}});
  EXPECT_TRUE(batch_embeddings(problem).list.empty());
  EXPECT_EQ(batch_embeddings(problem).why_not, "the outputs are empty");
}

}  // namespace
}  // namespace wm
