#pragma once
// ldmatrix: a warp loads 8 x 8 matrices of 16-bit elements from shared memory into the fragments
// that mma.sync takes (gpu/fragments.hpp). sm_75 and newer.
#include <cstdint>

#include "gpu/language.hpp"
#if !defined(__CUDACC__)
#include "emu/tensor_runtime.hpp"
#endif

namespace wm {

#if defined(__CUDACC__)
namespace detail {
__device__ inline unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
}  // namespace detail
#endif

/// Loads kCount = 1, 2 or 4 matrices, one register a lane each. Lane 8 i + j gives the address of
/// row j of matrix i: 16 bytes of shared memory, aligned to 16 bytes. Lanes from 8 kCount on give
/// addresses that are not used. kTransposed: a lane gets what it would get of the transposed
/// matrix.
template <int kCount, bool kTransposed = false>
__device__ inline void load_matrix(std::uint32_t (&registers)[kCount], const void* row WM_SITE) {
  static_assert(kCount == 1 || kCount == 2 || kCount == 4);
#if defined(__CUDACC__)
  std::uint32_t* r = registers;
  const unsigned from = detail::shared_address(row);
  if constexpr (kCount == 1 && !kTransposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(r[0])
                 : "r"(from)
                 : "memory");
  } else if constexpr (kCount == 1) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                 : "=r"(r[0])
                 : "r"(from)
                 : "memory");
  } else if constexpr (kCount == 2 && !kTransposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(from)
                 : "memory");
  } else if constexpr (kCount == 2) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(from)
                 : "memory");
  } else if constexpr (!kTransposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(from)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(from)
                 : "memory");
  }
#else
  emu::warp_load_matrix({kCount, kTransposed, row, registers}, {WM_PASS_ONLY_SITE});
#endif
}

}  // namespace wm
