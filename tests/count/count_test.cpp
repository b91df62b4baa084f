// The counts of tiny kernels, each worked out by hand. A counter that a pattern does not name must
// be zero.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "core/error.hpp"
#include "gpu/device.hpp"
#include "registry/catalog.hpp"

namespace wm::counted_kernels {
void register_all(Catalog& catalog);
}

namespace wm {
namespace {

using Counts = std::map<std::string, std::uint64_t>;

const Variant& variant(const std::string& name) {
  static const Catalog catalog = [] {
    Catalog made;
    counted_kernels::register_all(made);
    return made;
  }();
  for (const Variant& each : catalog.variants())
    if (each.id.algorithm == name) return each;
  throw std::logic_error("no kernel " + name);
}

class CountTest : public ::testing::Test {
 protected:
  void launch(const std::string& name) {
    if (buffer_ == nullptr)
      buffer_ = device_->allocate("data", 65536 * sizeof(float), sizeof(float), Guard::none);
    const std::vector<char> zeros(buffer_->bytes());
    device_->upload(*buffer_, zeros.data(), zeros.size());
    LaunchArgs args;
    args.workspace = buffer_->data();
    args.stream = device_->stream();
    variant(name).launch(Problem{}, Config{}, args);
  }
  std::vector<KernelCounters> rows(const std::string& name) {
    device_->begin_counting();
    launch(name);
    return device_->end_counting();
  }
  /// The counters that are not zero, of all kernels together.
  Counts count(const std::string& name, const Schedule& schedule = {}) {
    device_->set_schedule(schedule);
    Counters sum;
    for (const KernelCounters& row : rows(name)) sum += row.counters;
    Counts counts;
    for_each_counter(sum, [&](const std::string& counter, std::uint64_t value) {
      if (value != 0) counts[counter] = value;
    });
    return counts;
  }

