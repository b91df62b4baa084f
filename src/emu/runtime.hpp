#pragma once
// What the kernel language (gpu/host_language.hpp, gpu/launch.hpp) needs of the emulator. The
// functions may only be called by a kernel that runs under `run`.
#include <cstddef>
#include <cstdint>

#include "gpu/types.hpp"

// The race flavour: kernels compiled with -fsanitize=thread.
#if defined(__SANITIZE_THREAD__)
#define WM_RACE
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WM_RACE
#endif
#endif

// CUDA's built-in variables, set each time a thread starts or resumes. Fibers never change their OS
// thread, so compilers may keep the addresses.
extern __thread uint3 threadIdx;
extern __thread uint3 blockIdx;
extern __thread uint3 blockDim;
extern __thread uint3 gridDim;

namespace wm::emu {

class Executor;

/// A place in a kernel's source.
struct Site {
  const char* file = nullptr;
  int line = 0;
};

/// Threads threadIdx.x, ..., row_end - 1 of the current row run one after another.
extern __thread unsigned row_end;
/// Not zero when a row is to end after each thread: some thread of the block has blocked, or the
/// schedule is not in order.
extern __thread int scheduling;

/// Runs threads of the current block beginning with threadIdx, and further blocks. `args` is the
/// pointer given to `run`.
using Worker = void (*)(const void* args);

struct Launch {
  const char* signature = "";  ///< __PRETTY_FUNCTION__ of a template whose argument is the kernel
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  bool blocks_communicate = false;
  bool cooperative = false;  ///< all blocks are alive at once and may wait for each other
};

/// Runs a grid to its end. Throws KernelError for a launch beyond the device's limits and for
/// anything a thread did wrong; the executor is usable afterwards.
void run(Executor& executor, const Launch& launch, Worker worker, const void* args);

/// A worker's row, or one thread while `scheduling`, has ended. True: the worker goes on with
/// threadIdx and row_end; false: it returns.
bool row_finished();

enum class BarrierOp : std::uint8_t { sync, count, all, any };
/// __syncthreads at a place of the source.
extern "C" void wm_emu_synchronize(const char* file, int line);
/// Its reductions of a predicate.
int barrier(BarrierOp op, int predicate, Site site);
/// Waits for all threads of a cooperative launch.
void grid_barrier(Site site);

enum class WarpOp : std::uint8_t {
  sync,
  ballot,
  shfl,
  shfl_up,
  shfl_down,
  shfl_xor,
  mma,
  ldmatrix
};
/// Waits for the lanes of `mask` and gives this lane's result: the ballot, or the value of lane
/// `source` (all bits set when it is not in the mask).
std::uint64_t collective(WarpOp op, unsigned mask, std::uint64_t value, unsigned source, Site site);
/// The lane a shuffle reads: its own where CUDA says so.
unsigned shuffle_source(WarpOp op, int operand, int width, Site site);

/// Checks an atomic access and gives other threads a turn where the schedule says so. True for
/// global, false for shared memory.
bool atomic_begin(const void* address, std::size_t bytes, const char* operation, Site site);
void fence(Site site);
/// For the race detector: the access that atomic_begin announced has been made.
void atomic_end();
void fence_block();

/// One WM_SHARED declaration.
struct SharedTag {
  const char* name;
  std::size_t bytes;
  std::size_t alignment;
};
void* shared_slot(const SharedTag& tag);
void* dynamic_shared();

/// Ends the launch: an access of `bytes` bytes at an address that is not a multiple of it.
[[noreturn]] void fail_misaligned(const void* address, std::size_t bytes, const char* access,
                                  Site site);

}  // namespace wm::emu
