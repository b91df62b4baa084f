#define WM_FLAVOUR emu_grid_sync_test
#include "gpu/grid_sync.hpp"

#include <gtest/gtest.h>

#include "emu/executor.hpp"
#include "emu/kernels.hpp"

namespace wm::WM_FLAVOUR {
namespace {

class GridSync : public test::EmuTest {
 protected:
  static LaunchShape shape(unsigned blocks, unsigned threads, std::size_t shared = 0) {
    return {
        .grid = dim3(blocks), .block = dim3(threads), .shared_bytes = shared, .cooperative = true};
  }
  static const std::vector<const char*>& schedules() {
    static const std::vector<const char*> all{"in_order", "reverse", "random:1", "random:2"};
    return all;
  }
};

constexpr unsigned kThreads = 64;

/// Each block sums its part; behind the barrier every block sums all parts.
__global__ void reduce(const int* x, int* parts, int* y) {
  WM_SHARED(int, scratch, [32]);
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const int sum = block_sum(x[i], scratch);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
  grid_sync();
  int total = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) total += parts[b];
  y[i] = total;
}

TEST_F(GridSync, ReducesOverMoreBlocksThanOsThreads) {
  constexpr unsigned kBlocks = 64;
  std::vector<int> x(kBlocks * kThreads);
  int expected = 0;
  for (std::size_t i = 0; i < x.size(); ++i) expected += x[i] = static_cast<int>(i % 97);
  for (const char* schedule : schedules()) {
    device_->set_schedule(Schedule::parse(schedule));
    auto dx = upload("x", x), parts = upload("parts", std::vector<int>(kBlocks)),
         dy = upload("y", std::vector<int>(x.size()));
    launch<reduce>(shape(kBlocks, kThreads), stream(), ptr<int>(dx), ptr<int>(parts), ptr<int>(dy));
    EXPECT_EQ(download<int>(dy), std::vector<int>(x.size(), expected)) << schedule;
  }
}

/// A step of a ring: every thread takes over its right neighbour's value, which another block
/// wrote.
__global__ void shift(int* a, int* b, int steps) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  for (int step = 0; step < steps; ++step) {
    b[i] = a[(i + 1) % n];
    grid_sync();
    a[i] = b[i];
    grid_sync();
  }
}

TEST_F(GridSync, WorksInALoop) {
  constexpr int kSteps = 7;
  for (const unsigned blocks : {1U, 2U, 9U}) {
    for (const unsigned threads : {1U, 33U}) {
      std::vector<int> a(blocks * threads), expected(a.size());
      for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = static_cast<int>(i);
        expected[i] = static_cast<int>((i + kSteps) % a.size());
      }
      for (const char* schedule : schedules()) {
        device_->set_schedule(Schedule::parse(schedule));
        auto da = upload("a", a), db = upload("b", a);
        launch<shift>(shape(blocks, threads), stream(), ptr<int>(da), ptr<int>(db), kSteps);
        EXPECT_EQ(download<int>(da), expected) << schedule << blocks << " x " << threads;
      }
    }
  }
}

__global__ void without_sync(int* data, int* y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  data[i] = 1;
  y[i] = data[(i + blockDim.x) % n];
}

TEST_F(GridSync, AMissingOneShowsInTheSchedules) {
  const auto run = [&](const char* schedule) {
    device_->set_schedule(Schedule::parse(schedule));
    auto data = upload("data", std::vector<int>(4 * kThreads)),
         dy = upload("y", std::vector<int>(4 * kThreads));
    launch<without_sync>(shape(4, kThreads), stream(), ptr<int>(data), ptr<int>(dy));
    return download<int>(dy);
  };
  EXPECT_NE(run("in_order"), run("reverse"));
}

