#define WM_FLAVOUR emu_warp_test
#include <gtest/gtest.h>

#include <numeric>

#include "emu/kernels.hpp"

namespace wm::WM_FLAVOUR {
namespace {

class Warp : public test::EmuTest {
 protected:
  template <auto Kernel, class... Args>
  std::string run(unsigned threads, const Args&... args) {
    return error_of([&] {
      launch<Kernel>(LaunchShape{.grid = dim3(1), .block = dim3(threads)}, stream(), args...);
    });
  }
};

template <class T>
__global__ void shuffles(const T* x, T* y, int width, int operand) {
  const int t = static_cast<int>(threadIdx.x), n = static_cast<int>(blockDim.x);
  const T value = x[t];
  y[t] = __shfl_sync(kFullMask, value, operand + t, width);
  y[n + t] = __shfl_up_sync(kFullMask, value, static_cast<unsigned>(operand), width);
  y[2 * n + t] = __shfl_down_sync(kFullMask, value, static_cast<unsigned>(operand), width);
  y[3 * n + t] = __shfl_xor_sync(kFullMask, value, operand, width);
}

/// The lane each shuffle reads, from the PTX ISA's pseudocode of shfl.sync: c holds the clamp in
/// bits 0-4 and the segment mask in bits 8-12.
int ptx_source(char mode, int lane, int b, int width) {
  const int segment_mask = 32 - width;
  const int clamp = mode == 'u' ? 0 : 31;
  const int max_lane = (lane & segment_mask) | (clamp & ~segment_mask);
  const int min_lane = lane & segment_mask;
  int j = 0;
  bool in_range = false;
  switch (mode) {
    case 'u':
      j = lane - b;
      in_range = j >= max_lane;
      break;
    case 'd':
      j = lane + b;
      in_range = j <= max_lane;
      break;
    case 'x':
      j = lane ^ b;
      in_range = j <= max_lane;
      break;
    default:
      j = min_lane | (b & ~segment_mask & 31);
      in_range = j <= max_lane;
  }
  return in_range ? j : lane;
}

class Shuffle : public Warp {
 protected:
  template <class T, class Make>
  void check(Make make) {
    std::vector<T> x;
    for (int i = 0; i < 64; ++i) x.push_back(make(i));
    auto dx = upload("x", x), dy = upload("y", std::vector<T>(256));
    for (const int width : {1, 2, 4, 8, 16, 32})
      for (const int operand : {0, 1, 3, 16, 31}) {
        ASSERT_EQ(run<shuffles<T>>(64, ptr<T>(dx), ptr<T>(dy), width, operand), "");
        compare(x, download<T>(dy), width, operand);
      }
  }

