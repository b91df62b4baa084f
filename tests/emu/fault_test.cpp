#define WM_FLAVOUR emu_fault_test
#include <gtest/gtest.h>

#include "emu/executor.hpp"
#include "emu/kernels.hpp"

namespace wm::WM_FLAVOUR {
namespace {

class Faults : public test::EmuTest {
 protected:
  template <auto Kernel, class... Args>
  std::string run(unsigned blocks, unsigned threads, const Args&... args) {
    return error_of([&] {
      launch<Kernel>(LaunchShape{.grid = dim3(blocks), .block = dim3(threads)}, stream(), args...);
    });
  }
};

__global__ void write_at(int* y, int thread, std::int64_t index) {
  const int t = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  y[t == thread ? index : t] = t;
}

TEST_F(Faults, WritePastTheEndNamesThreadBufferAndOffset) {
  auto dy = upload("y", std::vector<int>(1024), Guard::back);
  EXPECT_EQ(run<write_at>(4, 256, ptr<int>(dy), 700, std::int64_t{1028}),
            "out-of-bounds write in kernel write_at, block (2,0,0), thread (188,0,0): byte 4112 of "
            "buffer \"y\" (4096 bytes), 16 bytes past its end");
}

TEST_F(Faults, WriteBeforeTheStartToo) {
  auto dy = upload("y", std::vector<int>(1024), Guard::front);
  EXPECT_EQ(run<write_at>(4, 256, ptr<int>(dy), 5, std::int64_t{-1}),
            "out-of-bounds write in kernel write_at, block (0,0,0), thread (5,0,0): byte -4 of "
            "buffer \"y\" (4096 bytes), 4 bytes before its start");
}

template <class T>
__global__ void read_shifted(const T* x, T* y, int shift) {
  const int t = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  y[t] = x[t + shift];
}

TEST_F(Faults, ReadPastTheEndIsAReadOfTheFirstThreadThatDoesIt) {
  for (const unsigned os_threads : {1U, 2U}) {
    use_threads(os_threads);
    auto dx = upload("input", std::vector<float>(1000), Guard::back);
    auto dy = upload("y", std::vector<float>(1024));
    const auto error = run<read_shifted<float>>(8, 125, ptr<const float>(dx), ptr<float>(dy), 3);
    EXPECT_EQ(error.find("out-of-bounds read in kernel read_shifted"), 0U) << error;
    EXPECT_NE(error.find(", block (7,0,0), thread (122,0,0): byte 4000 of buffer \"input\" (4000 "
                         "bytes), 0 bytes past its end"),
              std::string::npos)
        << error;
  }
}

__global__ void read_after_barrier(const int* x, int* y, int bad) {
  WM_SHARED(int, tile, [64]);
  const int t = static_cast<int>(threadIdx.x);
  tile[t] = t;
  __syncthreads();
  y[t] = x[t == bad ? 64 : t] + tile[63 - t];
}

TEST_F(Faults, ThreadIsRightInKernelsWithBarriers) {
  for (const char* schedule : {"in_order", "reverse", "random:9"}) {
    device_->set_schedule(Schedule::parse(schedule));
    auto dx = upload("x", std::vector<int>(64), Guard::back);
    auto dy = upload("y", std::vector<int>(64));
    for (const int bad : {0, 17, 63})
      EXPECT_EQ(run<read_after_barrier>(1, 64, ptr<const int>(dx), ptr<int>(dy), bad),
                "out-of-bounds read in kernel read_after_barrier, block (0,0,0), thread (" +
                    std::to_string(bad) +
                    ",0,0): byte 256 of buffer \"x\" (256 bytes), 0 bytes past its end")
          << schedule;
  }
}

__global__ void three_dimensional(int* y) {
  if (threadIdx.x == 1 && threadIdx.y == 2 && threadIdx.z == 1 && blockIdx.y == 1 &&
      blockIdx.z == 2)
    y[1] = 0;
}

TEST_F(Faults, IndicesOfAllDimensionsAreReported) {
  auto dy = upload("y", std::vector<int>(1), Guard::back);
  const auto error = error_of([&] {
    launch<three_dimensional>(LaunchShape{.grid = dim3(1, 2, 3), .block = dim3(2, 3, 2)}, stream(),
                              ptr<int>(dy));
  });
  EXPECT_NE(error.find("block (0,1,2), thread (1,2,1)"), std::string::npos) << error;
}

TEST_F(Faults, NullAndStrayPointersAreSaidToBe) {
  EXPECT_EQ(run<write_at>(1, 32, reinterpret_cast<int*>(std::uintptr_t{8}), 40, std::int64_t{0}),
            "out-of-bounds write in kernel write_at, block (0,0,0), thread (0,0,0): null pointer "
            "(address 0x8)");
#if !defined(__SANITIZE_ADDRESS__)  // it would look up its own notes on these addresses first
  auto* stray = reinterpret_cast<int*>(std::uintptr_t{0x123450000});
  EXPECT_EQ(run<write_at>(1, 32, stray, 40, std::int64_t{0}),
            "out-of-bounds write in kernel write_at, block (0,0,0), thread (0,0,0): address "
            "0x123450000, which belongs to no buffer");
  auto* impossible = reinterpret_cast<int*>(std::uintptr_t{0x8123456789abcdf0});
  const auto error = run<write_at>(1, 32, impossible, 40, std::int64_t{0});
  EXPECT_EQ(error.find("out-of-bounds "), 0U) << error;
#endif
}

TEST_F(Faults, AccessToAFreedBufferIsCalledThat) {
  auto dy = upload("y", std::vector<int>(32));
  int* freed = ptr<int>(dy);
  dy.reset();
  EXPECT_EQ(
      run<write_at>(1, 32, freed, 40, std::int64_t{0}),
      "out-of-bounds write in kernel write_at, block (0,0,0), thread (0,0,0): byte 0 of freed "
      "buffer \"y\" (128 bytes)");
  for (int i = 0; i < 1000; ++i) upload("y", std::vector<int>(32));
  dy = upload("y", std::vector<int>(32));
  EXPECT_EQ(run<write_at>(1, 32, ptr<int>(dy), 40, std::int64_t{0}), "");
}

__global__ void divides(int* y, int by) { y[threadIdx.x] = y[threadIdx.x] / by; }

TEST_F(Faults, IntegerDivisionByZeroIsReported) {
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
  auto dy = upload("y", std::vector<int>(32));
  const auto error = run<divides>(1, 32, ptr<int>(dy), 0);
  EXPECT_EQ(error.find("integer division by zero or overflow in kernel divides, block (0,0,0)"), 0U)
      << error;
#else
  GTEST_SKIP() << "integer division does not trap here, or a sanitizer sees it first";
#endif
}

/// Every frame stays in use until all deeper ones are gone.
__attribute__((noinline)) int burn_stack(int depth, volatile char* above) {
  volatile char frame[512];
  frame[0] = static_cast<char>(depth);
  const int below = depth == 0 ? 0 : burn_stack(depth - 1, frame);
  above[1] = frame[0];
  return below + frame[1];
}
__global__ void recursive(int* y, int depth) {
  volatile char top[2];
  y[threadIdx.x] = burn_stack(depth, top);
}

TEST_F(Faults, StackOverflowIsCalledThat) {
  auto dy = upload("y", std::vector<int>(32));
  EXPECT_EQ(run<recursive>(1, 32, ptr<int>(dy), 20), "");
  EXPECT_EQ(run<recursive>(1, 32, ptr<int>(dy), 1000),
            "stack overflow in kernel recursive, block (0,0,0), thread (0,0,0): 65536 bytes a "
            "thread");
}

#if defined(WM_EMU_ASAN)
__global__ void fault_below_variables(const volatile char** where, int* behind) {
  volatile char frame[256];
  frame[threadIdx.x] = 1;
  where[0] = frame;
  __syncthreads();
  *behind = frame[0];
}

TEST_F(Faults, AFaultedKernelsStackLeavesNoMarksForTheNextOwnerOfItsMemory) {
  for (int round = 0; round < 3; ++round) {
    auto where = upload("where", std::vector<const volatile char*>(1));
    auto dy = upload("y", std::vector<int>(1), Guard::back);
    const auto error =
        run<fault_below_variables>(1, 64, ptr<const volatile char*>(where), ptr<int>(dy) + 1);
    EXPECT_EQ(error.find("out-of-bounds write in kernel fault_below_variables"), 0U) << error;
    const auto frame =
        reinterpret_cast<std::uintptr_t>(download<const volatile char*>(where).front());
    const auto around = reinterpret_cast<void*>(frame - 128);
    EXPECT_NE(__asan_region_is_poisoned(around, 512), nullptr) << "the test sees nothing";
    use_threads(1);
    EXPECT_EQ(__asan_region_is_poisoned(around, 512), nullptr);
  }
}
#endif

constexpr int kWideRead = __LINE__ + 3;
constexpr int kWideWrite = __LINE__ + 5;
__global__ void wide(const float* x, float* y, int read_offset, int write_offset) {
  const auto value = load_vec<4>(x + read_offset);
  // The write is reported where it stands too.
  store_vec(y + write_offset, value);
}

TEST_F(Faults, MisalignedWideAccessIsReportedAtItsLine) {
  auto dx = upload("x", std::vector<float>(8)), dy = upload("y", std::vector<float>(8));
  EXPECT_EQ(run<wide>(1, 1, ptr<float>(dx), ptr<float>(dy), 4, 4), "");
  EXPECT_EQ(
      run<wide>(1, 1, ptr<float>(dx), ptr<float>(dy), 1, 0),
      "misaligned 16-byte read at fault_test.cpp:" + std::to_string(kWideRead) +
          " in kernel wide, block (0,0,0), thread (0,0,0): byte 4 of buffer \"x\" (32 bytes)");
  EXPECT_EQ(
      run<wide>(1, 1, ptr<float>(dx), ptr<float>(dy), 0, 2),
      "misaligned 16-byte write at fault_test.cpp:" + std::to_string(kWideWrite - 1) +
          " in kernel wide, block (0,0,0), thread (0,0,0): byte 8 of buffer \"y\" (32 bytes)");
}

__global__ void misaligned_thread(const float* x, float* y) {
  const unsigned t = threadIdx.x;
  y[t] = load_vec<2>(x + 2 * t + (t == 21 ? 1 : 0))[0];
}

TEST_F(Faults, MisalignedAccessNamesItsThreadInARowOfThreads) {
  auto dx = upload("x", std::vector<float>(128)), dy = upload("y", std::vector<float>(64));
  const auto error = run<misaligned_thread>(1, 64, ptr<float>(dx), ptr<float>(dy));
  EXPECT_NE(error.find("thread (21,0,0): byte 172 of buffer \"x\""), std::string::npos) << error;
}

TEST_F(Faults, FirstFailingBlockIsReportedWhateverTheThreads) {
  auto dy = upload("y", std::vector<int>(4096), Guard::back);
  for (int round = 0; round < 50; ++round) {
    // Blocks 16 and up write past the end.
    const auto error = run<write_at>(64, 256, ptr<int>(dy), -1, std::int64_t{0});
    ASSERT_NE(error.find("block (16,0,0), thread (0,0,0)"), std::string::npos) << error;
  }
}

TEST_F(Faults, ThousandsLeakNoStacksAndLeaveTheDeviceUsable) {
  use_threads(1);
  auto dx = upload("x", std::vector<int>(64), Guard::back);
  auto dy = upload("y", std::vector<int>(64));
  const auto& executor = *static_cast<const emu::Executor*>(stream().handle);
  std::size_t stacks = 0;
  for (int round = 0; round < 2000; ++round) {
    ASSERT_NE(run<read_after_barrier>(2, 64, ptr<const int>(dx), ptr<int>(dy), round % 64), "");
    if (round == 0) stacks = executor.stacks();
  }
  EXPECT_EQ(executor.stacks(), stacks);
  EXPECT_EQ(run<read_after_barrier>(2, 64, ptr<const int>(dx), ptr<int>(dy), -1), "");
  EXPECT_EQ(download<int>(dy)[1], 62);
}

TEST_F(Faults, OutsideKernelsTheyAreNotOurs) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto dy = upload("y", std::vector<int>(64));
  ASSERT_EQ(run<write_at>(2, 32, ptr<int>(dy), 100, std::int64_t{0}), "");
  volatile int* nowhere = nullptr;
  EXPECT_DEATH(*nowhere = 1, "");
}

}  // namespace
}  // namespace wm::WM_FLAVOUR