/// Shared memory and registers of every block survive; __syncthreads and warp operations go on
/// working behind the barrier.
__global__ void keeps_state(int* y) {
  WM_SHARED(int, tile, [kThreads]);
  int* dynamic = WM_DYN_SHARED(int);
  const unsigned t = threadIdx.x;
  const int own = static_cast<int>(1000 * blockIdx.x + t);
  tile[t] = own;
  dynamic[t] = -own;
  for (int round = 0; round < 3; ++round) {
    grid_sync();
    const int left = __shfl_sync(kFullMask, own, static_cast<int>(t + 31) % 32);
    const int next = tile[(t + 1) % kThreads] + dynamic[(t + 1) % kThreads];
    __syncthreads();
    y[blockIdx.x * kThreads + t] = next == 0 && left == own + (t % 32 == 0 ? 31 : -1) ? own : -1;
  }
}

TEST_F(GridSync, KeepsSharedMemoryOfEveryBlock) {
  for (const char* schedule : schedules()) {
    device_->set_schedule(Schedule::parse(schedule));
    auto dy = upload("y", std::vector<int>(5 * kThreads));
    launch<keeps_state>(shape(5, kThreads, kThreads * sizeof(int)), stream(), ptr<int>(dy));
    const auto y = download<int>(dy);
    for (std::size_t i = 0; i < y.size(); ++i)
      ASSERT_EQ(y[i], static_cast<int>(1000 * (i / kThreads) + i % kThreads)) << schedule;
  }
}

__global__ void no_barrier_at_all(int* y) { y[blockIdx.x * blockDim.x + threadIdx.x] = 3; }

TEST_F(GridSync, ACooperativeLaunchNeedNotSync) {
  auto dy = upload("y", std::vector<int>(300));
  launch<no_barrier_at_all>(shape(3, 100), stream(), ptr<int>(dy));
  EXPECT_EQ(download<int>(dy), std::vector<int>(300, 3));
}

__global__ void counts_with_atomics(int* counter, int* y) {
  atomicAdd(counter, 1);
  grid_sync();
  y[blockIdx.x * blockDim.x + threadIdx.x] = *counter;
}

TEST_F(GridSync, ImpliesBlocksCommunicate) {
  auto counter = upload("counter", std::vector<int>(1)), dy = upload("y", std::vector<int>(96));
  launch<counts_with_atomics>(shape(3, 32), stream(), ptr<int>(counter), ptr<int>(dy));
  EXPECT_EQ(download<int>(dy), std::vector<int>(96, 96));
}

constexpr int kLonely = __LINE__ + 1;
__global__ void lonely(int*) { grid_sync(); }

TEST_F(GridSync, NeedsACooperativeLaunch) {
  auto dy = upload("y", std::vector<int>(1));
  EXPECT_EQ(error_of([&] {
              launch<lonely>(LaunchShape{.grid = dim3(2), .block = dim3(32)}, stream(),
                             ptr<int>(dy));
            }),
            "grid_sync in a launch that is not cooperative at grid_sync_test.cpp:" +
                std::to_string(kLonely) + " in kernel lonely, block (0,0,0), thread (0,0,0)");
}

constexpr int kDivergent = __LINE__ + 3;
__global__ void divergent(int*) {
  if (threadIdx.x < 16)
    grid_sync();
  else
    grid_sync();
}

TEST_F(GridSync, ReportsDivergenceWithinABlock) {
  auto dy = upload("y", std::vector<int>(1));
  for (const char* schedule : schedules()) {
    device_->set_schedule(Schedule::parse(schedule));
    EXPECT_EQ(error_of([&] { launch<divergent>(shape(1, 48), stream(), ptr<int>(dy)); }),
              "divergent grid_sync in kernel divergent, block (0,0,0): threads 0-15 at "
              "grid_sync_test.cpp:" +
                  std::to_string(kDivergent) +
                  ", threads 16-47 at grid_sync_test.cpp:" + std::to_string(kDivergent + 2))
        << schedule;
  }
}

constexpr int kMixed = __LINE__ + 3;
__global__ void mixed_with_block_barrier(int*) {
  if (threadIdx.x < 16)
    grid_sync();
  else
    __syncthreads();
}

