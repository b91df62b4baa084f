#define WM_FLAVOUR emu_schedule_test
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "emu/kernels.hpp"

namespace wm::WM_FLAVOUR {
namespace {

class Schedules : public test::EmuTest {
 protected:
  void use(const std::string& text) { device_->set_schedule(Schedule::parse(text)); }
};

TEST_F(Schedules, TextRoundTrips) {
  for (const char* text : {"in_order", "reverse", "random:0", "random:18446744073709551615"})
    EXPECT_EQ(Schedule::parse(text).to_string(), text);
  for (const char* text : {"", "random", "random:", "random:x", "random:1x", "random:-1", "forward",
                           "random:18446744073709551616"})
    EXPECT_THROW(
        {
          try {
            Schedule::parse(text);
          } catch (const UsageError& error) {
            EXPECT_NE(std::string(error.what()).find("in_order, reverse, random:SEED"),
                      std::string::npos);
            throw;
          }
        },
        UsageError)
        << text;
}

/// The order in which threads pass a point, in two passes separated by a barrier.
__global__ void record(unsigned* next, unsigned* order) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  order[atomicAdd(next, 1U)] = id;
  __syncthreads();
  order[atomicAdd(next, 1U)] = id;
}

constexpr unsigned kBlocks = 3, kThreads = 70;

class Order : public Schedules {
 protected:
  std::vector<unsigned> order(const std::string& schedule) {
    use(schedule);
    auto next = upload("next", std::vector<unsigned>{0});
    auto out = upload("order", std::vector<unsigned>(2 * kBlocks * kThreads));
    launch<record>(LaunchShape{.grid = dim3(kBlocks),
                               .block = dim3(kThreads),
                               .shared_bytes = 0,
                               .blocks_communicate = true},
                   stream(), ptr<unsigned>(next), ptr<unsigned>(out));
    return download<unsigned>(out);
  }
};

TEST_F(Order, InOrderPassesAreAscending) {
  std::vector<unsigned> expected;
  for (unsigned b = 0; b < kBlocks; ++b)
    for (int pass = 0; pass < 2; ++pass)
      for (unsigned t = 0; t < kThreads; ++t) expected.push_back(b * kThreads + t);
  EXPECT_EQ(order("in_order"), expected);
}

TEST_F(Order, ReversePassesAreDescending) {
  std::vector<unsigned> expected;
  for (unsigned b = kBlocks; b-- > 0;)
    for (int pass = 0; pass < 2; ++pass)
      for (unsigned t = kThreads; t-- > 0;) expected.push_back(b * kThreads + t);
  EXPECT_EQ(order("reverse"), expected);
}

TEST_F(Order, RandomOnesArePermutationsThatDependOnTheSeedOnly) {
  std::set<std::vector<unsigned>> seen;
  for (int seed = 0; seed < 10; ++seed) {
    const auto text = "random:" + std::to_string(seed);
    const auto first = order(text);
    EXPECT_EQ(order(text), first);
    seen.insert(first);
    // Each block's first pass comes before its second, and both visit every thread.
    for (unsigned b = 0; b < kBlocks; ++b) {
      std::vector<unsigned> passes;
      for (const auto id : first)
        if (id / kThreads == b) passes.push_back(id % kThreads);
      ASSERT_EQ(passes.size(), 2 * kThreads);
      EXPECT_EQ(std::set(passes.begin(), passes.begin() + kThreads).size(), kThreads);
      EXPECT_FALSE(std::is_sorted(passes.begin(), passes.begin() + kThreads));
    }
  }
  EXPECT_EQ(seen.size(), 10U);
}

TEST_F(Order, RandomSchedulesVisitTheBlocksInAllOrders) {
  std::set<std::vector<unsigned>> orders;
  for (int seed = 0; seed < 60; ++seed) {
    std::vector<unsigned> blocks;
    for (const auto id : order("random:" + std::to_string(seed)))
      if (blocks.empty() || blocks.back() != id / kThreads) blocks.push_back(id / kThreads);
    EXPECT_EQ(blocks.size(), kBlocks);
    orders.insert(blocks);
  }
  EXPECT_EQ(orders.size(), 6U);
}

__global__ void sum_atomically(const float* x, float* y, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) atomicAdd(y, x[i]);
}

__global__ void sum_ordered(const float* x, float* y) {
  WM_SHARED(float, scratch, [32]);
  const float sum = block_sum(x[blockIdx.x * blockDim.x + threadIdx.x], scratch);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

class Sums : public Schedules {
 protected:
  Sums() {
    unsigned state = 1;
    for (auto& value : x_) {
      state = state * 1664525U + 1013904223U;
      value = static_cast<float>(state >> 8) * 0x1p-24F;
    }
  }
  float atomic_sum() {
    auto dx = upload("x", x_), dy = upload("y", std::vector<float>{0});
    launch<sum_atomically>(
        LaunchShape{
            .grid = dim3(32), .block = dim3(64), .shared_bytes = 0, .blocks_communicate = true},
        stream(), ptr<float>(dx), ptr<float>(dy), 2048);
    return download<float>(dy)[0];
  }
  std::vector<float> ordered_sums() {
    auto dx = upload("x", x_), dy = upload("y", std::vector<float>(32));
    launch<sum_ordered>(LaunchShape{.grid = dim3(32), .block = dim3(64)}, stream(), ptr<float>(dx),
                        ptr<float>(dy));
    return download<float>(dy);
  }

 private:
  std::vector<float> x_ = std::vector<float>(2048);
};

TEST_F(Sums, BitsDependOnScheduleAndSeedNotOnTheNumberOfOsThreads) {
  for (const char* schedule : {"in_order", "reverse", "random:1", "random:2"}) {
    use_threads(1);
    use(schedule);
    const float expected = atomic_sum();
    const auto expected_ordered = ordered_sums();
    for (int round = 0; round < 50; ++round) {
      if (round == 25) {
        use_threads(2);
        use(schedule);
      }
      ASSERT_EQ(atomic_sum(), expected) << schedule << " round " << round;
      ASSERT_EQ(ordered_sums(), expected_ordered) << schedule << " round " << round;
    }
  }
}

TEST_F(Sums, AtomicSumsDifferBetweenSchedulesOrderedOnesDoNot) {
  std::set<float> atomic;
  std::set<std::vector<float>> ordered;
  for (const char* schedule : {"in_order", "reverse", "random:1", "random:2", "random:3"}) {
    use(schedule);
    atomic.insert(atomic_sum());
    ordered.insert(ordered_sums());
  }
  EXPECT_GE(atomic.size(), 3U);
  EXPECT_EQ(ordered.size(), 1U);
}

}  // namespace
}  // namespace wm::WM_FLAVOUR
