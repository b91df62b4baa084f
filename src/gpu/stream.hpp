#pragma once
// Where a launcher enqueues its kernels: a cudaStream_t on CUDA, the emulator's executor on the
// host.
namespace wm {

struct Stream {
  void* handle = nullptr;
};

}  // namespace wm