  std::unique_ptr<Device> device_ = make_emu_race_device(DeviceProps{});
  std::unique_ptr<Buffer> buffer_;
};

/// What a warp that stores one float a lane, at 32 neighbouring places, adds.
Counts with_row_stored(Counts counts) {
  counts["global_store_requests"] += 1;
  counts["global_store_lanes"] += 32;
  counts["global_store_sectors"] += 4;  // 32 lanes * 4 bytes / 32
  counts["global_store_sectors_used"] += 4;
  counts["global_store_bytes_used"] += 128;
  return counts;
}

Counts global_load(std::uint64_t requests, std::uint64_t lanes, std::uint64_t sectors,
                   std::uint64_t used, std::uint64_t bytes) {
  return {{"global_load_requests", requests},
          {"global_load_lanes", lanes},
          {"global_load_sectors", sectors},
          {"global_load_sectors_used", used},
          {"global_load_bytes_used", bytes}};
}

/// One store and one load of a warp, alike, with a barrier between.
Counts tile(std::uint64_t wavefronts, std::uint64_t conflicts) {
  Counts counts{{"barriers", 1}};
  for (const std::string kind : {"shared_store", "shared_load"}) {
    counts[kind + "_requests"] = 1;
    counts[kind + "_lanes"] = 32;
    counts[kind + "_wavefronts"] = wavefronts;
    if (conflicts > 0) counts[kind + "_conflicts"] = conflicts;
  }
  return counts;
}

struct Pattern {
  const char* kernel;
  Counts counts;
};

std::vector<Pattern> global_patterns() {
  return {
      // 4 warps, each 128 bytes in a row: 4 sectors in, 4 out.
      {"coalesced",
       {{"global_load_requests", 4},
        {"global_load_lanes", 128},
        {"global_load_sectors", 16},
        {"global_load_sectors_used", 16},
        {"global_load_bytes_used", 512},
        {"global_store_requests", 4},
        {"global_store_lanes", 128},
        {"global_store_sectors", 16},
        {"global_store_sectors_used", 16},
        {"global_store_bytes_used", 512}}},
      // 32 lanes 8 bytes apart span 256 bytes: 8 sectors; 128 bytes would fit 4.
      {"stride_2", with_row_stored(global_load(1, 32, 8, 4, 128))},
      // 128 bytes apart: a sector a lane.
      {"stride_32", with_row_stored(global_load(1, 32, 32, 4, 128))},
      // Bytes 4 to 131: sectors 0 to 4.
      {"misaligned", with_row_stored(global_load(1, 32, 5, 4, 128))},
      // One address for all lanes: 4 bytes of one sector.
      {"broadcast", with_row_stored(global_load(1, 32, 1, 1, 4))},
      // 40 threads: a warp of 32 lanes (4 sectors), one of 8 lanes (32 bytes: 1 sector).
      {"tail_warp",
       {{"global_load_requests", 2},
        {"global_load_lanes", 40},
        {"global_load_sectors", 5},
        {"global_load_sectors_used", 5},
        {"global_load_bytes_used", 160},
        {"global_store_requests", 2},
        {"global_store_lanes", 40},
        {"global_store_sectors", 5},
        {"global_store_sectors_used", 5},
        {"global_store_bytes_used", 160}}},
      // 32 lanes * 2 bytes = 64 bytes = 2 sectors.
      {"half",
       {{"global_load_requests", 1},
        {"global_load_lanes", 32},
        {"global_load_sectors", 2},
        {"global_load_sectors_used", 2},
        {"global_load_bytes_used", 64},
        {"global_store_requests", 1},
        {"global_store_lanes", 32},
        {"global_store_sectors", 2},
        {"global_store_sectors_used", 2},
        {"global_store_bytes_used", 64}}},
      // 32 lanes * 1 byte: 1 sector.
      {"byte",
       {{"global_load_requests", 1},
        {"global_load_lanes", 32},
        {"global_load_sectors", 1},
        {"global_load_sectors_used", 1},
        {"global_load_bytes_used", 32},
        {"global_store_requests", 1},
        {"global_store_lanes", 32},
        {"global_store_sectors", 1},
        {"global_store_sectors_used", 1},
        {"global_store_bytes_used", 32}}},
      // One request of 8-byte accesses: 256 bytes, 8 sectors.
      {"float2",
       {{"global_load_requests", 1},
        {"global_load_lanes", 32},
        {"global_load_sectors", 8},
        {"global_load_sectors_used", 8},
        {"global_load_bytes_used", 256},
        {"global_store_requests", 1},
        {"global_store_lanes", 32},
        {"global_store_sectors", 8},
        {"global_store_sectors_used", 8},
        {"global_store_bytes_used", 256}}},
      // One request of 16-byte accesses: 512 bytes, 16 sectors.
      {"float4",
       {{"global_load_requests", 1},
        {"global_load_lanes", 32},
        {"global_load_sectors", 16},
        {"global_load_sectors_used", 16},
        {"global_load_bytes_used", 512},
        {"global_store_requests", 1},
        {"global_store_lanes", 32},
        {"global_store_sectors", 16},
        {"global_store_sectors_used", 16},
        {"global_store_bytes_used", 512}}},
      // 16 lanes * 4 bytes = 64 bytes = 2 sectors.
      {"half_warp",
       {{"global_load_requests", 1},
        {"global_load_lanes", 16},
        {"global_load_sectors", 2},
        {"global_load_sectors_used", 2},
        {"global_load_bytes_used", 64},
        {"global_store_requests", 1},
        {"global_store_lanes", 16},
        {"global_store_sectors", 2},
        {"global_store_sectors_used", 2},
        {"global_store_bytes_used", 64}}},
      // Even lanes on one side: 16 lanes 8 bytes apart, 64 bytes of 4 sectors that would fit 2. Odd
      // lanes on the other: 2 bytes each, 4 bytes apart, 32 bytes of 2 sectors that would fit 1.
      {"two_sides",
       {{"global_load_requests", 2},
        {"global_load_lanes", 32},
        {"global_load_sectors", 6},
        {"global_load_sectors_used", 3},
        {"global_load_bytes_used", 96},
        {"global_store_requests", 2},
        {"global_store_lanes", 32},
        {"global_store_sectors", 6},
        {"global_store_sectors_used", 3},
        {"global_store_bytes_used", 96}}},
      // Turn i: lanes i to 31, 4 (32 - i) bytes: 32 + 31 + ... + 1 = 528 lanes, 2112 bytes. Sectors
      // touched, and those that would do: 8 turns each of 4, 3, 2 and 1, together 80.
      {"trips", with_row_stored(global_load(32, 528, 80, 80, 2112))},
      // Step 0: 32 lanes (4 sectors), the 16 even lanes (4 sectors, 64 bytes would fit 2); step 1:
      // 32 lanes (4 sectors). Were occurrences counted through, odd lanes of step 1 would join the
      // even lanes' second turn: 16 sectors.
      {"meet_block",
       [] {
         Counts counts = with_row_stored(global_load(3, 80, 12, 10, 320));
         counts["barriers"] = 2;
         return counts;
       }()},
      {"meet_warp",
       [] {
         Counts counts = with_row_stored(global_load(3, 80, 12, 10, 320));
         counts["warp_syncs"] = 2;
         return counts;
       }()},
  };
}

std::vector<Pattern> shared_patterns() {
  return {
      // Stride 1: 32 words in 32 banks.
      {"shared_1", with_row_stored(tile(1, 0))},
      // Stride 2: words 0, 2, ..., 62 in the 16 even banks: 2 words each.
      {"shared_2", with_row_stored(tile(2, 1))},
      // Stride 4: words in 8 banks: 4 each.
      {"shared_4", with_row_stored(tile(4, 3))},
      // Stride 32: all 32 words in bank 0.
      {"shared_32", with_row_stored(tile(32, 31))},
      // Stride 33: word 33 t is in bank t.
      {"shared_33", with_row_stored(tile(1, 0))},
      // Two stores of lane 0; a load of 2 words by 16 lanes each.
      {"shared_broadcast", with_row_stored({{"barriers", 1},
                                            {"shared_store_requests", 2},
                                            {"shared_store_lanes", 2},
                                            {"shared_store_wavefronts", 2},
                                            {"shared_load_requests", 1},
                                            {"shared_load_lanes", 32},
                                            {"shared_load_wavefronts", 1}})},
      // 8 bytes: two phases of 16 lanes, 32 words each in 32 banks.
      {"shared_float2", with_row_stored(tile(2, 0))},
      // 16 bytes apart: a phase's words 4 t, 4 t + 1 (t < 16): lanes t and t + 8 share banks: 2
      // wavefronts a phase.
      {"shared_float2_apart", with_row_stored(tile(4, 2))},
      // 16 bytes: four phases of 8 lanes, 32 words each in 32 banks.
      {"shared_float4", with_row_stored(tile(4, 0))},
      // 32 bytes apart: lanes t and t + 4 of a phase share banks: 2 wavefronts a phase.
      {"shared_float4_apart", with_row_stored(tile(8, 4))},
      // 32 lanes on 16 words: two lanes share a word.
      {"shared_half", with_row_stored(tile(1, 0))},
      // Rows of 64 elements are 32 words: all 32 words in bank 0.
      {"shared_half_column", with_row_stored(tile(32, 31))},
      // Pairs are words of 4 bytes.
      {"shared_half2", with_row_stored(tile(1, 0))},
      // 8 warps, 4 rows each: 32 requests of every kind, 4 sectors or 1 wavefront each; the columns
      // of unpadded rows are 32 words of one bank: 32 * 32 wavefronts, 32 * 31 conflicts.
      {"transpose",
       {{"barriers", 1},
        {"global_load_requests", 32},
        {"global_load_lanes", 1024},
        {"global_load_sectors", 128},
        {"global_load_sectors_used", 128},
        {"global_load_bytes_used", 4096},
        {"global_store_requests", 32},
        {"global_store_lanes", 1024},
        {"global_store_sectors", 128},
        {"global_store_sectors_used", 128},
        {"global_store_bytes_used", 4096},
        {"shared_store_requests", 32},
        {"shared_store_lanes", 1024},
        {"shared_store_wavefronts", 32},
        {"shared_load_requests", 32},
        {"shared_load_lanes", 1024},
        {"shared_load_wavefronts", 1024},
        {"shared_load_conflicts", 992}}},
      // Rows of 33 words: a column's words 33 x + y are in 32 banks.
      {"transpose_padded",
       {{"barriers", 1},
        {"global_load_requests", 32},
        {"global_load_lanes", 1024},
        {"global_load_sectors", 128},
        {"global_load_sectors_used", 128},
        {"global_load_bytes_used", 4096},
        {"global_store_requests", 32},
        {"global_store_lanes", 1024},
        {"global_store_sectors", 128},
        {"global_store_sectors_used", 128},
        {"global_store_bytes_used", 4096},
        {"shared_store_requests", 32},
        {"shared_store_lanes", 1024},
        {"shared_store_wavefronts", 32},
        {"shared_load_requests", 32},
        {"shared_load_lanes", 1024},
        {"shared_load_wavefronts", 32}}},
  };
}

/// What lane 0 adds by storing one float.
Counts with_float_stored(Counts counts) {
  for (const char* counter : {"requests", "lanes", "sectors", "sectors_used"})
    counts[std::string("global_store_") + counter] = 1;
  counts["global_store_bytes_used"] = 4;
  return counts;
}

std::vector<Pattern> operation_patterns() {
  return {
      // 32 lanes on one address: 31 come after another lane.
      {"one_counter",
       {{"global_atomic_requests", 1},
        {"global_atomic_lanes", 32},
        {"global_atomic_sectors", 1},
        {"global_atomic_sectors_used", 1},
        {"global_atomic_bytes_used", 4},
        {"atomic_collisions", 31}}},
      // 8 bytes apart: 256 bytes, 8 sectors.
      {"spread_atomics",
       {{"global_atomic_requests", 1},
        {"global_atomic_lanes", 32},
        {"global_atomic_sectors", 8},
        {"global_atomic_sectors_used", 4},
        {"global_atomic_bytes_used", 128}}},
      // 32 lanes on 4 words of 4 banks: 8 a bank, one after the other; 28 come after another lane.
      // Before and after, lanes 0 to 3 clear and read the bins, and store 16 bytes.
      {"histogram",
       {{"barriers", 2},
        {"shared_atomic_requests", 1},
        {"shared_atomic_lanes", 32},
        {"shared_atomic_wavefronts", 8},
        {"shared_atomic_conflicts", 7},
        {"atomic_collisions", 28},
        {"shared_store_requests", 1},
        {"shared_store_lanes", 4},
        {"shared_store_wavefronts", 1},
        {"shared_load_requests", 1},
        {"shared_load_lanes", 4},
        {"shared_load_wavefronts", 1},
        {"global_store_requests", 1},
        {"global_store_lanes", 4},
        {"global_store_sectors", 1},
        {"global_store_sectors_used", 1},
        {"global_store_bytes_used", 16}}},
      // Two warps: 5 shuffles, a vote and a __syncwarp each; thread 0 stores a float.
      {"warp_operations", with_float_stored({{"shuffles", 10}, {"votes", 2}, {"warp_syncs", 2}})},
      // 3 blocks, 4 + 1 barriers each.
      {"barriers", {{"barriers", 15}}},
      // 32 threads, two each.
      {"fences", {{"fences", 64}}},
      // 32 lanes * 16 bytes: 16 sectors; to shared memory in four phases without conflict.
      {"copy_async",
       {{"global_copy_requests", 1},
        {"global_copy_lanes", 32},
        {"global_copy_sectors", 16},
        {"global_copy_sectors_used", 16},
        {"global_copy_bytes_used", 512},
        {"shared_copy_requests", 1},
        {"shared_copy_lanes", 32},
        {"shared_copy_wavefronts", 4}}},
      // Lane 31 reads nothing, lane 30 half: 488 bytes, the sector of both is touched by lane 30.
      {"copy_async_tail",
       {{"global_copy_requests", 1},
        {"global_copy_lanes", 31},
        {"global_copy_sectors", 16},
        {"global_copy_sectors_used", 16},
        {"global_copy_bytes_used", 488},
        {"shared_copy_requests", 1},
        {"shared_copy_lanes", 32},
        {"shared_copy_wavefronts", 4}}},
      // The 8 rows of a matrix in a row: 32 words in 32 banks.
      {"ldmatrix",
       with_float_stored(
           {{"ldmatrix_requests", 1}, {"ldmatrix_lanes", 32}, {"ldmatrix_wavefronts", 4}})},
      // 128 bytes apart: the 8 rows of a matrix are all in banks 0 to 3.
      {"ldmatrix_rows_of_128", with_float_stored({{"ldmatrix_requests", 1},
                                                  {"ldmatrix_lanes", 32},
                                                  {"ldmatrix_wavefronts", 32},
                                                  {"ldmatrix_conflicts", 28}})},
      // 36 words apart: row r in banks 4 r to 4 r + 3.
      {"ldmatrix_rows_of_144",
       with_float_stored(
           {{"ldmatrix_requests", 1}, {"ldmatrix_lanes", 32}, {"ldmatrix_wavefronts", 4}})},
      // Two warps, three each.
      {"mma", with_float_stored({{"mma", 6}})},
  };
}

std::vector<Pattern> all_patterns() {
  std::vector<Pattern> all = global_patterns();
  for (const auto& more : {shared_patterns(), operation_patterns()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

class CountPattern : public CountTest, public ::testing::WithParamInterface<Pattern> {};

TEST_P(CountPattern, IsAsWorkedOutByHand) {
  EXPECT_EQ(count(GetParam().kernel), GetParam().counts);
}

TEST_P(CountPattern, DoesNotDependOnTheSchedule) {
  for (const char* schedule : {"in_order", "reverse", "random:1", "random:2"})
    EXPECT_EQ(count(GetParam().kernel, Schedule::parse(schedule)), GetParam().counts) << schedule;
}

INSTANTIATE_TEST_SUITE_P(ByHand, CountPattern, ::testing::ValuesIn(all_patterns()),
                         [](const auto& each) { return std::string(each.param.kernel); });

TEST_F(CountTest, AKernelIsOneRowWhateverItsLaunches) {
  const auto counted = rows("three_launches");
  ASSERT_EQ(counted.size(), 2U);
  EXPECT_EQ(counted[0].kernel, "broadcast_kernel");
  EXPECT_EQ(counted[0].launches, 2U);
  EXPECT_EQ(counted[0].blocks, 2U);
  EXPECT_EQ(counted[0].threads, 64U);
  EXPECT_EQ(counted[0].counters.global_load.sectors, 2U);
  EXPECT_TRUE(counted[1].kernel.starts_with("copy_kernel"));  // clang++ names no arguments
  EXPECT_EQ(counted[1].launches, 1U);
  EXPECT_EQ(counted[1].counters.global_load.sectors, 8U);
}

TEST_F(CountTest, TotalsAreSumsOfTheRows) {
  Counters counters;
  counters.global_load = {.requests = 1, .sectors = 10, .sectors_used = 1};
  counters.global_store.sectors = 200;
  counters.global_copy.sectors = 3000;
  counters.global_atomic = {.lanes = 7, .sectors = 40000};
  counters.shared_load.conflicts = 1;
  counters.shared_store.conflicts = 20;
  counters.shared_copy.conflicts = 300;
  counters.ldmatrix = {.wavefronts = 5, .conflicts = 4000};
  counters.shared_atomic = {.lanes = 70, .conflicts = 50000};
  const CounterTotals totals = totals_of(counters);
  EXPECT_EQ(totals.global_sectors_requested, 3210U);
  EXPECT_EQ(totals.global_sectors_used, 1U);
  EXPECT_EQ(totals.shared_wavefronts, 5U);
  EXPECT_EQ(totals.shared_conflicts, 4321U);
  EXPECT_EQ(totals.atomics, 77U);
}

TEST_F(CountTest, AChangedKernelShowsInTheCountersItTouchesAndInNoOther) {
  Counts padded = count("transpose_padded"), plain = count("transpose");
  EXPECT_EQ(plain.at("shared_load_wavefronts"), 32 * padded.at("shared_load_wavefronts"));
  EXPECT_EQ(plain.at("shared_load_conflicts"), 992U);
  EXPECT_FALSE(padded.contains("shared_load_conflicts"));
  for (Counts* counts : {&padded, &plain}) {
    counts->erase("shared_load_wavefronts");
    counts->erase("shared_load_conflicts");
  }
  EXPECT_EQ(plain, padded);
}

TEST_F(CountTest, MemoryIsBounded) {
  device_->begin_counting();
  try {
    launch("too_long");
    FAIL() << "no error";
  } catch (const KernelError& error) {
    EXPECT_STREQ(error.what(),
                 "counting: more than 1048576 warp requests since the warps' last barrier or warp "
                 "operation in kernel long_kernel, block (0,0,0): count a smaller problem");
  }
  device_->end_counting();
  EXPECT_EQ(count("broadcast").at("global_load_sectors"), 1U);
}

TEST_F(CountTest, ACooperativeLaunchIsRefusedAndTheNextOneCounted) {
  launch("cooperative");
  device_->begin_counting();
  try {
    launch("cooperative");
    FAIL() << "no error";
  } catch (const KernelError& error) {
    EXPECT_NE(std::string(error.what()).find("a cooperative launch has no counters"),
              std::string::npos)
        << error.what();
  }
  device_->end_counting();
  launch("cooperative");
  EXPECT_EQ(count("broadcast").at("global_load_sectors"), 1U);
}

TEST_F(CountTest, CountedLaunchesAreNotCheckedForRacesAndTheNextOnesAre) {
  EXPECT_THROW(launch("racy"), KernelError);
  EXPECT_EQ(count("racy").at("shared_load_requests"), 2U);
  EXPECT_THROW(launch("racy"), KernelError);
}

TEST_F(CountTest, OnlyTheRaceDeviceCounts) {
  EXPECT_TRUE(device_->can_count());
  const auto plain = make_emu_device(DeviceProps{}, 1);
  EXPECT_FALSE(plain->can_count());
  EXPECT_THROW(plain->begin_counting(), UsageError);
}

}  // namespace
}  // namespace wm
