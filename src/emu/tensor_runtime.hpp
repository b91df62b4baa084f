#pragma once
// What gpu/mma.hpp, gpu/matrix_load.hpp and gpu/async_copy.hpp need of the emulator.
#include <cstdint>

#include "core/mma_model.hpp"
#include "emu/runtime.hpp"

namespace wm::emu {

/// One lane's part of an mma.sync of shape m16n8k<depth>: its registers.
struct MmaLane {
  MmaOperand operand;
  int depth;
  const std::uint32_t* a;
  const std::uint32_t* b;
  std::uint32_t* c;  ///< four accumulators, which become the result
};
void warp_mma(const MmaLane& lane, Site site);

/// One lane's part of an ldmatrix of 1, 2 or 4 matrices.
struct MatrixLoadLane {
  int count;
  bool transposed;
  const void* row;
  std::uint32_t* registers;  ///< `count`
};
void warp_load_matrix(const MatrixLoadLane& lane, Site site);

/// cp.async: `bytes` is 4, 8 or 16; the first `read` of them come from global memory, the rest are
/// zeros. The destination is poison until the calling thread waits for the group.
void copy_async(void* shared, const void* global, unsigned bytes, unsigned read, Site site);
void commit_copies();
/// Waits for all but the latest `left` groups of the calling thread.
void wait_copies(unsigned left);

}  // namespace wm::emu
