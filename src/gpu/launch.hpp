#pragma once
// Launching a kernel: launch<kernel<T, 64>>(LaunchShape{.grid = ..., .block = ...}, stream,
// args...) The kernel is a template argument so that the emulator can inline it into its thread
// loop.
#include <cstddef>
#include <tuple>
#include <type_traits>

#include "gpu/language.hpp"
#include "gpu/stream.hpp"

#if defined(__CUDACC__)
#include <string>

#include "core/error.hpp"
#endif

namespace wm {

struct LaunchShape {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;  ///< dynamic shared memory
  /// Must be set by a launch that uses global-memory atomics, fences or grid sync.
  bool blocks_communicate = false;
  /// All blocks run at once and may call grid_sync() (gpu/grid_sync.hpp). Implies
  /// blocks_communicate. A grid that does not fit on the device at once is refused.
  bool cooperative = false;
};

#if defined(__CUDACC__)

namespace detail {

inline void check_cuda(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // a launch error is not sticky; leave none behind
  throw KernelError(std::string(call) + ": " + cudaGetErrorString(status));
}

/// A cooperative launch that does not fit is refused with the number of blocks that would.
inline void check_resident(const void* function, const LaunchShape& shape) {
  int device = 0, sms = 0, blocks_per_sm = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device),
             "cudaDeviceGetAttribute");
  const auto threads = static_cast<int>(shape.block.x * shape.block.y * shape.block.z);
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, function, threads,
                                                           shape.shared_bytes),
             "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  const unsigned long long blocks =
      static_cast<unsigned long long>(shape.grid.x) * shape.grid.y * shape.grid.z;
  const unsigned long long limit = static_cast<unsigned long long>(blocks_per_sm) * sms;
  if (blocks > limit)
    throw KernelError("cooperative launch of " + std::to_string(blocks) + " blocks, limit " +
                      std::to_string(limit) + ": " + std::to_string(blocks_per_sm) +
                      " blocks on each of " + std::to_string(sms) + " multiprocessors at once");
}

template <auto Kernel, class... Params>
void launch_cuda(void (*)(Params...), const LaunchShape& shape, Stream stream,
                 std::type_identity_t<Params>... params) {
  constexpr std::size_t kDefaultLimit = 48 * 1024;
  const void* function = reinterpret_cast<const void*>(Kernel);
  if (shape.shared_bytes > kDefaultLimit)
    check_cuda(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shape.shared_bytes)),
               "cudaFuncSetAttribute");
  void* pointers[] = {static_cast<void*>(&params)..., nullptr};
  if (shape.cooperative) {
    check_resident(function, shape);
    check_cuda(
        cudaLaunchCooperativeKernel(function, shape.grid, shape.block, pointers, shape.shared_bytes,
                                    static_cast<cudaStream_t>(stream.handle)),
        "cudaLaunchCooperativeKernel");
    return;
  }
  check_cuda(cudaLaunchKernel(function, shape.grid, shape.block, pointers, shape.shared_bytes,
                              static_cast<cudaStream_t>(stream.handle)),
             "cudaLaunchKernel");
}

}  // namespace detail

/// Enqueues the kernel. Throws KernelError when it cannot be launched.
template <auto Kernel, class... Args>
void launch(const LaunchShape& shape, Stream stream, const Args&... args) {
  detail::launch_cuda<Kernel>(Kernel, shape, stream, args...);
}

#else

namespace emu {

template <auto Kernel>
constexpr const char* signature() {
  return __PRETTY_FUNCTION__;
}

#if defined(WM_RACE)
// Everything is inlined, as on a GPU: the race flavour is to see the kernel's own accesses, not
// those to variables that a call forces into memory.
#define WM_INLINE_ALL __attribute__((flatten))
#else
#define WM_INLINE_ALL
#endif

/// The loop over threads that a fiber runs. The parameters are values of its own, so they stay in
/// registers; the kernel is inlined, and where it never blocks the compiler treats the row as a
/// loop.
template <auto Kernel, class... Params>
WM_INLINE_ALL void run_threads(Params... params) {
  do {
    const unsigned end = row_end;
    unsigned x = threadIdx.x;
    do {
      threadIdx.x = x;
      Kernel(params...);
    } while (++x < end && scheduling == 0);
  } while (row_finished());
}

template <auto Kernel, class... Params>
void launch_emulated(void (*)(Params...), const LaunchShape& shape, Stream stream,
                     std::type_identity_t<Params>... params) {
  const std::tuple<Params...> packed(params...);
  const Worker worker = [](const void* args) {
    std::apply(run_threads<Kernel, Params...>, *static_cast<const std::tuple<Params...>*>(args));
  };
  run(*static_cast<Executor*>(stream.handle),
      {.signature = signature<Kernel>(),
       .grid = shape.grid,
       .block = shape.block,
       .shared_bytes = shape.shared_bytes,
       .blocks_communicate = shape.blocks_communicate || shape.cooperative,
       .cooperative = shape.cooperative},
      worker, &packed);
}

}  // namespace emu

/// Runs the kernel to its end. Throws KernelError for launch limits and for whatever a thread did
/// wrong.
template <auto Kernel, class... Args>
void launch(const LaunchShape& shape, Stream stream, const Args&... args) {
  emu::launch_emulated<Kernel>(Kernel, shape, stream, args...);
}

#endif

}  // namespace wm