 private:
  template <class T>
  static void compare(const std::vector<T>& x, const std::vector<T>& y, int width, int operand) {
    const char modes[] = {'i', 'u', 'd', 'x'};
    for (int at = 0; at < 256; ++at) {
      const char mode = modes[at / 64];
      const int t = at % 64, lane = t % 32;
      const int b = mode == 'i' ? operand + t : operand;
      const auto source = static_cast<std::size_t>(t - lane + ptx_source(mode, lane, b, width));
      ASSERT_EQ(std::memcmp(&y[static_cast<std::size_t>(at)], &x[source], sizeof(T)), 0)
          << mode << " width " << width << " operand " << operand << " thread " << t;
    }
  }
};

TEST_F(Shuffle, ReadsTheLaneThePtxIsaSays) {
  check<float>([](int i) { return 0.5F + static_cast<float>(i); });
  check<double>([](int i) { return 1e300 + 1e285 * i; });
  check<int>([](int i) { return -i; });
  check<unsigned long long>([](int i) { return ~0ULL - static_cast<unsigned long long>(i); });
  check<f16>([](int i) { return f16{static_cast<std::uint16_t>(i + 7)}; });
  check<bf16>([](int i) { return bf16{static_cast<std::uint16_t>(i + 9)}; });
}

__global__ void votes(unsigned* y, unsigned threshold) {
  const unsigned t = threadIdx.x;
  y[t] = __ballot_sync(kFullMask, t < threshold);
  y[64 + t] = static_cast<unsigned>(__any_sync(kFullMask, t < threshold) * 2 +
                                    __all_sync(kFullMask, t < threshold));
}

TEST_F(Warp, VotesCountTheLanesOfTheOwnWarp) {
  auto dy = upload("y", std::vector<unsigned>(128));
  ASSERT_EQ(run<votes>(64, ptr<unsigned>(dy), 37U), "");
  const auto y = download<unsigned>(dy);
  for (std::size_t t = 0; t < 64; ++t) {
    EXPECT_EQ(y[t], t < 32 ? 0xffffffffU : 0x1fU);
    EXPECT_EQ(y[64 + t], t < 32 ? 3U : 2U);
  }
}

__global__ void branches(int* y) {
  const unsigned lane = threadIdx.x % 32;
  int value = static_cast<int>(threadIdx.x);
  if (lane < 12)
    value = __shfl_sync(0x00000fffU, value, 11);
  else
    value = __shfl_sync(0xfffff000U, value, 31);
  y[threadIdx.x] = value;
}

TEST_F(Warp, GroupsWithTheirOwnMasksDoNotMeet) {
  for (const char* schedule : {"in_order", "reverse", "random:4"}) {
    device_->set_schedule(Schedule::parse(schedule));
    auto dy = upload("y", std::vector<int>(64));
    ASSERT_EQ(run<branches>(64, ptr<int>(dy)), "");
    const auto y = download<int>(dy);
    for (int t = 0; t < 64; ++t)
      EXPECT_EQ(y[static_cast<std::size_t>(t)], t / 32 * 32 + (t % 32 < 12 ? 11 : 31));
  }
}

__global__ void inactive_source(int* y, float* z) {
  if (threadIdx.x < 16) {
    y[threadIdx.x] = __shfl_sync(0x0000ffffU, 1, 20);
    z[threadIdx.x] = __shfl_sync(0x0000ffffU, 1.0F, 20);
  }
}

TEST_F(Warp, ShuffleFromAnInactiveLaneGivesPoison) {
  auto dy = upload("y", std::vector<int>(16)), dz = upload("z", std::vector<float>(16));
  ASSERT_EQ(run<inactive_source>(32, ptr<int>(dy), ptr<float>(dz)), "");
  EXPECT_EQ(download<int>(dy), std::vector<int>(16, -1));
  EXPECT_TRUE(std::isnan(download<float>(dz)[3]));
}

__global__ void warp_exchange(int* y) {
  WM_SHARED(int, tile, [64]);
  const unsigned t = threadIdx.x;
  tile[t] = static_cast<int>(t);
  __syncwarp();
  y[t] = tile[t ^ 1];
}

TEST_F(Warp, SyncwarpOrdersSharedMemory) {
  for (const char* schedule : {"in_order", "reverse", "random:6"}) {
    device_->set_schedule(Schedule::parse(schedule));
    auto dy = upload("y", std::vector<int>(64));
    ASSERT_EQ(run<warp_exchange>(64, ptr<int>(dy)), "");
    const auto y = download<int>(dy);
    for (int t = 0; t < 64; ++t) EXPECT_EQ(y[static_cast<std::size_t>(t)], t ^ 1);
  }
}

__global__ void reductions(const float* x, float* sums, float* tops) {
  const unsigned t = threadIdx.x;
  sums[t] = warp_sum(x[t]);
  tops[t] = warp_max(x[t]);
}

TEST_F(Warp, ReductionsAreTheButterflyForEveryLane) {
  std::vector<float> x(64);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0F / static_cast<float>(i + 3);
  auto dx = upload("x", x), ds = upload("s", x), dt = upload("t", x);
  ASSERT_EQ(run<reductions>(64, ptr<float>(dx), ptr<float>(ds), ptr<float>(dt)), "");
  for (std::size_t warp = 0; warp < 2; ++warp) {
    std::vector<float> tree(x.begin() + static_cast<std::ptrdiff_t>(32 * warp),
                            x.begin() + static_cast<std::ptrdiff_t>(32 * warp + 32));
    for (std::size_t offset = 16; offset > 0; offset /= 2)
      for (std::size_t i = 0; i < offset; ++i) tree[i] = tree[i] + tree[i + offset];
    for (std::size_t lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(download<float>(ds)[32 * warp + lane], tree[0]);
      EXPECT_EQ(download<float>(dt)[32 * warp + lane], x[32 * warp]);
    }
  }
}

constexpr int kOwnMask = __LINE__ + 1;
__global__ void outside_own_mask(int* y) { y[threadIdx.x] = __shfl_sync(0x0000ffffU, 1, 0); }

TEST_F(Warp, LaneOutsideItsOwnMaskIsAnError) {
  auto dy = upload("y", std::vector<int>(32));
  EXPECT_EQ(run<outside_own_mask>(32, ptr<int>(dy)),
            "__shfl_sync by a lane outside its own mask 0x0000ffff at warp_test.cpp:" +
                std::to_string(kOwnMask) +
                " in kernel outside_own_mask, block (0,0,0), thread (16,0,0): lane 16");
}

constexpr int kExited = __LINE__ + 3;
__global__ void exited_lane(int* y) {
  if (threadIdx.x == 3) return;
  y[threadIdx.x] = __any_sync(kFullMask, 1);
}

TEST_F(Warp, ExitedLaneInTheMaskIsAnError) {
  auto dy = upload("y", std::vector<int>(32));
  // In order, lanes 0 to 2 already wait when lane 3 exits; in reverse, all others do.
  EXPECT_EQ(run<exited_lane>(32, ptr<int>(dy)),
            "a lane exited that others wait for in __ballot_sync, mask 0xffffffff, at "
            "warp_test.cpp:" +
                std::to_string(kExited) +
                " in kernel exited_lane, block (0,0,0), thread (3,0,0): waiting: lanes 0-2");
}

TEST_F(Warp, LaneThatDoesNotExistInTheMaskIsAnError) {
  auto dx = upload("x", std::vector<float>(40));
  const auto error = run<reductions>(40, ptr<float>(dx), ptr<float>(dx), ptr<float>(dx));
  EXPECT_EQ(error.find("__shfl_xor_sync with lanes in the mask 0xffffffff that have exited or do "
                       "not exist at warp_test.cpp:"),
            0U)
      << error;
  EXPECT_NE(error.find("thread (32,0,0): lanes 8-31"), std::string::npos) << error;
}

__global__ void exited_before(int* y) {
  if (threadIdx.x < 3) return;
  y[threadIdx.x] = __any_sync(kFullMask, 1);
}

TEST_F(Warp, LaneThatExitedBeforeIsNamed) {
  auto dy = upload("y", std::vector<int>(32));
  const auto error = run<exited_before>(32, ptr<int>(dy));
  EXPECT_NE(error.find("thread (3,0,0): lanes 0-2"), std::string::npos) << error;
}

constexpr int kStuck = __LINE__ + 4;
__global__ void stuck(int* y) {
  int value = 1;
  if (threadIdx.x % 2 == 0)
    value = __shfl_sync(kFullMask, value, 0);
  else
    value = __shfl_sync(kFullMask, value, 1);
  y[threadIdx.x] = value;
}

TEST_F(Warp, LanesWaitingAtDifferentPlacesAreADeadlock) {
  auto dy = upload("y", std::vector<int>(32));
  const auto error = run<stuck>(4 * 8, ptr<int>(dy));
  EXPECT_NE(error.find("deadlock in kernel stuck, block (0,0,0): threads 0, 2, 4, 6"),
            std::string::npos)
      << error;
  EXPECT_NE(error.find("warp_test.cpp:" + std::to_string(kStuck)), std::string::npos) << error;
  EXPECT_NE(error.find("warp_test.cpp:" + std::to_string(kStuck + 2)), std::string::npos) << error;
}

__global__ void wrong_width(int* y, int width) {
  y[threadIdx.x] = __shfl_sync(kFullMask, 1, 0, width);
}

TEST_F(Warp, WidthMustBeAPowerOfTwo) {
  auto dy = upload("y", std::vector<int>(32));
  for (const int width : {0, 3, 64, -1})
    EXPECT_NE(run<wrong_width>(32, ptr<int>(dy), width)
                  .find("__shfl_sync with width " + std::to_string(width) +
                        " (allowed: 1, 2, 4, 8, 16, 32) at warp_test.cpp"),
              std::string::npos);
}

}  // namespace
}  // namespace wm::WM_FLAVOUR