TEST_F(GridSync, ReportsADeadlockWithTheBlocksOwnBarrier) {
  auto dy = upload("y", std::vector<int>(1));
  EXPECT_EQ(
      error_of([&] { launch<mixed_with_block_barrier>(shape(2, 32), stream(), ptr<int>(dy)); }),
      "deadlock in kernel mixed_with_block_barrier, block (0,0,0): threads 0-15 in grid_sync "
      "at grid_sync_test.cpp:" +
          std::to_string(kMixed) +
          ", threads 16-31 in __syncthreads at grid_sync_test.cpp:" + std::to_string(kMixed + 2));
}

constexpr int kPartial = __LINE__ + 3;
__global__ void threads_leave(unsigned first, unsigned last) {
  if (threadIdx.x >= first && threadIdx.x < last) return;
  grid_sync();
}

TEST_F(GridSync, ReportsThreadsThatEndBefore) {
  for (const char* schedule : schedules()) {
    device_->set_schedule(Schedule::parse(schedule));
    EXPECT_EQ(
        error_of([&] { launch<threads_leave>(shape(1, 64), stream(), 32U, 40U); }),
        "grid_sync that not all threads reach in kernel threads_leave, block (0,0,0): threads "
        "0-31, 40-63 at grid_sync_test.cpp:" +
            std::to_string(kPartial) + "; ended: threads 32-39")
        << schedule;
  }
}

constexpr int kBlocksLeave = __LINE__ + 3;
__global__ void blocks_leave(unsigned leaver) {
  if (blockIdx.x == leaver) return;
  grid_sync();
}

TEST_F(GridSync, ReportsBlocksThatEndBefore) {
  for (const char* schedule : schedules()) {
    device_->set_schedule(Schedule::parse(schedule));
    EXPECT_EQ(error_of([&] { launch<blocks_leave>(shape(6, 32), stream(), 3U); }),
              "grid_sync that not all blocks reach in kernel blocks_leave: blocks 0-2, 4-5 wait at "
              "grid_sync_test.cpp:" +
                  std::to_string(kBlocksLeave) + ", block 3 has ended")
        << schedule;
  }
}

__global__ void uneven(unsigned longer) {
  grid_sync();
  if (blockIdx.x == longer) grid_sync();
}

TEST_F(GridSync, ReportsBlocksThatSyncMoreOften) {
  const auto error = error_of([&] { launch<uneven>(shape(3, 32), stream(), 1U); });
  EXPECT_NE(error.find("blocks 0, 2 have ended, block 1 waits at"), std::string::npos) << error;
}

// Half a MiB past the end: within the guard, wherever other memory lies.
__global__ void faults_behind_a_barrier(int* y) {
  grid_sync();
  if (blockIdx.x == 1 && threadIdx.x == 5) y[1 << 17] = 1;
  grid_sync();
}

TEST_F(GridSync, AFaultNamesItsThreadAndTheDeviceGoesOn) {
  auto dy = upload("y", std::vector<int>(64));
  for (int attempt = 0; attempt < 3; ++attempt) {
    const auto error =
        error_of([&] { launch<faults_behind_a_barrier>(shape(3, 32), stream(), ptr<int>(dy)); });
    EXPECT_EQ(error.find("out-of-bounds write in kernel faults_behind_a_barrier, block (1,0,0), "
                         "thread (5,0,0)"),
              0U)
        << error;
  }
  launch<no_barrier_at_all>(shape(2, 32), stream(), ptr<int>(dy));
  launch<no_barrier_at_all>(LaunchShape{.grid = dim3(2), .block = dim3(32)}, stream(),
                            ptr<int>(dy));
  EXPECT_EQ(download<int>(dy), std::vector<int>(64, 3));
}

__global__ void overruns_its_array(int past) {
  WM_SHARED(int, tile, [8]);
  int* first = tile;  // UndefinedBehaviorSanitizer knows the bounds of the array
  if (threadIdx.x == 0) first[8 + past] = 1;
  grid_sync();
}

TEST_F(GridSync, ChecksSharedMemoryOfEveryBlockAtItsEnd) {
  EXPECT_EQ(
      error_of([&] { launch<overruns_its_array>(shape(2, 32), stream(), 0); }),
      "out-of-bounds write in kernel overruns_its_array, block (0,0,0): 4 bytes written after "
      "the end of shared array \"tile\" (32 bytes)");
}

