#include "gpu/cuda/cuda_device.hpp"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "core/error.hpp"

namespace wm {
namespace {

/// Before and behind every buffer; repeated, the bytes are a NaN in every floating type.
constexpr std::size_t kCanaryBytes = 4096;
constexpr unsigned char kCanary[2] = {0xd3, 0x7f};
constexpr std::size_t kBaseAlignment = 256;

void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  throw KernelError(std::string(call) + ": " + cudaGetErrorString(status));
}

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

unsigned char canary_byte(std::uintptr_t address) { return kCanary[address % 2]; }

class CudaBuffer : public Buffer {
 public:
  CudaBuffer(const std::string& name, std::size_t bytes, Guard guard) {
    name_ = name;
    bytes_ = bytes;
    const std::size_t room = round_up(bytes, kBaseAlignment);
    const std::size_t total = room + 2 * kCanaryBytes;
    void* memory = nullptr;
    if (total < bytes || cudaMalloc(&memory, total) != cudaSuccess) {
      (void)cudaGetLastError();
      throw EnvironmentError("no device memory for buffer \"" + name + "\" of " +
                             std::to_string(bytes) + " bytes");
    }
    first_ = static_cast<unsigned char*>(memory);
    last_ = first_ + total;
    // A GPU has no inaccessible pages; a moved base still shows wide accesses an odd address.
    unsigned char* data = first_ + kCanaryBytes + (guard == Guard::back ? room - bytes : 0);
    data_ = data;
    write_canary(first_, data);
    write_canary(data + bytes, last_);
  }
  CudaBuffer(const CudaBuffer&) = delete;
  CudaBuffer& operator=(const CudaBuffer&) = delete;
  ~CudaBuffer() override { (void)cudaFree(first_); }

  const unsigned char* first() const { return first_; }
  const unsigned char* last() const { return last_; }

