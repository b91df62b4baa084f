#define WM_FLAVOUR emu_tensor_test
// mma.sync and ldmatrix as kernels use them.
#include <gtest/gtest.h>

#include "emu/kernels.hpp"

namespace wm::WM_FLAVOUR {
namespace {

class Tensor : public test::EmuTest {
 protected:
  void use_model(const std::string& model) {
    DeviceProps props;
    props.mma_model = model;
    device_ = make_emu_device(props, 1);
  }
  template <auto Kernel, class... Args>
  std::string run(unsigned threads, const Args&... args) {
    return error_of([&] {
      launch<Kernel>(LaunchShape{.grid = dim3(1), .block = dim3(threads)}, stream(), args...);
    });
  }
};

/// Element (row, col) of a packed matrix with elements of kBytes.
template <int kBytes>
std::uint32_t element(const unsigned char* matrix, int cols, Coordinate at) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, matrix + (at.row * cols + at.col) * kBytes, kBytes);
  return bits;
}

/// c += a b for row-major a (16 x depth), b (depth x 8), c (16 x 8).
template <MmaOperand kOperand, int kDepth>
__global__ void multiply(const unsigned char* a, const unsigned char* b,
                         typename Mma<kOperand, kDepth>::Acc* c) {
  using M = Mma<kOperand, kDepth>;
  constexpr int kBytes = mma_element_bytes(kOperand), per = 4 / kBytes;
  const auto& map = kFragments<kBytes, kDepth>;
  const unsigned lane = threadIdx.x % 32;
  typename M::A ra = {};
  typename M::B rb = {};
  for (int i = 0; i < static_cast<int>(map.a[lane].size()); ++i)
    ra[i / per] |= element<kBytes>(a, kDepth, map.a[lane][i]) << (i % per * 8 * kBytes);
  for (int i = 0; i < static_cast<int>(map.b[lane].size()); ++i)
    rb[i / per] |= element<kBytes>(b, 8, map.b[lane][i]) << (i % per * 8 * kBytes);
  typename M::D d;
  const auto* at = kAccumulatorFragment[lane].data();
  for (int i = 0; i < 4; ++i) d[i] = c[at[i].row * 8 + at[i].col];
  M::multiply(d, ra, rb);
  for (int i = 0; i < 4; ++i) c[at[i].row * 8 + at[i].col] = d[i];
}

template <MmaOperand kOperand>
void encode(std::vector<unsigned char>& bytes, int value) {
  const float f = static_cast<float>(value);
  const auto put = [&](auto bits) {
    const auto* raw = reinterpret_cast<const unsigned char*>(&bits);
    bytes.insert(bytes.end(), raw, raw + sizeof(bits));
  };
  switch (kOperand) {
    case MmaOperand::f16:
      return put(f16_bits(f));
    case MmaOperand::bf16:
      return put(bf16_bits(f));
    case MmaOperand::tf32:
      return put(f);
    case MmaOperand::e4m3:
      return put(e4m3_bits(f));
    case MmaOperand::e5m2:
      return put(e5m2_bits(f));
    case MmaOperand::s8:
      return put(static_cast<std::int8_t>(value));
  }
}

/// Small integers, whose products every type and model adds exactly.
template <MmaOperand kOperand, int kDepth>
void check(const std::function<std::vector<double>(const std::vector<unsigned char>&,
                                                   const std::vector<unsigned char>&,
                                                   const std::vector<int>&)>& run) {
  std::vector<unsigned char> a, b;
  std::vector<int> va, vb, vc;
  for (int i = 0; i < 16 * kDepth; ++i) va.push_back((i * 7 + i / kDepth * 3) % 5 - 2);
  for (int i = 0; i < kDepth * 8; ++i) vb.push_back((i * 5 + i / 8) % 7 - 3);
  for (int i = 0; i < 16 * 8; ++i) vc.push_back(i % 11 - 5);
  for (const int v : va) encode<kOperand>(a, v);
  for (const int v : vb) encode<kOperand>(b, v);
  const std::vector<double> d = run(a, b, vc);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      int expected = vc[static_cast<std::size_t>(i * 8 + j)];
      for (int k = 0; k < kDepth; ++k)
        expected +=
            va[static_cast<std::size_t>(i * kDepth + k)] * vb[static_cast<std::size_t>(k * 8 + j)];
      ASSERT_EQ(d[static_cast<std::size_t>(i * 8 + j)], expected)
          << name_of(kOperand) << " k" << kDepth << " at " << i << ", " << j;
    }
}

