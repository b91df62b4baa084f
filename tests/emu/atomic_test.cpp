#define WM_FLAVOUR emu_atomic_test
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>

#include "emu/kernels.hpp"

namespace wm::WM_FLAVOUR {
namespace {

class Atomic : public test::EmuTest {};

LaunchShape shape(unsigned blocks, unsigned threads, bool blocks_communicate = true) {
  return {.grid = dim3(blocks),
          .block = dim3(threads),
          .shared_bytes = 0,
          .blocks_communicate = blocks_communicate};
}

template <class T>
__global__ void integer_operations(T* y) {
  const T t = static_cast<T>(blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd(&y[0], t);
  atomicMax(&y[1], t);
  atomicMin(&y[2], t);
  atomicCAS(&y[3], t, static_cast<T>(t + 1));
  const T old = atomicExch(&y[4], t);
  atomicAdd(&y[5], old);
}

template <class T>
void check_integers(test::EmuTest&, const std::vector<T>& y) {
  // 128 threads: 0 + 1 + ... + 127; CAS counts up only in order.
  EXPECT_EQ(y, (std::vector<T>{8128, 127, 0, 128, 127, static_cast<T>(8128 - 127 + 1000)}));
}

TEST_F(Atomic, IntegerOperationsUpdateAndReturnTheOldValue) {
  const auto run = [&]<class T>(T) {
    auto dy = upload("y", std::vector<T>{0, 0, 500, 0, 1000, 0});
    launch<integer_operations<T>>(shape(2, 64), stream(), ptr<T>(dy));
    check_integers<T>(*this, download<T>(dy));
  };
  run(0);
  run(0U);
  run(0ULL);
}

__global__ void float_sums(float* y, double* z) {
  atomicAdd(y, 0.25F);
  atomicAdd(z, 0.125);
}

TEST_F(Atomic, FloatingSumsAddUp) {
  auto dy = upload("y", std::vector<float>{1}), dz = upload("z", std::vector<double>{1});
  launch<float_sums>(shape(3, 32), stream(), ptr<float>(dy), ptr<double>(dz));
  EXPECT_EQ(download<float>(dy)[0], 25.0F);
  EXPECT_EQ(download<double>(dz)[0], 13.0);
}

__global__ void subnormal_sums(float* y) {
  WM_SHARED(float, local, [1]);
  local[0] = FLT_MIN / 4;
  atomicAdd(&local[0], FLT_MIN / 4);
  y[3] = local[0];
  atomicAdd(&y[0], FLT_MIN / 4);       // subnormal operand
  atomicAdd(&y[1], -FLT_MIN * 0.75F);  // FLT_MIN * 1.5 stays, the operand counts as -0
  atomicAdd(&y[2], -FLT_MIN * 1.25F);  // result -FLT_MIN / 4
}

TEST_F(Atomic, GlobalFloatSumsFlushSubnormalsSharedOnesDoNot) {
  auto dy = upload("y", std::vector<float>{1 * FLT_MIN, 1.5F * FLT_MIN, FLT_MIN, 0});
  launch<subnormal_sums>(shape(1, 1), stream(), ptr<float>(dy));
  const auto y = download<float>(dy);
  EXPECT_EQ(y[0], FLT_MIN);
  EXPECT_EQ(y[1], 1.5F * FLT_MIN);
  EXPECT_EQ(y[2], 0.0F);
  EXPECT_TRUE(std::signbit(y[2]));
  EXPECT_EQ(y[3], FLT_MIN / 2);
}

constexpr int kUndeclared = __LINE__ + 1;
__global__ void undeclared(int* y) { atomicAdd(&y[1], 1); }

TEST_F(Atomic, GlobalOnesNeedTheLaunchToDeclareThem) {
  auto dy = upload("y", std::vector<int>(2));
  const auto run = [&] { launch<undeclared>(shape(2, 32, false), stream(), ptr<int>(dy)); };
  EXPECT_EQ(error_of(run),
            "atomicAdd on global memory in a launch that does not set blocks_communicate at "
            "atomic_test.cpp:" +
                std::to_string(kUndeclared) +
                " in kernel undeclared, block (0,0,0), thread (0,0,0): byte 4 of buffer \"y\" (8 "
                "bytes)");
}

__global__ void shared_only(int* y) {
  WM_SHARED(int, count, [1]);
  if (threadIdx.x == 0) count[0] = 0;
  __syncthreads();
  atomicAdd(&count[0], 2);
  __syncthreads();
  y[blockIdx.x] = count[0];
}

TEST_F(Atomic, SharedOnesDoNot) {
  auto dy = upload("y", std::vector<int>(16));
  launch<shared_only>(shape(16, 64, false), stream(), ptr<int>(dy));
  EXPECT_EQ(download<int>(dy), std::vector<int>(16, 128));
}

__global__ void fences(int* y) {
  y[threadIdx.x] = 1;
  __threadfence_block();
  __threadfence();
}

TEST_F(Atomic, FencesNeedTheLaunchToDeclareThem) {
  auto dy = upload("y", std::vector<int>(32));
  EXPECT_EQ(error_of([&] { launch<fences>(shape(1, 32), stream(), ptr<int>(dy)); }), "");
  const auto error = error_of([&] { launch<fences>(shape(1, 32, false), stream(), ptr<int>(dy)); });
  EXPECT_EQ(error.find("__threadfence in a launch that does not set blocks_communicate at "), 0U)
      << error;
}

constexpr int kMisaligned = __LINE__ + 2;
__global__ void misaligned(char* y) {
  atomicAdd(reinterpret_cast<unsigned*>(y + 2 + 4 * threadIdx.x), 1U);
}

TEST_F(Atomic, MisalignedOnesAreAnError) {
  auto dy = upload("y", std::vector<char>(64));
  EXPECT_EQ(error_of([&] { launch<misaligned>(shape(1, 4), stream(), ptr<char>(dy)); }),
            "misaligned 4-byte atomicAdd at atomic_test.cpp:" + std::to_string(kMisaligned) +
                " in kernel misaligned, block (0,0,0), thread (0,0,0): byte 2 of buffer \"y\" (64 "
                "bytes)");
}

}  // namespace
}  // namespace wm::WM_FLAVOUR