 private:
  static void write_canary(unsigned char* begin, const unsigned char* end) {
    std::vector<unsigned char> bytes(static_cast<std::size_t>(end - begin));
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = canary_byte(reinterpret_cast<std::uintptr_t>(begin + i));
    check(cudaMemcpy(begin, bytes.data(), bytes.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
  }

  unsigned char* first_ = nullptr;
  unsigned char* last_ = nullptr;
};

/// "12 bytes written after the end of", or empty.
std::string damage(const unsigned char* begin, const unsigned char* end, const char* where) {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(end - begin));
  check(cudaMemcpy(bytes.data(), begin, bytes.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  std::size_t changed = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    changed += bytes[i] != canary_byte(reinterpret_cast<std::uintptr_t>(begin + i));
  return changed == 0 ? std::string() : std::to_string(changed) + " bytes written " + where;
}

/// The published arithmetic of this GPU's tensor cores (core/mma_model.hpp).
std::string mma_model_of(int compute_capability) {
  switch (compute_capability) {
    case 70:
      return "v100";
    case 80:
      return "a100";
    case 89:
      return "ada";
    case 90:
      return "h100";
    case 100:
      return "b200";
    default:
      return "any";
  }
}

DeviceProps read_props(int ordinal) {
  cudaDeviceProp found{};
  check(cudaGetDeviceProperties(&found, ordinal), "cudaGetDeviceProperties");
  DeviceProps props;
  props.name = found.name;
  props.arch = "sm_" + std::to_string(found.major * 10 + found.minor);
  props.compute_capability = found.major * 10 + found.minor;
  props.mma_model = mma_model_of(props.compute_capability);
  props.sm_count = found.multiProcessorCount;
  props.warp_size = found.warpSize;
  props.max_threads_per_block = found.maxThreadsPerBlock;
  props.max_threads_per_sm = found.maxThreadsPerMultiProcessor;
  props.max_blocks_per_sm = found.maxBlocksPerMultiProcessor;
  props.registers_per_sm = found.regsPerMultiprocessor;
  props.shared_static_bytes = found.sharedMemPerBlock;
  props.shared_optin_bytes = found.sharedMemPerBlockOptin;
  props.shared_per_sm_bytes = found.sharedMemPerMultiprocessor;
  props.memory_bytes = found.totalGlobalMem;
  props.peaks = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  props.l2_bytes = static_cast<std::size_t>(found.l2CacheSize);
  return props;
}

class CudaDevice : public Device {
 public:
  explicit CudaDevice(int ordinal) : ordinal_(ordinal), props_(read_props(ordinal)) {
    use();
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;
  ~CudaDevice() override { (void)cudaStreamDestroy(stream_); }

  DeviceKind kind() const override { return DeviceKind::cuda; }
  std::string id() const override { return "cuda:" + std::to_string(ordinal_); }
  const DeviceProps& props() const override { return props_; }

  std::unique_ptr<Buffer> allocate(const std::string& name, std::size_t bytes,
                                   std::size_t element_bytes, Guard guard) override {
    if (guard == Guard::back && bytes % element_bytes != 0)
      throw UsageError("buffer \"" + name + "\": " + std::to_string(bytes) +
                       " bytes are not a whole number of elements of " +
                       std::to_string(element_bytes) + " bytes");
    use();
    auto buffer = std::make_unique<CudaBuffer>(name, bytes, guard);
    fill(*buffer, Poison::nan);
    return buffer;
  }
  void upload(Buffer& to, const void* from, std::size_t bytes) override {
    check_size(to, bytes);
    check(cudaMemcpyAsync(to.data(), from, bytes, cudaMemcpyHostToDevice, stream_),
          "cudaMemcpyAsync");
    synchronize();
  }
  void download(void* to, const Buffer& from, std::size_t bytes) override {
    check_size(from, bytes);
    check(cudaMemcpyAsync(to, from.data(), bytes, cudaMemcpyDeviceToHost, stream_),
          "cudaMemcpyAsync");
    synchronize();
  }
  void fill(Buffer& buffer, Poison poison) override {
    check(cudaMemsetAsync(buffer.data(), static_cast<int>(poison), buffer.bytes(), stream_),
          "cudaMemsetAsync");
    synchronize();
  }
  std::string check_canaries(const Buffer& buffer) override {
    synchronize();
    const auto& cuda = dynamic_cast<const CudaBuffer&>(buffer);
    const auto* data = static_cast<const unsigned char*>(buffer.data());
    const std::string name =
        " buffer \"" + buffer.name() + "\" (" + std::to_string(buffer.bytes()) + " bytes)";
    const auto after = damage(data + buffer.bytes(), cuda.last(), "after the end of");
    const auto before = damage(cuda.first(), data, "before the start of");
    std::string report = after.empty() ? after : after + name;
    if (!before.empty()) report += (report.empty() ? "" : "; ") + before + name;
    return report;
  }

  void set_schedule(const Schedule&) override {}
  Stream stream() override {
    use();  // a launch needs the stream's device to be the current one
    return {stream_};
  }
  void synchronize() override { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  void use() { check(cudaSetDevice(ordinal_), "cudaSetDevice"); }
  static void check_size(const Buffer& buffer, std::size_t bytes) {
    if (bytes > buffer.bytes())
      throw UsageError("copy of " + std::to_string(bytes) + " bytes, buffer \"" + buffer.name() +
                       "\" has " + std::to_string(buffer.bytes()));
  }

  int ordinal_;
  DeviceProps props_;
  cudaStream_t stream_ = nullptr;
};

}  // namespace

std::vector<std::unique_ptr<Device>> make_cuda_devices() {
  std::vector<std::unique_ptr<Device>> devices;
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    (void)cudaGetLastError();
    return devices;
  }
  for (int ordinal = 0; ordinal < count; ++ordinal)
    devices.push_back(std::make_unique<CudaDevice>(ordinal));
  return devices;
}

}  // namespace wm
