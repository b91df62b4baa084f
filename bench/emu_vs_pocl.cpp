// The emulator against PoCL (OpenCL on the CPU): the same two kernels, the same cores, one run.
// Rounds alternate between the two, the best of them counts. PoCL's SGEMM runs with the kernel's
// own assignment of outputs to threads (groups of 4, as a GPU's shared memory wants it) and with 8
// neighbours a thread, which suits PoCL better; its source asks for no unrolling, which slows PoCL.
#include <CL/cl.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "emu_kernels.hpp"
#include "gpu/device.hpp"

namespace wm::bench {
namespace {

constexpr int kGemmSize = 512;
constexpr int kThreads = 1 << 24;
constexpr int kRounds = 12;

const char* const kSource = R"(
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void sgemm(__global const float* restrict a, __global const float* restrict b,
                    __global float* restrict c, int size) {
  __local float tile_a[8][132];
  __local float tile_b[8][132];
  const int t = get_local_id(0);
  const int row0 = get_group_id(1) * 128, col0 = get_group_id(0) * 128;
  const int a_row = t / 2, a_depth = t % 2 * 4, b_depth = t / 32, b_col = t % 32 * 4;
  const int thread_row = t / 16 * GROUP, thread_col = t % 16 * GROUP;
  float acc[8][8];
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) acc[i][j] = 0.0f;
  for (int k = 0; k < size; k += 8) {
    const float4 a4 = vload4(0, a + (row0 + a_row) * size + k + a_depth);
    const float4 b4 = vload4(0, b + (k + b_depth) * size + col0 + b_col);
    tile_a[a_depth][a_row] = a4.x;
    tile_a[a_depth + 1][a_row] = a4.y;
    tile_a[a_depth + 2][a_row] = a4.z;
    tile_a[a_depth + 3][a_row] = a4.w;
    vstore4(b4, 0, &tile_b[b_depth][b_col]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int kk = 0; kk < 8; ++kk) {
      float ra[8], rb[8];
      for (int i = 0; i < 8; ++i) {
        ra[i] = tile_a[kk][thread_row + i / GROUP * 64 + i % GROUP];
        rb[i] = tile_b[kk][thread_col + i / GROUP * 64 + i % GROUP];
      }
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) acc[i][j] = MULTIPLY_ADD(ra[i], rb[j], acc[i][j]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = 0; i < 8; ++i) {
    const int row = row0 + thread_row + i / GROUP * 64 + i % GROUP;
    for (int j = 0; j < 8; ++j) c[row * size + col0 + thread_col + j / GROUP * 64 + j % GROUP] = acc[i][j];
  }
}

__kernel void axpy(float factor, __global const float* restrict x, __global float* restrict y,
                   int n) {
  const int i = get_global_id(0);
  if (i < n) y[i] = MULTIPLY_ADD(factor, x[i], y[i]);
}
)";

void check(cl_int status, const char* call) {
  if (status != CL_SUCCESS)
    throw std::runtime_error(std::string(call) + " failed with " + std::to_string(status));
}

/// An OpenCL CPU device with the kernels compiled, and buffers over host memory.
class Pocl {
 public:
  explicit Pocl(const char* options) {
    cl_platform_id platform = nullptr;
    check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device_, nullptr), "clGetDeviceIDs");
    cl_int status = CL_SUCCESS;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device_, 0, &status);
    check(status, "clCreateCommandQueue");
    const char* source = kSource;
    program_ = clCreateProgramWithSource(context_, 1, &source, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program_, 1, &device_, options, nullptr, nullptr), "clBuildProgram");
  }
  Pocl(const Pocl&) = delete;
  Pocl& operator=(const Pocl&) = delete;
  ~Pocl() {
    for (auto buffer : buffers_) clReleaseMemObject(buffer);
    clReleaseProgram(program_);
    clReleaseCommandQueue(queue_);
    clReleaseContext(context_);
  }

  std::string name() const {
    char text[256] = {};
    clGetDeviceInfo(device_, CL_DEVICE_NAME, sizeof(text), text, nullptr);
    return text;
  }
  cl_mem buffer(std::vector<float>& host) {
    cl_int status = CL_SUCCESS;
    buffers_.push_back(clCreateBuffer(context_, CL_MEM_USE_HOST_PTR, host.size() * sizeof(float),
                                      host.data(), &status));
    check(status, "clCreateBuffer");
    return buffers_.back();
  }
  cl_kernel kernel(const char* name) {
    cl_int status = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(program_, name, &status);
    check(status, "clCreateKernel");
    return kernel;
  }
  template <class T>
  static void argument(cl_kernel kernel, cl_uint index, const T& value) {
    check(clSetKernelArg(kernel, index, sizeof(T), &value), "clSetKernelArg");
  }
  void run(cl_kernel kernel, cl_uint dimensions, const std::size_t* global,
           const std::size_t* local) {
    check(clEnqueueNDRangeKernel(queue_, kernel, dimensions, nullptr, global, local, 0, nullptr,
                                 nullptr),
          "clEnqueueNDRangeKernel");
    check(clFinish(queue_), "clFinish");
  }
  std::vector<float> read(cl_mem buffer, std::size_t count) {
    std::vector<float> values(count);
    check(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, count * sizeof(float), values.data(), 0,
                              nullptr, nullptr),
          "clEnqueueReadBuffer");
    return values;
  }

 private:
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  std::vector<cl_mem> buffers_;
};

