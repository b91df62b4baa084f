// probe/mma_tile: one mma.sync, d = a b + c, as the hardware computes it.
//
// Mapping: a warp a tile; batch element i is tile i: a 16 x k, b k x 8, c and d 16 x 8, all packed
// row-major. Operands go from memory to the registers of gpu/fragments.hpp and through one
// instruction: nothing else adds or rounds. It measures arithmetic, never speed, so it is in no
// catalog of algorithms.
#include <type_traits>

#include "gpu/kernel.hpp"
#include "ops/matmul.hpp"
#include "registry/register.hpp"

namespace wm::WM_FLAVOUR {
namespace {

template <int kBytes>
using Bits = std::conditional_t<kBytes == 4, std::uint32_t,
                                std::conditional_t<kBytes == 2, std::uint16_t, std::uint8_t>>;

template <MmaOperand kOperand, int kDepth>
__global__ void __launch_bounds__(kWarpSize)
    mma_tile_kernel(const void* all_a, const void* all_b, const float* all_c, float* all_d) {
  constexpr int kBytes = mma_element_bytes(kOperand), kPerRegister = 4 / kBytes;
  using Element = Bits<kBytes>;
  using Multiply = Mma<kOperand, kDepth>;
  const auto tile = static_cast<std::int64_t>(blockIdx.x);
  const auto* a = static_cast<const Element*>(all_a) + tile * 16 * kDepth;
  const auto* b = static_cast<const Element*>(all_b) + tile * kDepth * 8;
  const int lane = static_cast<int>(threadIdx.x);
  const int group = lane / 4, member = lane % 4;
  typename Multiply::A registers_a = {};
  typename Multiply::B registers_b = {};
  WM_UNROLL
  for (int r = 0; r < Multiply::Fragments::kRegistersA; ++r) {
    WM_UNROLL
    for (int i = 0; i < kPerRegister; ++i) {
      const int row = group + 8 * (r & 1), col = kPerRegister * (4 * (r >> 1) + member) + i;
      registers_a[r] |= static_cast<std::uint32_t>(a[row * kDepth + col]) << (8 * kBytes * i);
    }
  }
  WM_UNROLL
  for (int r = 0; r < Multiply::Fragments::kRegistersB; ++r) {
    WM_UNROLL
    for (int i = 0; i < kPerRegister; ++i) {
      const int row = kPerRegister * (4 * r + member) + i;
      registers_b[r] |= static_cast<std::uint32_t>(b[row * 8 + group]) << (8 * kBytes * i);
    }
  }
  typename Multiply::D d;
  const auto at = [&](int i) {
    return tile * 128 + accumulator_row(lane, i) * 8 + accumulator_col(lane, i);
  };
  WM_UNROLL
  for (int i = 0; i < 4; ++i) d[i] = all_c[at(i)];
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890
  Multiply::multiply(d, registers_a, registers_b);
#else
  if constexpr (kBytes > 1) Multiply::multiply(d, registers_a, registers_b);
#endif
  WM_UNROLL
  for (int i = 0; i < 4; ++i) all_d[at(i)] = d[i];
}

template <MmaOperand kOperand, int kDepth>
Variant mma_tile(DType in, std::string math) {
  Variant variant;
  variant.id.op = "matmul";
  variant.id.algorithm = "mma_tile";
  variant.id.dtypes = {in, in, DType::f32};
  variant.id.math = std::move(math);
  variant.summary = "One mma.sync a batch element.";
  variant.supports = [](const Problem&, const DeviceProps& device) {
    constexpr int kLeast = mma_element_bytes(kOperand) == 1 ? 89 : 80;
    if (device.compute_capability >= kLeast) return Support::yes();
    return Support::no("compute capability " + std::to_string(device.compute_capability) +
                       ": mma.sync of " + std::string(name_of(kOperand)) + " needs " +
                       std::to_string(kLeast));
  };
  variant.claims = [](const Problem&, const Config&) {
    Claims claims;
    claims.tensor_core = kUnknownMmaModel;
    claims.tensor_core_operand = kOperand;
    return claims;
  };
  variant.launch = [](const Problem& problem, const Config&, const LaunchArgs& args) {
    const auto tiles = static_cast<unsigned>(problem.as<MatmulProblem>().batch);
    launch<mma_tile_kernel<kOperand, kDepth>>(
        LaunchShape{.grid = dim3(tiles), .block = dim3(kWarpSize)}, args.stream,
        static_cast<const void*>(args.data<void>("a")),
        static_cast<const void*>(args.data<void>("b")), args.data<const float>("c"),
        args.data<float>("d"));
  };
  return variant;
}

}  // namespace

void register_probe_mma_tile(Catalog& catalog);
void register_probe_mma_tile(Catalog& catalog) {
  catalog.add(mma_tile<MmaOperand::f16, 16>(DType::f16, "ieee"));
  catalog.add(mma_tile<MmaOperand::bf16, 16>(DType::bf16, "ieee"));
  catalog.add(mma_tile<MmaOperand::tf32, 8>(DType::f32, "tf32"));
  catalog.add(mma_tile<MmaOperand::e4m3, 32>(DType::e4m3, "ieee"));
  catalog.add(mma_tile<MmaOperand::e5m2, 32>(DType::e5m2, "ieee"));
}

}  // namespace wm::WM_FLAVOUR