class Multiply : public Tensor {
 protected:
  template <MmaOperand kOperand, int kDepth>
  void expect_product() {
    using Acc = typename Mma<kOperand, kDepth>::Acc;
    check<kOperand, kDepth>([&](const auto& a, const auto& b, const std::vector<int>& c) {
      const std::vector<Acc> start(c.begin(), c.end());
      auto da = upload("a", a), db = upload("b", b), dc = upload("c", start);
      EXPECT_EQ((run<multiply<kOperand, kDepth>>(32, ptr<unsigned char>(da), ptr<unsigned char>(db),
                                                 ptr<Acc>(dc))),
                "");
      const auto d = download<Acc>(dc);
      return std::vector<double>(d.begin(), d.end());
    });
  }
};

TEST_F(Multiply, EveryShapeIsTheMatrixProduct) {
  using O = MmaOperand;
  for (const char* model : {"ieee", "ada", "h100"}) {
    use_model(model);
    for (const char* schedule : {"in_order", "reverse", "random:5"}) {
      device_->set_schedule(Schedule::parse(schedule));
      expect_product<O::f16, 8>();
      expect_product<O::f16, 16>();
      expect_product<O::bf16, 8>();
      expect_product<O::bf16, 16>();
      expect_product<O::tf32, 8>();
      expect_product<O::s8, 16>();
      expect_product<O::s8, 32>();
      expect_product<O::e4m3, 32>();
      expect_product<O::e5m2, 32>();
    }
  }
}

TEST_F(Multiply, UsesTheModelOfTheDevice) {
  const auto sum = [&](const char* model) {
    use_model(model);
    std::vector<std::uint16_t> a(16 * 16), b(16 * 8);
    for (std::size_t k = 0; k < 4; ++k) {
      a[k] = f16_bits(0x1p-12F);
      b[k * 8] = f16_bits(0x1p-13F);
    }
    auto da = upload("a", a), db = upload("b", b), dc = upload("c", std::vector<float>(128, 1));
    EXPECT_EQ((run<multiply<MmaOperand::f16, 16>>(32, ptr<unsigned char>(da),
                                                  ptr<unsigned char>(db), ptr<float>(dc))),
              "");
    return download<float>(dc)[0];
  };
  EXPECT_EQ(sum("a100"), 1);
  EXPECT_EQ(sum("h100"), 1 + 0x1p-23F);
  EXPECT_THROW(use_model("h300"), UsageError);
}

constexpr int kMissing = __LINE__ + 4;
__global__ void fp8_multiply(float* y) {
  using M = Mma<MmaOperand::e4m3, 32>;
  M::D d = {};
  M::multiply(d, {0, 0, 0, 0}, {0, 0});
  y[threadIdx.x] = d[0];
}

TEST_F(Tensor, OperandTheDeviceDoesNotHaveIsAnError) {
  use_model("a100");
  auto dy = upload("y", std::vector<float>(32));
  EXPECT_EQ(run<fp8_multiply>(32, ptr<float>(dy)),
            "mma.sync m16n8k32 of e4m3: the tensor-core model \"a100\" has none at "
            "tensor_test.cpp:" +
                std::to_string(kMissing) +
                " in kernel fp8_multiply, block (0,0,0), thread (31,0,0)");
}

__global__ void half_a_warp(float* y) {
  if (threadIdx.x % 32 >= 16) return;
  Mma<MmaOperand::f16, 8>::D d = {};
  Mma<MmaOperand::f16, 8>::multiply(d, {0, 0}, {0});
  y[threadIdx.x] = d[0];
}

TEST_F(Tensor, AllLanesMustTakePart) {
  auto dy = upload("y", std::vector<float>(64));
  const auto error = run<half_a_warp>(32, ptr<float>(dy));
  EXPECT_NE(error.find("a lane exited that others wait for in mma.sync, mask 0xffffffff"),
            std::string::npos)
      << error;
  const auto partial = run<fp8_multiply>(40, ptr<float>(dy));
  EXPECT_NE(partial.find("mma.sync with lanes in the mask 0xffffffff that have exited or do not "
                         "exist"),
            std::string::npos)
      << partial;
}