constexpr int kDeep = __LINE__ + 6;
__global__ void deep_stack(int* y, unsigned deep) {
  volatile char local[66 * 1024];
  // By a variable index: the compiler keeps the array whole.
  for (unsigned i = deep; i < sizeof(local); i += 1024) local[i] = 1;
  if (blockIdx.x != deep) return;
  grid_sync();
  y[0] = local[0];
}

/// So many threads that their stacks share guards.
TEST_F(GridSync, ReportsAStackOverflowWithoutAGuard) {
  auto dy = upload("y", std::vector<int>(1));
  const auto error =
      error_of([&] { launch<deep_stack>(shape(129, 64), stream(), ptr<int>(dy), 0U); });
  EXPECT_EQ(error,
            "stack overflow at grid_sync_test.cpp:" + std::to_string(kDeep) +
                " in kernel deep_stack, block (0,0,0), thread (0,0,0): 65536 bytes a thread");
}

// H200: 132 multiprocessors of 2048 threads, 32 blocks and 228 KiB, 1 KiB of them for the system.
TEST_F(GridSync, RefusesAGridThatDoesNotFitAtOnce) {
  const auto run = [&](unsigned blocks, unsigned threads, std::size_t shared) {
    auto dy = upload("y", std::vector<int>(blocks * threads));
    return error_of(
        [&] { launch<no_barrier_at_all>(shape(blocks, threads, shared), stream(), ptr<int>(dy)); });
  };
  const std::string end = ") (launch of kernel no_barrier_at_all)";
  EXPECT_EQ(run(132 * 32, 32, 0), "");
  EXPECT_EQ(run(132 * 32 + 1, 32, 0),
            "invalid configuration argument: cooperative launch of 4225 blocks, limit 4224: 32 at "
            "once on each of 132 multiprocessors (max_blocks_per_sm 32" +
                end);
  EXPECT_EQ(
      run(132 * 6 + 1, 330, 0),  // 330 threads are 11 warps, 352 threads
      "invalid configuration argument: cooperative launch of 793 blocks, limit 660: 5 at once "
      "on each of 132 multiprocessors (max_threads_per_sm 2048, 330 threads a block" +
          end);
  EXPECT_EQ(run(132, 32, 227 * 1024), "");
  EXPECT_EQ(
      run(133, 32, 227 * 1024),
      "invalid configuration argument: cooperative launch of 133 blocks, limit 132: 1 at once "
      "on each of 132 multiprocessors (shared_per_sm_bytes 233472, 232448 bytes a block and "
      "1024 reserved" +
          end);
}

__global__ void uses_static() {
  WM_SHARED(char, data, [40 * 1024]);
  data[threadIdx.x] = 0;
  grid_sync();
}

TEST_F(GridSync, CountsStaticSharedMemoryOnceABlockHasShownIt) {
  EXPECT_EQ(error_of([&] { launch<uses_static>(shape(132 * 5, 32), stream()); }), "");
  EXPECT_EQ(error_of([&] { launch<uses_static>(shape(132 * 5 + 1, 32), stream()); }),
            "cooperative launch of 661 blocks, limit 660: 5 at once on each of 132 multiprocessors "
            "(shared_per_sm_bytes 233472, 40960 bytes a block and 1024 reserved) (launch of kernel "
            "uses_static)");
}

TEST(GridSyncLimit, TheEmulatorsOwnIsNamed) {
  DeviceProps props;
  props.sm_count = 300;
  const auto device = make_emu_device(props, 1);
  try {
    launch<lonely>(LaunchShape{.grid = dim3(513), .block = dim3(1024), .cooperative = true},
                   device->stream(), static_cast<int*>(nullptr));
    FAIL() << "not refused";
  } catch (const KernelError& error) {
    EXPECT_STREQ(error.what(),
                 "invalid configuration argument: cooperative launch of 525312 threads, limit of "
                 "the emulator 524288 (launch of kernel lonely)");
  }
}

}  // namespace
}  // namespace wm::WM_FLAVOUR