double seconds(const std::function<void()>& action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

struct Times {
  double emulator = 1e9, pocl = 1e9;
};

/// Best times of alternating rounds, after one warm-up each.
Times race(const std::function<void()>& emulator, const std::function<void()>& pocl) {
  emulator();
  pocl();
  Times best;
  for (int round = 0; round < kRounds; ++round) {
    best.emulator = std::min(best.emulator, seconds(emulator));
    best.pocl = std::min(best.pocl, seconds(pocl));
  }
  return best;
}

std::vector<float> numbers(std::size_t count, unsigned seed) {
  std::vector<float> values(count);
  for (auto& value : values) {
    seed = seed * 1664525U + 1013904223U;
    value = static_cast<float>(static_cast<int>(seed >> 24) - 128) / 128.0F;
  }
  return values;
}

void check_close(const float* got, const std::vector<float>& expected, double tolerance,
                 const char* what) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!(std::fabs(static_cast<double>(got[i]) - static_cast<double>(expected[i])) <= tolerance))
      throw std::runtime_error(std::string(what) + ": element " + std::to_string(i) + " is " +
                               std::to_string(got[i]) + " on the emulator, " +
                               std::to_string(expected[i]) + " on PoCL");
}

std::unique_ptr<Buffer> upload(Device& device, const char* name, const std::vector<float>& values) {
  auto buffer = device.allocate(name, values.size() * sizeof(float), sizeof(float), Guard::none);
  device.upload(*buffer, values.data(), values.size() * sizeof(float));
  return buffer;
}

float* data(const std::unique_ptr<Buffer>& buffer) { return static_cast<float*>(buffer->data()); }

void report(const char* kernel, const char* unit, double work, const Times& times) {
  std::printf("%-24s %-12s %10.2f %10.2f %8.2f\n", kernel, unit, work / times.emulator * 1e-9,
              work / times.pocl * 1e-9, times.pocl / times.emulator);
}

void bench_sgemm(Device& device, Pocl& pocl, const char* label) {
  constexpr std::size_t kCount = std::size_t{kGemmSize} * kGemmSize;
  auto a = numbers(kCount, 1), b = numbers(kCount, 2), c = std::vector<float>(kCount);
  auto ea = upload(device, "a", a), eb = upload(device, "b", b), ec = upload(device, "c", c);
  cl_kernel kernel = pocl.kernel("sgemm");
  const cl_mem pc = pocl.buffer(c);
  Pocl::argument(kernel, 0, pocl.buffer(a));
  Pocl::argument(kernel, 1, pocl.buffer(b));
  Pocl::argument(kernel, 2, pc);
  Pocl::argument(kernel, 3, kGemmSize);
  const std::size_t local[] = {256, 1}, global[] = {kGemmSize / 128 * 256, kGemmSize / 128};
  const Times times = race([&] { sgemm(device.stream(), data(ea), data(eb), data(ec), kGemmSize); },
                           [&] { pocl.run(kernel, 2, global, local); });
  check_close(data(ec), pocl.read(pc, kCount), 1e-3, "sgemm");
  clReleaseKernel(kernel);
  report(label, "GFLOP/s", 2.0 * kGemmSize * kGemmSize * kGemmSize, times);
}

void bench_axpy(Device& device, Pocl& pocl) {
  auto x = numbers(kThreads, 3), y = numbers(kThreads, 4);
  auto ex = upload(device, "x", x), ey = upload(device, "y", y);
  cl_kernel kernel = pocl.kernel("axpy");
  const cl_mem py = pocl.buffer(y);
  Pocl::argument(kernel, 0, 0.5F);
  Pocl::argument(kernel, 1, pocl.buffer(x));
  Pocl::argument(kernel, 2, py);
  Pocl::argument(kernel, 3, kThreads);
  const std::size_t local = 256, global = kThreads;
  const Times times = race([&] { axpy(device.stream(), 0.5F, data(ex), data(ey), kThreads); },
                           [&] { pocl.run(kernel, 1, &global, &local); });
  check_close(data(ey), pocl.read(py, kThreads), 1e-5, "axpy");
  clReleaseKernel(kernel);
  report("axpy 2^24", "G threads/s", kThreads, times);
}

void run() {
  auto device = make_emu_device(DeviceProps{});
  std::printf("%-24s %-12s %10s %10s %8s\n", "kernel", "unit", "emulator", "pocl", "ratio");
  Pocl pocl("-DMULTIPLY_ADD=mad -DGROUP=4"), neighbours("-DMULTIPLY_ADD=mad -DGROUP=8");
  bench_sgemm(*device, pocl, "sgemm 512^3");
  bench_sgemm(*device, neighbours, "sgemm 512^3, 8 in a row");
  bench_axpy(*device, pocl);
  std::printf("ratio = emulator / pocl, higher is better; PoCL on %s\n", pocl.name().c_str());
}

}  // namespace
}  // namespace wm::bench

int main() {
  try {
    wm::bench::run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "emu_bench: %s\n", error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