using Row = Vec<std::uint16_t, 8>;

/// y[lane][r]: what a load of kCount matrices gives; matrix i is rows 8 i to 8 i + 7 of x.
template <int kCount, bool kTransposed>
__global__ void load(const std::uint16_t* x, std::uint32_t* y) {
  WM_SHARED(Row, rows, [32]);
  const int lane = static_cast<int>(threadIdx.x);
  rows[lane] = load_vec<8>(x + 8 * lane);
  __syncthreads();
  std::uint32_t r[kCount];
  // Addresses that are not used may be anything.
  const void* row = lane < 8 * kCount ? static_cast<const void*>(&rows[lane]) : x + 1;
  load_matrix<kCount, kTransposed>(r, row);
  for (int i = 0; i < kCount; ++i) y[lane * kCount + i] = r[i];
}

class Load : public Tensor {
 protected:
  template <int kCount, bool kTransposed>
  void expect_fragments() {
    std::vector<std::uint16_t> x(32 * 8);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint16_t>(1000 + i);
    auto dx = upload("x", x), dy = upload("y", std::vector<std::uint32_t>(32 * kCount));
    ASSERT_EQ((run<load<kCount, kTransposed>>(32, ptr<std::uint16_t>(dx), ptr<std::uint32_t>(dy))),
              "");
    const auto y = download<std::uint32_t>(dy);
    for (std::size_t lane = 0; lane < 32; ++lane)
      for (std::size_t i = 0; i < kCount; ++i) {
        const std::size_t line = lane / 4, along = lane % 4 * 2, matrix = i * 64;
        const std::size_t low = kTransposed ? along * 8 + line : line * 8 + along;
        const std::size_t high = low + (kTransposed ? 8 : 1);
        EXPECT_EQ(y[lane * kCount + i], 1000 + matrix + low + ((1000 + matrix + high) << 16));
      }
  }
};

TEST_F(Load, GivesTheFragments) {
  for (const char* schedule : {"in_order", "reverse", "random:2"}) {
    device_->set_schedule(Schedule::parse(schedule));
    expect_fragments<1, false>();
    expect_fragments<2, false>();
    expect_fragments<4, false>();
    expect_fragments<1, true>();
    expect_fragments<2, true>();
    expect_fragments<4, true>();
  }
}

constexpr int kRowLine = __LINE__ + 6;
__global__ void wrong_row(const char* x, std::uint32_t* y, int shift, int from_shared) {
  WM_SHARED(Row, rows, [64]);
  const char* base = reinterpret_cast<const char*>(&rows[threadIdx.x]);
  const bool odd = threadIdx.x == 5;
  std::uint32_t r[1];
  load_matrix(r, odd && !from_shared ? x : base + (odd ? shift : 0));
  y[threadIdx.x] = r[0];
}

TEST_F(Load, RowsAreSixteenAlignedBytesOfSharedMemory) {
  auto dx = upload("x", std::vector<char>(64)), dy = upload("y", std::vector<std::uint32_t>(32));
  const std::string place = " at tensor_test.cpp:" + std::to_string(kRowLine) +
                            " in kernel wrong_row, block (0,0,0), thread (5,0,0): ";
  EXPECT_EQ(run<wrong_row>(32, ptr<char>(dx), ptr<std::uint32_t>(dy), 0, 1), "");
  EXPECT_EQ(
      run<wrong_row>(32, ptr<char>(dx), ptr<std::uint32_t>(dy), 8, 1),
      "misaligned 16-byte ldmatrix row" + place + "byte 88 of shared array \"rows\" (1024 bytes)");
  EXPECT_EQ(run<wrong_row>(32, ptr<char>(dx), ptr<std::uint32_t>(dy), 0, 0),
            "ldmatrix row outside shared memory" + place + "byte 0 of buffer \"x\" (64 bytes)");
}

}  // namespace
}  // namespace wm::WM_FLAVOUR
