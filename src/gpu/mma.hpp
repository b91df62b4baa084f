#pragma once
// mma.sync: d = a b + d of a warp, a 16 x k row-major, b k x 8 column-major, d 16 x 8, spread over
// the lanes as gpu/fragments.hpp says. sm_80 and newer; fp8 needs sm_89.
//
// Operand registers hold 32 bits each: two f16 or bf16, four s8 or fp8 elements, the first in the
// low bits; one tf32 (an f32 whose low 13 bits are not read). Accumulators are f32, s32 for s8.
// Tensor cores do not round as IEEE operations do: the emulator computes with the model of the GPU
// it poses as (core/mma_model.hpp).
#include <cstdint>
#include <type_traits>

#include "core/mma_model.hpp"
#include "gpu/fragments.hpp"
#include "gpu/language.hpp"
#if !defined(__CUDACC__)
#include "emu/tensor_runtime.hpp"
#endif

namespace wm {

constexpr int mma_element_bytes(MmaOperand operand) {
  return operand == MmaOperand::tf32                                 ? 4
         : operand == MmaOperand::f16 || operand == MmaOperand::bf16 ? 2
                                                                     : 1;
}

/// The operand type of an element type.
template <class T>
inline constexpr MmaOperand kMmaOperandOf = MmaOperand::tf32;
template <>
inline constexpr MmaOperand kMmaOperandOf<f16> = MmaOperand::f16;
template <>
inline constexpr MmaOperand kMmaOperandOf<bf16> = MmaOperand::bf16;

/// Shape m16n8k<kDepth>: tf32 k8; f16, bf16 k8 and k16; s8 k16 and k32; e4m3, e5m2 k32.
template <MmaOperand kOperand, int kDepth>
struct Mma {
  using Fragments = FragmentMap<mma_element_bytes(kOperand), kDepth>;
  static constexpr bool kFp8 = kOperand == MmaOperand::e4m3 || kOperand == MmaOperand::e5m2;
  static_assert(!kFp8 || kDepth == 32, "fp8 mma.sync with f32 accumulators is m16n8k32");
  using Acc = std::conditional_t<kOperand == MmaOperand::s8, std::int32_t, float>;
  using A = std::uint32_t[Fragments::kRegistersA];
  using B = std::uint32_t[Fragments::kRegistersB];
  using D = Acc[4];

  /// All 32 lanes call it together.
  static __device__ inline void multiply(D& d, const A& a, const B& b WM_SITE);
};

#if defined(__CUDACC__)

#define WM_MMA_2_1(type, shape, constraint)                                        \
  asm volatile("mma.sync.aligned." shape ".row.col." type                          \
               " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"              \
               : "+" constraint(d[0]), "+" constraint(d[1]), "+" constraint(d[2]), \
                 "+" constraint(d[3])                                              \
               : "r"(a[0]), "r"(a[1]), "r"(b[0]))
#define WM_MMA_4_2(type, shape, constraint)                                        \
  asm volatile("mma.sync.aligned." shape ".row.col." type                          \
               " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"  \
               : "+" constraint(d[0]), "+" constraint(d[1]), "+" constraint(d[2]), \
                 "+" constraint(d[3])                                              \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

template <MmaOperand kOperand, int kDepth>
__device__ inline void Mma<kOperand, kDepth>::multiply(D& d, const A& a, const B& b) {
  using O = MmaOperand;
  if constexpr (kOperand == O::f16 && kDepth == 8)
    WM_MMA_2_1("f32.f16.f16.f32", "m16n8k8", "f");
  else if constexpr (kOperand == O::f16)
    WM_MMA_4_2("f32.f16.f16.f32", "m16n8k16", "f");
  else if constexpr (kOperand == O::bf16 && kDepth == 8)
    WM_MMA_2_1("f32.bf16.bf16.f32", "m16n8k8", "f");
  else if constexpr (kOperand == O::bf16)
    WM_MMA_4_2("f32.bf16.bf16.f32", "m16n8k16", "f");
  else if constexpr (kOperand == O::tf32)
    WM_MMA_4_2("f32.tf32.tf32.f32", "m16n8k8", "f");
  else if constexpr (kOperand == O::e4m3)
    WM_MMA_4_2("f32.e4m3.e4m3.f32", "m16n8k32", "f");
  else if constexpr (kOperand == O::e5m2)
    WM_MMA_4_2("f32.e5m2.e5m2.f32", "m16n8k32", "f");
  else if constexpr (kDepth == 16)
    WM_MMA_2_1("s32.s8.s8.s32", "m16n8k16", "r");
  else
    WM_MMA_4_2("s32.s8.s8.s32", "m16n8k32", "r");
}
#undef WM_MMA_2_1
#undef WM_MMA_4_2

#else

template <MmaOperand kOperand, int kDepth>
inline void Mma<kOperand, kDepth>::multiply(D& d, const A& a, const B& b, const char* wm_file,
                                            int wm_line) {
  std::uint32_t c[4];
  std::memcpy(c, d, sizeof(c));
  emu::warp_mma({kOperand, kDepth, a, b, c}, {WM_PASS_ONLY_SITE});
  std::memcpy(d, c, sizeof(c));
}

#endif

}  // namespace wm
